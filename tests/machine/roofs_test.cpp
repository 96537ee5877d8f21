// Which peak arithmetic is held against, the same from SMs and clocks, and doubts about what is
// stated.
#include "machine/roofs.hpp"

#include <string>

#include "shipped.hpp"

namespace roofline::machine {
namespace {

using enum DType;

constexpr Frequency megahertz_of(double value) { return hertz(value * 1e6); }

double derived(std::string_view id, PeakKey key) {
  const auto answer = derived_peak(device(id), key);
  return in_tflop_per_s(std::get<ComputeRoof>(answer).peak);
}

double adjusted(std::string_view id, PeakKey key, double mhz) {
  const auto answer = clock_adjusted_peak(device(id), key, megahertz_of(mhz));
  return in_tflop_per_s(std::get<ComputeRoof>(answer).peak);
}

PeakKey key_of(std::string_view id, RoofQuery query) {
  return std::get<ComputeRoof>(roof(id, query)).key;
}

TEST(Roofs, GemmTakesTheMatrixUnits) {
  EXPECT_EQ(key_of("a100-80gb-sxm", {.dtype = fp64}), PeakKey::fp64_tensor);
  EXPECT_EQ(key_of("a100-80gb-sxm", {.dtype = fp64, .engine = Engine::vector}), PeakKey::fp64);
  EXPECT_EQ(key_of("a10", {.dtype = fp64}), PeakKey::fp64);  // no such matrix unit
  EXPECT_EQ(key_of("a100-80gb-sxm", {.dtype = bf16}), PeakKey::bf16);
  EXPECT_EQ(key_of("a100-80gb-sxm", {.dtype = fp16, .accumulate = fp16}), PeakKey::fp16_acc16);
}

TEST(Roofs, ElementwiseTakesTheOrdinaryUnits) {
  const auto vector = [](DType dtype) {
    return RoofQuery{.dtype = dtype, .engine = Engine::vector};
  };
  EXPECT_DOUBLE_EQ(peak("a100-80gb-sxm", vector(fp16)), 78);
  EXPECT_DOUBLE_EQ(peak("a100-80gb-sxm", vector(bf16)), 39);
  EXPECT_DOUBLE_EQ(peak("a100-80gb-sxm", vector(fp32)), 19.5);
  EXPECT_DOUBLE_EQ(peak("a100-80gb-sxm", vector(fp64)), 9.7);
  const auto refused = roof("a100-80gb-sxm", vector(fp8_e4m3));
  ASSERT_TRUE(std::holds_alternative<Refusal>(refused));
  EXPECT_TRUE(std::get<Refusal>(refused).unsupported);
}

TEST(Roofs, UnknownIsNotUnsupported) {
  // A10G: no fp16-accumulate figure is printed; the fp32-accumulate one must not stand in.
  const auto answer = roof("a10g", {.dtype = fp16, .accumulate = fp16});
  ASSERT_TRUE(std::holds_alternative<Refusal>(answer));
  EXPECT_FALSE(std::get<Refusal>(answer).unsupported);
  // H20: whether there is fp64 on the matrix units is in no source, so the ordinary peak is no
  // bound for a GEMM.
  EXPECT_TRUE(std::holds_alternative<Refusal>(roof("h20-96gb", {.dtype = fp64})));
}

TEST(Roofs, SparseOnlyWhenAskedForAndNamed) {
  const auto sparse = [](DType dtype) {
    return RoofQuery{.dtype = dtype, .sparsity = Sparsity::sparse_2_4};
  };
  const auto answer = roof("a100-80gb-sxm", sparse(bf16));
  const auto& found = std::get<ComputeRoof>(answer);
  EXPECT_DOUBLE_EQ(in_tflop_per_s(found.peak), 624);
  EXPECT_EQ(found.sparsity, Sparsity::sparse_2_4);
  EXPECT_NE(found.source.find("sparse"), std::string::npos);
  EXPECT_DOUBLE_EQ(peak("b300-270gb-sxm", sparse(fp4)), 18000);  // not twice the dense 14000
  const auto volta = roof("v100-16gb-sxm2", sparse(fp16));
  EXPECT_TRUE(std::get<Refusal>(volta).unsupported);
  EXPECT_TRUE(std::holds_alternative<Refusal>(roof("h20-96gb", sparse(bf16))));
  EXPECT_TRUE(std::get<Refusal>(roof("a100-80gb-sxm", sparse(fp8_e4m3))).unsupported);
  EXPECT_FALSE(std::holds_alternative<ComputeRoof>(roof("a100-80gb-sxm", sparse(fp32))));
}

TEST(Roofs, DerivedFromUnitsAndRatedClock) {
  // 108 x 64 FMA x 2 x 1.41 GHz; 132 x 128 FMA x 2 x 1.98 GHz; matrix units of the H100 at 1.83
  // GHz.
  EXPECT_TRUE(near(derived("a100-80gb-sxm", PeakKey::fp32), 19.49, 0.1));
  EXPECT_TRUE(near(derived("h100-80gb-sxm", PeakKey::fp32), 66.9, 0.1));
  EXPECT_TRUE(near(derived("h100-80gb-sxm", PeakKey::fp64_tensor), 66.9, 0.1));
  EXPECT_TRUE(near(derived("h100-80gb-sxm", PeakKey::bf16), 989.4, 0.1));
  const auto answer = derived_peak(device("a100-80gb-sxm"), PeakKey::bf16);
  EXPECT_EQ(std::get<ComputeRoof>(answer).origin, Origin::derived);
  EXPECT_NE(std::get<ComputeRoof>(answer).source.find("108 SMs x 2048"), std::string::npos)
      << std::get<ComputeRoof>(answer).source;
  for (const char* incomplete : {"b100", "h20-96gb", "gb300-279gb", "v100s-32gb-pcie"}) {
    const auto refused = derived_peak(device(incomplete), PeakKey::bf16);
    EXPECT_TRUE(std::holds_alternative<Refusal>(refused)) << incomplete;
  }
}

TEST(Roofs, AdjustedToTheClockUnderLoad) {
  EXPECT_TRUE(near(adjusted("h100-80gb-sxm", PeakKey::bf16, 1980), 1070.5, 0.1));
  EXPECT_TRUE(
      near(adjusted("h800-80gb-sxm", PeakKey::bf16, 1600), 865, 0.1));  // as DeepSeek states it
  EXPECT_TRUE(near(adjusted("b200-180gb-sxm", PeakKey::bf16, 1965), 2382.4, 0.1));
  const auto answer = clock_adjusted_peak(device("l4"), PeakKey::bf16, megahertz_of(1000));
  EXPECT_EQ(std::get<ComputeRoof>(answer).origin, Origin::clock_adjusted);
  EXPECT_TRUE(
      std::holds_alternative<Refusal>(clock_adjusted_peak(device("l4"), PeakKey::bf16, hertz(0))));
}

TEST(Roofs, ACapIsNotLiftedByTheClock) {
  // H800's fp64 is capped at 1 TFLOP/s where the architecture's rate would give 33.5.
  EXPECT_DOUBLE_EQ(adjusted("h800-80gb-sxm", PeakKey::fp64, 1980), 1);
  EXPECT_TRUE(near(adjusted("h800-80gb-sxm", PeakKey::fp32, 1980), 66.9, 0.1));
}

TEST(Roofs, BandwidthFromBusAndClock) {
  const auto a100 = bandwidth_from_bus(5120, megahertz_of(1593));
  EXPECT_NEAR(in_gb_per_s(std::get<Bandwidth>(a100)), 2039.0, 0.1);
  const MemoryAnswer own = memory_roof(device("a100-80gb-sxm"), {5120, megahertz_of(1593)});
  EXPECT_TRUE(own.warnings.empty());
  EXPECT_NE(own.roof->source.find("catalogue a100-80gb-sxm"), std::string::npos)
      << own.roof->source;
  // V100S: no bandwidth in the table, so the driver's figures are all there is.
  EXPECT_FALSE(memory_roof(device("v100s-32gb-pcie")).roof);
  EXPECT_FALSE(memory_roof(device("v100s-32gb-pcie")).reason.empty());
  const MemoryAnswer driver = memory_roof(device("v100s-32gb-pcie"), {4096, megahertz_of(1000)});
  ASSERT_TRUE(driver.roof);
  EXPECT_EQ(driver.roof->origin, Origin::derived);
}

TEST(Roofs, AStatedPeakThatIsTheSparseOneIsDoubted) {
  const auto warning = check_stated_peak(device("h100-80gb-sxm"), PeakKey::bf16, tflop_per_s(1979));
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->id, "sparse_peak");
  EXPECT_NE(warning->text.find("989.4"), std::string::npos) << warning->text;
  EXPECT_FALSE(check_stated_peak(device("h100-80gb-sxm"), PeakKey::fp8, tflop_per_s(1979)));
  EXPECT_FALSE(check_stated_peak(device("h100-80gb-sxm"), PeakKey::bf16, tflop_per_s(989)));
  EXPECT_TRUE(check_stated_peak(device("a100-80gb-sxm"), PeakKey::bf16, tflop_per_s(620)));
  EXPECT_FALSE(check_stated_peak(device("a100-80gb-sxm"), PeakKey::bf16, tflop_per_s(600)));
}

TEST(Roofs, ABandwidthThatNoMemorySustains) {
  EXPECT_FALSE(check_sustained_bandwidth(gb_per_s(2039), gb_per_s(1500)));
  EXPECT_FALSE(check_sustained_bandwidth(gb_per_s(2000), gb_per_s(2060)));
  const auto warning = check_sustained_bandwidth(gb_per_s(2000), gb_per_s(2080));
  ASSERT_TRUE(warning);
  EXPECT_EQ(warning->id, "above_rated_bandwidth");
  EXPECT_NE(warning->text.find("2080 GB/s is 104 % of the rated 2000 GB/s"), std::string::npos)
      << warning->text;
}

TEST(Roofs, ContextForReadingsAboveTheRoof) {
  const RoofContext context =
      roof_context(device("h100-80gb-sxm"), PeakKey::bf16, megahertz_of(1980));
  ASSERT_TRUE(context.sparse_peak && context.clock_adjusted_peak);
  EXPECT_TRUE(near(in_tflop_per_s(*context.sparse_peak), 1978.9, 0.01));
  EXPECT_TRUE(near(in_tflop_per_s(*context.clock_adjusted_peak), 1070.5, 0.1));
  for (const ComputeRoof& other : context.other_peaks) EXPECT_NE(other.key, PeakKey::bf16);
  EXPECT_GE(context.other_peaks.size(), 8U);
  EXPECT_FALSE(roof_context(device("h100-80gb-sxm"), PeakKey::bf16).clock_adjusted_peak);
}

}  // namespace
}  // namespace roofline::machine
