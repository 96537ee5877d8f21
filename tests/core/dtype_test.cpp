#include "roofline/dtype.hpp"

#include <map>
#include <set>

#include "support.hpp"

namespace roofline {
namespace {

TEST(DType, StorageBits) {
  const std::map<std::string_view, unsigned> bits{
      {"fp64", 64},    {"fp32", 32}, {"tf32", 32}, {"fp16", 16}, {"bf16", 16}, {"fp8_e4m3", 8},
      {"fp8_e5m2", 8}, {"fp6", 6},   {"fp4", 4},   {"int8", 8},  {"int4", 4},  {"int32", 32}};
  EXPECT_EQ(dtypes().size(), bits.size());
  for (const DTypeInfo& entry : dtypes()) {
    ASSERT_TRUE(bits.count(entry.name)) << entry.name;
    EXPECT_EQ(entry.storage_bits, bits.at(entry.name)) << entry.name;
    EXPECT_EQ(storage_bits(entry.dtype), entry.storage_bits);
  }
}

TEST(DType, TableIsIndexedByTheEnum) {
  for (const DTypeInfo& entry : dtypes()) {
    EXPECT_EQ(&info(entry.dtype), &entry);
    EXPECT_EQ(find_dtype(name(entry.dtype)), entry.dtype);
  }
}

TEST(DType, AccumulatorsHoldTheProducts) {
  for (const DTypeInfo& entry : dtypes()) {
    EXPECT_GE(storage_bits(entry.accumulate), entry.storage_bits) << entry.name;
    EXPECT_EQ(info(entry.accumulate).integer, entry.integer) << entry.name;
  }
  EXPECT_EQ(info(DType::bf16).accumulate, DType::fp32);
  EXPECT_EQ(info(DType::fp16).accumulate, DType::fp32);
  EXPECT_EQ(info(DType::tf32).accumulate, DType::fp32);
  EXPECT_EQ(info(DType::fp64).accumulate, DType::fp64);
  EXPECT_EQ(info(DType::int8).accumulate, DType::int32);
}

TEST(DType, IntegersAreTheIntegers) {
  for (const DTypeInfo& entry : dtypes()) {
    EXPECT_EQ(entry.integer, entry.name.substr(0, 3) == "int") << entry.name;
  }
}

TEST(DType, GemmOutputs) {
  EXPECT_EQ(info(DType::int8).output, DType::int32);
  EXPECT_EQ(info(DType::fp8_e4m3).output, DType::bf16);
  EXPECT_EQ(info(DType::bf16).output, DType::bf16);
  EXPECT_EQ(info(DType::tf32).output, DType::fp32);
  EXPECT_EQ(info(DType::fp64).output, DType::fp64);
}

TEST(DType, SpellingsOfPeopleAndFrameworks) {
  const std::map<std::string_view, DType> spellings{{"bf16", DType::bf16},
                                                    {"BF16", DType::bf16},
                                                    {"bfloat16", DType::bf16},
                                                    {"fp8", DType::fp8_e4m3},
                                                    {"e5m2", DType::fp8_e5m2},
                                                    {"half", DType::fp16},
                                                    {"float32", DType::fp32},
                                                    {"f64", DType::fp64},
                                                    {"double", DType::fp64},
                                                    {"s8", DType::int8},
                                                    {"i4", DType::int4},
                                                    {"TF32", DType::tf32},
                                                    {"float8_e4m3fn", DType::fp8_e4m3}};
  for (const auto& [text, dtype] : spellings) EXPECT_EQ(find_dtype(text), dtype) << text;
}

TEST(DType, NothingElseIsGuessed) {
  for (const char* text :
       {"", "fp", "fp7", "bf", "bf16 ", "int", "fp8e4", "16", "b16", "fp32x", "NaN"}) {
    EXPECT_FALSE(find_dtype(text)) << text;
  }
}

TEST(DType, UnknownTypeIsRefusedWithTheKnownOnes) {
  const std::string sentence = test::refusal([] { static_cast<void>(parse_dtype("fp7")); });
  EXPECT_TRUE(test::contains(sentence, "'fp7'")) << sentence;
  for (const DTypeInfo& entry : dtypes()) {
    EXPECT_TRUE(test::contains(sentence, std::string(entry.name))) << entry.name;
  }
}

TEST(DType, ErrorsStayOnOneShortLine) {
  const std::string hostile = "fp\n\x1b[31m" + std::string(10'000, 'x');
  const std::string sentence = test::refusal([&] { static_cast<void>(parse_dtype(hostile)); });
  EXPECT_LT(sentence.size(), 300U);
  EXPECT_EQ(sentence.find_first_of("\n\x1b"), std::string::npos);
}

TEST(PeakKey, NamesAreUniqueAndFoundAgain) {
  std::set<std::string_view> seen;
  for (const PeakKey key : peak_keys()) {
    EXPECT_TRUE(seen.insert(name(key)).second);
    EXPECT_EQ(find_peak_key(name(key)), key);
  }
  EXPECT_EQ(seen.size(), 15U);
  EXPECT_FALSE(find_peak_key("bf17"));
}

TEST(PeakKey, MatrixUnitsAreHeldAgainstTheirOwnRow) {
  const auto candidates = [](DType dtype) {
    return peak_candidates(dtype, info(dtype).accumulate, Engine::tensor);
  };
  EXPECT_EQ(candidates(DType::bf16), std::vector{PeakKey::bf16});
  EXPECT_EQ(candidates(DType::fp16), std::vector{PeakKey::fp16});
  EXPECT_EQ(candidates(DType::tf32), std::vector{PeakKey::tf32});
  EXPECT_EQ(candidates(DType::fp8_e4m3), std::vector{PeakKey::fp8});
  EXPECT_EQ(candidates(DType::fp8_e5m2), std::vector{PeakKey::fp8});
  EXPECT_EQ(candidates(DType::fp6), std::vector{PeakKey::fp6});
  EXPECT_EQ(candidates(DType::fp4), std::vector{PeakKey::fp4});
  EXPECT_EQ(candidates(DType::int8), std::vector{PeakKey::int8});
  EXPECT_EQ(candidates(DType::int4), std::vector{PeakKey::int4});
  // fp32 never means tf32: the matrix units do not multiply fp32.
  EXPECT_EQ(candidates(DType::fp32), std::vector{PeakKey::fp32});
  EXPECT_EQ(candidates(DType::fp64), (std::vector{PeakKey::fp64_tensor, PeakKey::fp64}));
  EXPECT_TRUE(candidates(DType::int32).empty());
}

TEST(PeakKey, HalfSumsHaveARowOfTheirOwn) {
  EXPECT_EQ(peak_candidates(DType::fp16, DType::fp16, Engine::tensor),
            std::vector{PeakKey::fp16_acc16});
  EXPECT_EQ(peak_candidates(DType::fp8_e4m3, DType::fp16, Engine::tensor),
            std::vector{PeakKey::fp8_acc16});
}

TEST(PeakKey, OtherSumsHaveNoRow) {
  EXPECT_TRUE(peak_candidates(DType::bf16, DType::fp16, Engine::tensor).empty());
  EXPECT_TRUE(peak_candidates(DType::bf16, DType::fp64, Engine::tensor).empty());
  EXPECT_TRUE(peak_candidates(DType::fp8_e4m3, DType::fp64, Engine::tensor).empty());
  EXPECT_TRUE(peak_candidates(DType::tf32, DType::fp64, Engine::tensor).empty());
}

TEST(PeakKey, OrdinaryUnitsNeverGetAMatrixPeak) {
  const std::set<PeakKey> ordinary{PeakKey::fp64, PeakKey::fp32, PeakKey::fp16_vector,
                                   PeakKey::bf16_vector};
  for (const DTypeInfo& entry : dtypes()) {
    for (const PeakKey key : peak_candidates(entry.dtype, entry.accumulate, Engine::vector)) {
      EXPECT_TRUE(ordinary.count(key)) << entry.name << " " << name(key);
    }
  }
  EXPECT_EQ(peak_candidates(DType::bf16, DType::fp32, Engine::vector),
            std::vector{PeakKey::bf16_vector});
  EXPECT_EQ(peak_candidates(DType::fp64, DType::fp64, Engine::vector), std::vector{PeakKey::fp64});
}

}  // namespace
}  // namespace roofline
