// The two rooflines of a point, and which of several peaks of one type counts.
#include "roofline/rooflines.hpp"

#include "roofline/roof_book.hpp"
#include "support.hpp"

namespace roofline {
namespace {

using test::contains;
using test::near;

ComputeRoof peak(double tflops, Origin origin, PeakKey key = PeakKey::bf16) {
  return {tflop_per_s(tflops), key, Sparsity::dense, origin, "stated by the test"};
}

RoofEntry entry(const ComputeRoof& roof) { return {std::string(name(roof.key)), roof, ""}; }

RoofEntry memory(double gbs, Origin origin = Origin::measured) {
  return {"read", MemoryRoof{gb_per_s(gbs), Boundary::dram, origin, "stated by the test"}, ""};
}

Record timed(const Workload& workload, double seconds) {
  Record out;
  out.id = "point";
  out.workload = workload;
  out.account = account(workload);
  Measured result;
  result.time_median = second(seconds);
  result.verification.state = VerificationState::verified;
  out.outcome = result;
  return out;
}

constexpr Origin kAll[] = {Origin::datasheet, Origin::derived, Origin::clock_adjusted,
                           Origin::measured, Origin::user};

/// Origin of the peak that a GEMM is held against where all of `there` are known; the later of
/// the list are higher, so that height alone would choose the last.
Origin chosen(PeakOrder order, const std::vector<Origin>& there) {
  RoofBook book(order);
  double height = 100;
  for (const Origin origin : there) book.add(entry(peak(height += 10, origin)));
  const Workload gemm = Gemm{.m = 8, .n = 8, .k = 8};
  return book.roofs_for(gemm, account(gemm)).compute->origin;
}

TEST(PeakPrecedence, IsStatedNotTheHighest) {
  const std::vector<Origin> demonstrated = {Origin::user, Origin::measured, Origin::clock_adjusted,
                                            Origin::datasheet, Origin::derived};
  const std::vector<Origin> rated = {Origin::user, Origin::datasheet, Origin::derived,
                                     Origin::clock_adjusted, Origin::measured};
  for (std::size_t i = 0; i < std::size(kAll); ++i) {
    const auto at = static_cast<std::ptrdiff_t>(i);
    EXPECT_EQ(
        chosen(PeakOrder::demonstrated_first, {demonstrated.begin() + at, demonstrated.end()}),
        demonstrated[i]);
    EXPECT_EQ(chosen(PeakOrder::rated_first, {rated.begin() + at, rated.end()}), rated[i]);
  }
}

TEST(PeakPrecedence, ARoofOfTheUserWinsWhateverItsHeight) {
  RoofBook book;
  book.add(memory(36));
  book.add({"--bandwidth", MemoryRoof{gb_per_s(30), Boundary::dram, Origin::user, "option"}, ""});
  book.add({"kernel launch",
            OverheadRoof{second(1e-6), LaunchPath::kernel, Origin::measured, "empty call"}, ""});
  book.add({"--overhead", OverheadRoof{second(3e-6), LaunchPath::kernel, Origin::user, ""}, ""});
  const Workload read = Stream{.kind = StreamKind::read, .elements = 8};
  const Roofs found = book.roofs_for(read, account(read));
  EXPECT_EQ(found.memory->bandwidth, gb_per_s(30));
  EXPECT_EQ(found.overhead->time, second(3e-6));
}

TEST(RoofBook, APeakProbeAlsoShowsTheDerivedPeak) {
  // Two cores of 2 x 16 x 2 = 64 fp32 FLOP a cycle at 4.2 GHz: 537.6 GFLOP/s.
  RoofBook book;
  Record probe = timed(PeakProbe{.dtype = DType::fp32, .flops = 530'000'000}, 1e-3);
  std::get<Measured>(probe.outcome).clock = hertz(4.2e9);
  probe.implementation = {{"threads", std::uint64_t{2}}, {"ideal_flop_per_cycle", 64.0}};
  book.learn(probe);
  ASSERT_EQ(book.entries().size(), 2U);
  const auto& derived = std::get<ComputeRoof>(book.entries()[1].roof);
  EXPECT_EQ(derived.origin, Origin::derived);
  EXPECT_TRUE(near(in_flop_per_s(derived.peak), 537.6e9, 1e-12));
  EXPECT_EQ(derived.clock, hertz(4.2e9));
  // It is not what points are held against.
  const Workload gemm = Gemm{.m = 8, .n = 8, .k = 8, .input = DType::fp32};
  EXPECT_EQ(book.roofs_for(gemm, account(gemm)).compute->origin, Origin::measured);
}

TEST(RoofBook, WithoutClockOrFlopPerCycleThereIsNoDerivedPeak) {
  const Facts threads = {{"threads", std::uint64_t{2}}};
  Facts shared = {
      {"threads", std::uint64_t{2}}, {"ideal_flop_per_cycle", 64.0}, {"clock_hz", 4.2e9}};
  RoofBook book;
  Record probe = timed(PeakProbe{.dtype = DType::fp32, .flops = 530'000'000}, 1e-3);
  probe.implementation = threads;
  book.learn(probe);
  EXPECT_EQ(book.entries().size(), 1U);
  // Threads that share a core share its units.
  shared.push_back({"threads_share_cores", true});
  probe.implementation = shared;
  book.learn(probe);
  EXPECT_EQ(book.entries().size(), 1U);
  probe.implementation.pop_back();
  book.learn(probe);
  EXPECT_EQ(book.entries().size(), 2U);
}

// The seed's A100: 312 TFLOP/s dense over a sustained 1.5 TB/s; a stack that demonstrated 264 (its
// GEMMs reach 232, which is 88 % of that).
TEST(Rooflines, PlatformAndKernelOpportunityOfAComputeBoundPoint) {
  const Account gemm = account(Gemm{.m = 4096, .n = 4096, .k = 4096});
  const MemoryRoof sustained{gb_per_s(1500), Boundary::dram, Origin::measured, "read"};
  Assessment seen;
  seen.achieved = tflop_per_s(132);
  const Rooflines both =
      rooflines(gemm, {peak(312, Origin::datasheet), peak(264, Origin::measured)}, sustained, seen);
  EXPECT_EQ(both.hardware.ceiling, tflop_per_s(312));
  EXPECT_EQ(both.empirical.ceiling, tflop_per_s(264));
  EXPECT_TRUE(near(*both.platform_opportunity, 312.0 / 264, 1e-12));
  EXPECT_TRUE(near(*both.kernel_opportunity, 2.0, 1e-12));
}

TEST(Rooflines, LeftOfBothRidgesThereIsNoPlatformOpportunity) {
  // Intensity 1 under 1.5 TB/s is 1.5 TFLOP/s, whatever the peak.
  const Account decode =
      account(Kernel{.flops = Count{1000}, .read_bytes = Count{1000}, .dtype = DType::bf16});
  const MemoryRoof sustained{gb_per_s(1500), Boundary::dram, Origin::measured, "read"};
  Assessment seen;
  seen.achieved = tflop_per_s(1.2);
  const Rooflines both = rooflines(
      decode, {peak(312, Origin::datasheet), peak(264, Origin::measured)}, sustained, seen);
  EXPECT_TRUE(near(*both.platform_opportunity, 1.0, 1e-12));
  EXPECT_TRUE(near(*both.kernel_opportunity, 1.25, 1e-12));
}

TEST(Rooflines, ADatasheetBandwidthIsNoRooflineAndSaysSo) {
  const Account gemm = account(Gemm{.m = 64, .n = 64, .k = 64});
  const MemoryRoof rated{gb_per_s(2039), Boundary::dram, Origin::datasheet, "datasheet"};
  const Rooflines none = rooflines(gemm, {peak(312, Origin::datasheet), {}}, rated, {});
  EXPECT_FALSE(none.hardware.ceiling || none.empirical.ceiling);
  EXPECT_FALSE(none.platform_opportunity || none.kernel_opportunity);
  EXPECT_TRUE(contains(none.hardware.reason, "datasheet")) << none.hardware.reason;
  EXPECT_TRUE(contains(none.empirical.reason, "measured")) << none.empirical.reason;
  EXPECT_EQ(none.platform_reason, none.hardware.reason);
  EXPECT_FALSE(none.kernel_reason.empty());
}

TEST(Rooflines, OneCurveIsEnoughForTheKernelOpportunity) {
  const Account gemm = account(Gemm{.m = 4096, .n = 4096, .k = 4096});
  const MemoryRoof sustained{gb_per_s(1500), Boundary::dram, Origin::user, "--bandwidth"};
  Assessment seen;
  seen.achieved = tflop_per_s(156);
  const Rooflines one = rooflines(gemm, {peak(312, Origin::datasheet), {}}, sustained, seen);
  EXPECT_TRUE(near(*one.kernel_opportunity, 2.0, 1e-12));
  EXPECT_FALSE(one.platform_opportunity);
  EXPECT_EQ(one.platform_reason, one.empirical.reason);
}

TEST(Rooflines, ACopyIsComparedByItsBandwidth) {
  RoofBook book;
  book.add(memory(40));
  book.add(entry(peak(0.5, Origin::measured, PeakKey::fp64)));
  // 2 x 8 x 1e6 bytes in 1 ms: 16 of 40 GB/s.
  Record copy =
      timed(Stream{.kind = StreamKind::copy, .elements = 1'000'000, .dtype = DType::fp64}, 1e-3);
  place_record(copy, book);
  ASSERT_TRUE(copy.rooflines.kernel_opportunity) << copy.rooflines.kernel_reason;
  EXPECT_TRUE(near(*copy.rooflines.kernel_opportunity, 2.5, 1e-12));
  EXPECT_FALSE(copy.rooflines.platform_opportunity);
}

TEST(Rooflines, ASkippedPointHasItsCeilingsAndNoKernelOpportunity) {
  RoofBook book;
  book.add(memory(40));
  book.add(entry(peak(0.5, Origin::measured)));
  book.add(entry(peak(0.6, Origin::derived)));
  Record point = timed(Gemm{.m = 4096, .n = 4096, .k = 4096}, 1);
  point.outcome = Skipped{"not here"};
  place_record(point, book);
  EXPECT_TRUE(near(*point.rooflines.platform_opportunity, 1.2, 1e-12));
  EXPECT_FALSE(point.rooflines.kernel_opportunity);
  EXPECT_EQ(point.rooflines.kernel_reason, "nothing was measured");
}

// S13: bf16 work divided by the fp32 peak is 16 times too good; the book knows both.
TEST(RoofContext, TheBookTellsWhichOtherPeakWouldFit) {
  RoofBook book;
  book.add(memory(1500));
  book.add(entry(peak(19.5, Origin::datasheet, PeakKey::fp32)));
  book.add(entry(peak(312, Origin::datasheet)));
  const Gemm gemm{.m = 4096, .n = 4096, .k = 4096, .input = DType::fp32};
  Record point = timed(gemm, 2.0 * 4096 * 4096 * 4096 / 232e12);
  place_record(point, book);
  EXPECT_TRUE(point.assessment->impossible);
  const auto& causes = point.assessment->causes;
  EXPECT_TRUE(std::any_of(causes.begin(), causes.end(), [](const Cause& cause) {
    return cause.id == "wrong_dtype_peak" && contains(cause.text, "bf16");
  }));
  EXPECT_FALSE(std::any_of(causes.begin(), causes.end(),
                           [](const Cause& cause) { return cause.id == "sparse_peak"; }));
}

TEST(RoofContext, SparsePeakAndRatedBandwidthComeFromTheBook) {
  RoofBook book;
  book.add(memory(1500));
  book.add({"rated", MemoryRoof{gb_per_s(2039), Boundary::dram, Origin::datasheet, ""}, ""});
  book.add(entry(peak(312, Origin::datasheet)));
  ComputeRoof sparse = peak(624, Origin::datasheet);
  sparse.sparsity = Sparsity::sparse_2_4;
  book.add(entry(sparse));
  const Workload gemm = Gemm{.m = 8, .n = 8, .k = 8};
  const RoofContext context = book.context_for(book.roofs_for(gemm, account(gemm)));
  EXPECT_EQ(context.sparse_peak, tflop_per_s(624));
  ASSERT_TRUE(context.rated_memory.has_value());
  EXPECT_EQ(context.rated_memory->bandwidth, gb_per_s(2039));
  EXPECT_TRUE(context.other_peaks.empty());
}

}  // namespace
}  // namespace roofline
