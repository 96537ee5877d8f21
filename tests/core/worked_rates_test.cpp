// Worked numbers that are a reading against a roof: shares of peak, units, impossible values. Ids:
// S from the specification, P from wrong answers of other tools, B from public bug reports. Peaks
// and bandwidths are stated here.
#include "roofline/account.hpp"
#include "roofline/placement.hpp"
#include "support.hpp"

namespace roofline {
namespace {

using test::a100;
using test::both;
using test::compute_only;
using test::near;

Assessment judge(const Workload& workload, const Roofs& roofs, const Observation& seen) {
  const Account cost = account(workload);
  return assess(cost, roofs, place(cost, roofs), seen);
}

/// A reading of which nothing but the rate is known.
Assessment rate(double tflops, double peak) {
  return judge(Kernel{.dtype = DType::bf16}, compute_only(tflop_per_s(peak)),
               {.achieved = tflop_per_s(tflops)});
}

TEST(WorkedNumbers, S13_WrongDtypePeakInflatesSixteenfold) {
  EXPECT_TRUE(near(*rate(15, 19.5).mfu / *rate(15, 312).mfu, 16.0, 1e-12));
}

TEST(WorkedNumbers, S14_SparsePeakHalves) {
  EXPECT_TRUE(near(*rate(200, 624).mfu / *rate(200, 312).mfu, 0.5, 1e-12));
}

TEST(WorkedNumbers, S19_SixTenthsOfAPercentIsNinetyTwoPercentOfTheBound) {
  // Decode at batch 1, 2N convention: 2 FLOP and 2 B per parameter, so I = 1 and the ceiling is
  // 0.6535 %.
  const std::uint64_t parameters = 8'030'000'000;
  const Kernel decode{
      .flops = Count{2 * parameters}, .read_bytes = Count{2 * parameters}, .dtype = DType::bf16};
  const Assessment found = judge(decode, a100(), {.achieved = tflop_per_s(0.006 * 312)});
  EXPECT_TRUE(near(*found.mfu, 0.006, 1e-12));
  EXPECT_NEAR(*found.of_ceiling, 0.918, 5e-4);
  EXPECT_EQ(found.verdict, Verdict::at_memory_roof);
}

TEST(WorkedNumbers, S20_FortyPercentNeedsItsScope) {
  const Observation forty_percent{.achieved = tflop_per_s(0.4 * 312)};
  // One large aligned GEMM: its own ceiling is the flat roof, and 40 % of that is a fault.
  const Assessment gemm = judge(Gemm{.m = 8192, .n = 8192, .k = 8192}, a100(), forty_percent);
  EXPECT_TRUE(near(*gemm.of_ceiling, 0.4, 1e-9));
  EXPECT_EQ(gemm.verdict, Verdict::below_compute_roof);
  // The same rate of something whose traffic caps it at half of the peak is at its bound.
  const Assessment whole = judge(Kernel{.intensity = flop_per_byte(76.5)}, a100(), forty_percent);
  EXPECT_TRUE(near(*whole.mfu, *gemm.mfu, 1e-12));
  EXPECT_NEAR(*whole.of_ceiling, 0.8, 1e-3);
  EXPECT_EQ(whole.verdict, Verdict::at_memory_roof);
}

TEST(WorkedNumbers, P21_GigabyteIsTenToTheNine) {
  EXPECT_DOUBLE_EQ(in_byte_per_s(gb_per_s(2039)), 2.039e12);
  EXPECT_DOUBLE_EQ(in_gb_per_s(byte_per_s(1e9)), 1.0);
}

TEST(WorkedNumbers, P22_TeraIsTenToTheTwelve) {
  EXPECT_DOUBLE_EQ(in_flop_per_s(tflop_per_s(312)), 3.12e14);
  EXPECT_DOUBLE_EQ(in_tflop_per_s(flop_per_s(1e12)), 1.0);
}

TEST(WorkedNumbers, P32_BandwidthShare) {
  // 0.7 GB read in 1 ms is 700 GB/s: 35 % of 2000 GB/s, not 70 %.
  const Assessment found = judge(Kernel{.flops = Count{0}, .read_bytes = Count{700'000'000}},
                                 both(tflop_per_s(312), gb_per_s(2000)), {.time = second(1e-3)});
  EXPECT_TRUE(near(in_gb_per_s(*found.achieved_bandwidth), 700, 1e-12));
  EXPECT_TRUE(near(*found.of_ceiling, 0.35, 1e-12));
}

TEST(WorkedNumbers, B022_AboveAStatedPeakIsImpossible) {
  const Roofs stated = compute_only(tflop_per_s(312), Origin::user);
  const Assessment found =
      judge(Kernel{.dtype = DType::bf16}, stated, {.achieved = tflop_per_s(1200)});
  EXPECT_NEAR(*found.mfu, 3.85, 5e-3);
  EXPECT_TRUE(found.above_roof);
  EXPECT_TRUE(found.impossible);
  EXPECT_EQ(found.verdict, Verdict::impossible);
  EXPECT_FALSE(found.causes.empty());
}

TEST(WorkedNumbers, B032_AbovePeakIsNoPraise) {
  const Assessment found = rate(3650, 989.4);
  EXPECT_NEAR(*found.mfu, 3.69, 5e-3);
  EXPECT_TRUE(found.impossible);
  EXPECT_EQ(found.verdict, Verdict::impossible);
  EXPECT_TRUE(test::contains(std::string(lever(found.verdict)), "cannot be"));
}

TEST(WorkedNumbers, B036_GemmRateUnit) {
  const Account cost = account(Gemm{.m = 4096, .n = 4096, .k = 4096});
  EXPECT_EQ(cost.work->value(), 137'438'953'472U);
  const Assessment found =
      judge(Gemm{.m = 4096, .n = 4096, .k = 4096}, a100(), {.time = second(1e-3)});
  EXPECT_NEAR(in_tflop_per_s(*found.achieved), 137.44, 0.01);
}

TEST(WorkedNumbers, B049_BandwidthAboveTheRatedOneIsImpossible) {
  const Assessment found =
      judge(Stream{.kind = StreamKind::copy, .elements = 1'000'000},
            test::memory_only(gb_per_s(288)), {.achieved_bandwidth = gb_per_s(900)});
  EXPECT_NEAR(*found.of_ceiling, 3.125, 1e-9);
  EXPECT_TRUE(found.above_roof);
  EXPECT_EQ(found.verdict, Verdict::impossible);
}

TEST(WorkedNumbers, B085_GigabytesNotGibibytes) {
  // A copy that reads and writes 2^30 bytes each in a millisecond.
  const Stream copy{
      .kind = StreamKind::copy, .elements = std::uint64_t{1} << 27, .dtype = DType::fp64};
  const Assessment found = judge(copy, a100(), {.time = second(1e-3)});
  EXPECT_NEAR(in_gb_per_s(*found.achieved_bandwidth), 2147.48, 5e-3);
}

TEST(WorkedNumbers, B107_CountsBeyond31Bits) {
  const Account cost = account(Gemm{.m = 65536, .n = 65536, .k = 65536});
  EXPECT_EQ(cost.work->value(), 562'949'953'421'312U);
  const Account odd =
      account(Stream{.kind = StreamKind::read, .elements = 46341ULL * 46341, .dtype = DType::int8});
  EXPECT_EQ(total_traffic(odd).value(), 2'147'488'281U);
}

TEST(WorkedNumbers, B193_AggregateIsTheRatioOfTheSums) {
  // 1 GB in 1 ms and 1 MB in 0.1 ms: 0.910 TB/s together, not the 505 GB/s of the mean of rates.
  const Count bytes = Count{1'000'000'000} + Count{1'000'000};
  const Seconds time = second(1e-3) + second(1e-4);
  const Assessment found =
      judge(Kernel{.flops = Count{0}, .read_bytes = bytes}, a100(), {.time = time});
  EXPECT_TRUE(near(in_gb_per_s(*found.achieved_bandwidth), 910, 1e-12));
}

TEST(WorkedNumbers, B194_AtTheRidge) {
  // 295.1 on an H100 (989.4 over 3352: ridge 295.17) with 80 % of both: left of the ridge, within
  // its band, always.
  const Roofs h100 = both(tflop_per_s(989.4), gb_per_s(3352));
  const Account cost = account(Kernel{.intensity = flop_per_byte(295.1)});
  const Placement placed = place(cost, h100);
  EXPECT_EQ(placed.bound, Bound::memory);
  EXPECT_TRUE(placed.near_ridge);
  const Observation seen{.achieved = 0.8 * *placed.ceiling};
  EXPECT_EQ(assess(cost, h100, placed, seen).verdict, Verdict::at_memory_roof);
  EXPECT_EQ(assess(cost, h100, placed, seen).verdict, Verdict::at_memory_roof);
  // Exactly on the ridge is documented as the compute side.
  const Account on_ridge = account(Kernel{.intensity = *placed.ridge});
  EXPECT_EQ(place(on_ridge, h100).bound, Bound::compute);
}

}  // namespace
}  // namespace roofline
