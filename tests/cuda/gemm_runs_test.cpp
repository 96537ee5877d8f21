// Products over a simulated GPU and a simulated cuBLASLt that really multiplies: every type, layout
// and pattern verified, and what can't be refused with what would work.
#include <cstdlib>

#include "over_fake.hpp"

namespace roofline::cuda {
namespace {

class GemmRuns : public OverFake {
 protected:
  /// Prepares, verifies and times; facts of the run.
  Facts expect_right(backend::Backend& gpu, const Gemm& gemm, const std::string& what) {
    Point point(gpu, gemm);
    EXPECT_TRUE(verified(point.run().verify())) << what;
    EXPECT_GT(in_second(point.run().time(3).duration), 0) << what;
    return point.run().facts();
  }
};

constexpr const char* kSmallH200 = "device h200 l2=256KiB memory=60MiB sms=8\n";

std::uint64_t number(const Facts& facts, const std::string& key) {
  const FactValue value = fact_of(facts, key);
  const auto* const found = std::get_if<std::uint64_t>(&value);
  return found == nullptr ? ~std::uint64_t{0} : *found;
}

std::string words(const Facts& facts, const std::string& key) {
  const FactValue value = fact_of(facts, key);
  const auto* const found = std::get_if<std::string>(&value);
  return found == nullptr ? "" : *found;
}

TEST_F(GemmRuns, EveryTypeOfAnA100) {
  const auto gpu = backend();
  for (const DType input :
       {DType::fp64, DType::fp32, DType::tf32, DType::fp16, DType::bf16, DType::int8}) {
    for (const auto& [m, n, k] : {std::tuple{70U, 52U, 72U}, {1U, 128U, 64U}, {33U, 4U, 200U}}) {
      expect_right(*gpu, {.m = m, .n = n, .k = k, .input = input},
                   std::string(name(input)) + " " + std::to_string(m));
    }
  }
}

TEST_F(GemmRuns, OddSizesOfTypesThatTakeThem) {
  const auto gpu = backend();
  for (const DType input : {DType::fp64, DType::fp32, DType::bf16}) {
    expect_right(*gpu, {.m = 7, .n = 13, .k = 29, .input = input}, std::string(name(input)));
    expect_right(*gpu, {.m = 1, .n = 1, .k = 1, .input = input}, std::string(name(input)));
  }
}

TEST_F(GemmRuns, EveryLayoutWithBatchAlphaAndBeta) {
  const auto gpu = backend();
  for (const DType input : {DType::fp32, DType::bf16, DType::fp64}) {
    for (const auto& [a, b] :
         {std::pair{false, false}, {false, true}, {true, false}, {true, true}}) {
      expect_right(*gpu,
                   {.m = 24,
                    .n = 40,
                    .k = 56,
                    .batch = 3,
                    .input = input,
                    .transpose_a = a,
                    .transpose_b = b,
                    .alpha = -1.5,
                    .beta = 0.75},
                   std::string(name(input)) + (a ? " tA" : "") + (b ? " tB" : ""));
    }
  }
  expect_right(*gpu, {.m = 24, .n = 40, .k = 56, .input = DType::int8, .alpha = 2, .beta = -3},
               "int8");
}

/// Where results are so small that fp16 has few digits left for them, and where a factor has none.
TEST_F(GemmRuns, SmallFactorsAreRightOrRefused) {
  const auto gpu = backend();
  expect_right(*gpu, {.m = 24, .n = 40, .k = 56, .input = DType::fp16, .alpha = 1e-6}, "fp16");
  EXPECT_EQ(refused(*gpu, Gemm{.m = 8, .n = 8, .k = 8, .input = DType::fp16, .alpha = 1e-6}), "");
  EXPECT_NE(refused(*gpu, Gemm{.m = 8, .n = 8, .k = 8, .input = DType::fp32, .alpha = 1e-300}), "");
  EXPECT_NE(refused(*gpu, Gemm{.m = 8, .n = 8, .k = 8, .input = DType::bf16, .beta = 1e-300}), "");
  EXPECT_EQ(refused(*gpu, Gemm{.m = 8, .n = 8, .k = 8, .input = DType::fp64, .alpha = 1e-300}), "");
}

TEST_F(GemmRuns, B114_Fp16SumsAreAnotherProductThanFp32Sums) {
  const auto gpu = backend();
  const Gemm wide{.m = 64, .n = 64, .k = 128, .input = DType::fp16};
  Gemm narrow = wide;
  narrow.accumulate = DType::fp16;
  EXPECT_EQ(words(expect_right(*gpu, wide, "fp32 sums"), "compute"), "32f");
  EXPECT_EQ(words(expect_right(*gpu, narrow, "fp16 sums"), "compute"), "16f");
  narrow.alpha = 0.1;  // no fp16 is
  narrow.beta = 0.3;
  expect_right(*gpu, narrow, "fp16 factors");
  narrow.output = DType::fp32;
  EXPECT_NE(refused(*gpu, narrow).find("written in fp16"), std::string::npos);
}

TEST_F(GemmRuns, OutputsOfOtherTypes) {
  const auto gpu = backend();
  for (const DType input : {DType::fp16, DType::bf16}) {
    expect_right(*gpu, {.m = 48, .n = 32, .k = 64, .input = input, .output = DType::fp32},
                 std::string(name(input)));
  }
  EXPECT_NE(refused(*gpu, Gemm{.m = 8, .n = 8, .k = 8, .input = DType::bf16, .output = DType::fp16})
                .find("bf16 or fp32"),
            std::string::npos);
}

TEST_F(GemmRuns, EveryPattern) {
  use(kSmallH200);
  const auto gpu = backend();
  for (const DataPattern data : data_patterns()) {
    for (const DType input :
         {DType::bf16, DType::fp16, DType::fp8_e4m3, DType::int8, DType::fp32}) {
      const Facts facts =
          expect_right(*gpu, {.m = 32, .n = 48, .k = 3008, .input = input, .data = data},
                       std::string(name(input)) + " " + std::string(name(data)));
      EXPECT_EQ(words(facts, "data_pattern"), name(data));
    }
  }
}

TEST_F(GemmRuns, B104_Fp8IsRightAndItsFactorsAreThereWhenAlgorithmsAreAskedFor) {
  use(kSmallH200);
  const auto gpu = backend();
  const Facts facts =
      expect_right(*gpu, {.m = 64, .n = 64, .k = 64, .input = DType::fp8_e4m3}, "e4m3");
  EXPECT_EQ(words(facts, "compute"), "32f");
  const Facts mixed =
      expect_right(*gpu, {.m = 64, .n = 64, .k = 64, .input = DType::fp8_e5m2}, "e5m2");
  EXPECT_EQ(words(mixed, "b_type"), "fp8_e4m3");
  EXPECT_EQ(words(facts, "b_type"), "");
}

TEST_F(GemmRuns, B116_DecodeShapesOfFp8AreFilledUp) {
  use(kSmallH200);
  const auto gpu = backend();
  for (const std::uint64_t m : {1U, 7U, 15U, 16U, 17U}) {
    const Facts facts =
        expect_right(*gpu, {.m = m, .n = 256, .k = 512, .input = DType::fp8_e4m3}, "fp8");
    if (m == 16) {
      EXPECT_TRUE(std::holds_alternative<Unknown>(fact_of(facts, "padded_m")));
    } else {
      EXPECT_EQ(number(facts, "padded_m"), m < 16 ? 16U : 32U);
    }
  }
  Point point(*gpu, Gemm{.m = 1, .n = 256, .k = 512, .input = DType::fp8_e4m3});
  EXPECT_EQ(std::get<Gemm>(point.workload()).m, 1U) << "work and traffic are of the real m";
  EXPECT_TRUE(std::get<Gemm>(point.workload()).transpose_b) << "the one layout there is";
}

TEST_F(GemmRuns, B100_Fp8OfOddSizesSaysWhatWouldWork) {
  use(kSmallH200);
  const auto gpu = backend();
  const auto fp8 = [](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return Gemm{.m = m, .n = n, .k = k, .input = DType::fp8_e4m3};
  };
  EXPECT_EQ(refused(*gpu, fp8(63, 64, 64)), "");
  EXPECT_EQ(refused(*gpu, fp8(64, 64, 64)), "");
  const std::string n = refused(*gpu, fp8(64, 63, 64));
  EXPECT_NE(n.find("n = 63 is none"), std::string::npos) << n;
  EXPECT_NE(n.find("use n = 64, k = 64"), std::string::npos) << n;
  const std::string k = refused(*gpu, fp8(64, 64, 63));
  EXPECT_NE(k.find("k = 63 is none"), std::string::npos) << k;
  Gemm transposed = fp8(64, 64, 64);
  transposed.transpose_a = true;
  EXPECT_NE(refused(*gpu, transposed).find("leave out --transpose-a"), std::string::npos);
}

TEST_F(GemmRuns, B102_Int8OfOddSizesSaysWhatWouldWork) {
  const auto gpu = backend();
  const auto int8 = [](std::uint64_t m, std::uint64_t n, std::uint64_t k) {
    return Gemm{.m = m, .n = n, .k = k, .input = DType::int8};
  };
  EXPECT_NE(refused(*gpu, int8(2, 3, 4)).find("n = 3 is none"), std::string::npos);
  EXPECT_NE(refused(*gpu, int8(30, 30, 30)).find("use n = 32, k = 32"), std::string::npos);
  EXPECT_EQ(refused(*gpu, int8(32, 32, 32)), "");
  Gemm half = int8(32, 32, 32);
  half.alpha = 0.5;
  EXPECT_NE(refused(*gpu, half).find("whole numbers"), std::string::npos);
}

TEST_F(GemmRuns, TypesThatTheDeviceLacksNameTheCapability) {
  const auto gpu = backend();
  const std::string fp8 = refused(*gpu, Gemm{.m = 16, .n = 16, .k = 16, .input = DType::fp8_e4m3});
  EXPECT_NE(fp8.find("compute capability 8.9"), std::string::npos) << fp8;
  EXPECT_NE(fp8.find("this GPU has 8.0"), std::string::npos) << fp8;
  for (const DType type : {DType::fp4, DType::fp6, DType::int4}) {
    EXPECT_NE(refused(*gpu, Gemm{.m = 16, .n = 16, .k = 16, .input = type}).find("not in this"),
              std::string::npos)
        << name(type);
  }
  use("device t4 memory=40MiB l2=256KiB\n");
  const auto t4 = backend();
  for (const DType type : {DType::bf16, DType::tf32}) {
    const std::string why = refused(*t4, Gemm{.m = 16, .n = 16, .k = 16, .input = type});
    EXPECT_NE(why.find("8.0"), std::string::npos) << why;
  }
  EXPECT_EQ(refused(*t4, Gemm{.m = 16, .n = 16, .k = 16, .input = DType::fp16}), "");
}

TEST_F(GemmRuns, WhatItCannotDoIsSaid) {
  const auto gpu = backend();
  const Gemm plain{.m = 64, .n = 64, .k = 64};
  Gemm g = plain;
  g.accumulate = DType::fp16;
  EXPECT_NE(refused(*gpu, g).find("sums bf16 products in fp32"), std::string::npos);
  g = plain;
  g.convert_a_from = DType::fp32;
  EXPECT_NE(refused(*gpu, g).find("conversion"), std::string::npos);
  g = {.m = 64, .n = 64, .k = 70'000, .input = DType::fp16, .data = DataPattern::ones};
  EXPECT_NE(refused(*gpu, g).find("65504"), std::string::npos);
  g = plain;
  g.m = std::uint64_t{1} << 31U;
  EXPECT_NE(refused(*gpu, g).find("2147483647"), std::string::npos);
}

TEST_F(GemmRuns, B107_B115_WhatCannotFitIsRefusedWithBytesAndWhatWould) {
  const auto gpu = backend();
  const std::string million = refused(*gpu, Gemm{.m = 1'000'000, .n = 1'000'000, .k = 1'000'000});
  // 3 x 2e12 byte, and the workspace.
  EXPECT_NE(million.find("6.0 TB"), std::string::npos) << million;
  EXPECT_NE(million.find("largest square that fits"), std::string::npos) << million;
  const std::string wide = refused(*gpu, Gemm{.m = 65'536, .n = 65'536, .k = 46'341});
  EXPECT_EQ(wide.find('-'), std::string::npos) << wide;
  const std::string most = refused(*gpu, Gemm{.m = 2'147'483'647,
                                              .n = 2'147'483'647,
                                              .k = 2'147'483'647,
                                              .batch = 2'147'483'647,
                                              .input = DType::fp64});
  EXPECT_NE(most.find("may be used"), std::string::npos) << most;
}

TEST_F(GemmRuns, Tf32ThatIsSwitchedOffIsSkipped) {
  setenv("NVIDIA_TF32_OVERRIDE", "0", 1);
  const auto gpu = backend();
  const std::string why = refused(*gpu, Gemm{.m = 16, .n = 16, .k = 16, .input = DType::tf32});
  EXPECT_NE(why.find("NVIDIA_TF32_OVERRIDE"), std::string::npos) << why;
  EXPECT_EQ(refused(*gpu, Gemm{.m = 16, .n = 16, .k = 16, .input = DType::fp32}), "");
  unsetenv("NVIDIA_TF32_OVERRIDE");
}

TEST_F(GemmRuns, EmulationThatIsSwitchedOnIsAFact) {
  setenv("CUBLAS_EMULATE_SINGLE_PRECISION", "1", 1);
  const auto gpu = backend();
  const Facts facts = expect_right(*gpu, {.m = 8, .n = 8, .k = 8, .input = DType::fp32}, "fp32");
  EXPECT_EQ(words(facts, "cublas_emulate_single_precision"), "1");
  unsetenv("CUBLAS_EMULATE_SINGLE_PRECISION");
}

TEST_F(GemmRuns, FactsSayWhatRan) {
  const auto gpu = backend();
  const Facts facts = expect_right(*gpu, {.m = 256, .n = 128, .k = 512}, "bf16");
  EXPECT_EQ(words(facts, "provider"), "cuBLASLt");
  EXPECT_EQ(words(facts, "provider_version"), "13.1.0");
  EXPECT_EQ(words(facts, "libcublaslt"), FAKEGPU_FOLDER "/libcublasLt.so.13");
  EXPECT_EQ(words(facts, "algo_of"), "best");
  EXPECT_GT(number(facts, "algo_candidates"), 8U);
  EXPECT_NE(words(facts, "algo_tile").find('x'), std::string::npos);
  EXPECT_NE(words(facts, "algo_stages").find('x'), std::string::npos);
  EXPECT_GE(number(facts, "split_k"), 1U);
  EXPECT_TRUE(std::holds_alternative<double>(fact_of(facts, "first_suggestion_loss")));
  EXPECT_TRUE(std::holds_alternative<double>(fact_of(facts, "algo_waves")));
  // 2 x (256 x 512 + 512 x 128 + 256 x 128) = 458 752 byte: three sets are five times 256 KiB.
  EXPECT_EQ(words(facts, "cache"), "cold");
  EXPECT_EQ(number(facts, "weight_copies"), 3U);
  EXPECT_EQ(number(facts, "weight_rotation_byte"), 3U * 458'752U);
}

TEST_F(GemmRuns, TheFirstSuggestionRunsUntimedWhenAskedFor) {
  CudaOptions first = options();
  first.algo = AlgoChoice::first;
  const auto gpu = make_cuda_backend(first);
  const Facts facts = expect_right(*gpu, {.m = 256, .n = 128, .k = 512}, "first");
  EXPECT_EQ(words(facts, "algo_of"), "first");
  EXPECT_TRUE(std::holds_alternative<Unknown>(fact_of(facts, "algo_candidates")));
}

TEST_F(GemmRuns, TheBestIsNeverSlowerThanTheFirstSuggestion) {
  use("device a100-80gb l2=256KiB memory=40MiB\n");
  const auto best = backend();
  CudaOptions options_first = options();
  options_first.algo = AlgoChoice::first;
  const auto first = make_cuda_backend(options_first);
  bool found_better = false;
  for (const std::uint64_t k : {256U, 512U, 1024U, 2048U, 4096U}) {
    const Gemm g{.m = 480, .n = 640, .k = k};
    Point fast(*best, g);
    Point plain(*first, g);
    const double loss = plain.seconds() / fast.seconds() - 1;
    EXPECT_GT(loss, -0.01) << k;
    const FactValue told = fact_of(fast.run().facts(), "first_suggestion_loss");
    ASSERT_TRUE(std::holds_alternative<double>(told));
    // Told by launches, measured in a graph, where a launch costs less.
    EXPECT_NEAR((1 + std::get<double>(told)) / (1 + loss), 1, 0.1) << k;
    found_better = found_better || loss > 0.005;
  }
  EXPECT_TRUE(found_better) << "else this proves nothing";
}

TEST_F(GemmRuns, ProjectionsOfManyRowsAreProducts) {
  const auto gpu = backend();
  for (const DType type : {DType::bf16, DType::fp16}) {
    Projection p{.rows = 100, .d_in = 256, .d_out = 192};
    p.activation = type;
    Point point(*gpu, p);
    EXPECT_TRUE(std::holds_alternative<Projection>(point.workload()));
    EXPECT_TRUE(verified(point.run().verify())) << name(type);
    EXPECT_GT(in_second(point.run().time(3).duration), 0);
    EXPECT_EQ(words(point.run().facts(), "provider"), "cuBLASLt");
  }
  Projection p{.rows = 65, .d_in = 256, .d_out = 256};
  p.weight = DType::int8;
  p.scale_group = 128;
  EXPECT_NE(refused(*gpu, p).find("at most 64 rows"), std::string::npos);
  p = {.rows = 65, .d_in = 64, .d_out = 64};
  p.level = Boundary::l2;
  EXPECT_NE(refused(*gpu, p).find("--level dram"), std::string::npos);
}

TEST_F(GemmRuns, AnOlderLibraryMultipliesToo) {
  CudaOptions old = options();
  old.libcublaslt = FAKEGPU_FOLDER "/old/libcublasLt.so.12";
  const auto gpu = make_cuda_backend(old);
  const Facts facts = expect_right(*gpu, {.m = 64, .n = 64, .k = 64}, "cuBLASLt 12");
  EXPECT_TRUE(words(facts, "provider_version").starts_with("12."));
}

TEST_F(GemmRuns, WithoutTheLibraryOnlyProductsAreSkipped) {
  CudaOptions none = options();
  none.libcublaslt = "/nowhere/libcublasLt.so.13";
  const auto gpu = make_cuda_backend(none);
  const std::string why = refused(*gpu, Gemm{.m = 64, .n = 64, .k = 64});
  EXPECT_NE(why.find("/nowhere/libcublasLt.so.13"), std::string::npos) << why;
  EXPECT_EQ(refused(*gpu, Launch{.path = LaunchPath::library}), why);
  Point stream(*gpu, Stream{.kind = StreamKind::copy, .elements = 4096});
  EXPECT_TRUE(verified(stream.run().verify()));
}

}  // namespace
}  // namespace roofline::cuda
