// The best product of a type as the third thing that a GPU's products are held against, beside the
// rated peak and the same at the clock of the samples.
#include "roofline/roof_book.hpp"

#include "support.hpp"

namespace roofline {
namespace {

using test::near;

// The dense bf16 peak of an H100 SXM, and a GEMM of 137 GFLOP.
constexpr double kRated = 989.4;
const Gemm kSquare{.m = 4096, .n = 4096, .k = 4096};

Record timed(const Gemm& gemm, double tflops, MeasurementEnd end = MeasurementEnd::converged) {
  Record out;
  out.workload = gemm;
  out.account = account(gemm);
  out.id = "gemm/" + std::to_string(gemm.m) + "_" + std::string(name(gemm.data)) + "_" +
           std::string(name(gemm.duration));
  Measured result;
  result.time_median = flop(out.account.work->as_double()) / tflop_per_s(tflops);
  result.verification.state = VerificationState::verified;
  result.clock = hertz(1.4e9);
  result.end = end;
  out.outcome = result;
  return out;
}

RoofBook gpu() {
  RoofBook book(PeakOrder::rated_first);
  ComputeRoof rated{tflop_per_s(kRated), PeakKey::bf16, Sparsity::dense, Origin::datasheet,
                    "sheet"};
  rated.clock = hertz(1.83e9);
  book.add({"bf16", rated, ""});
  book.add({"read", MemoryRoof{gb_per_s(3100), Boundary::dram, Origin::measured, "read"}, "s"});
  return book;
}

Record placed(const RoofBook& book, Record record) {
  place_record(record, book);
  return record;
}

TEST(BestProduct, APointHasThreeRatiosEachBesideItsPeak) {
  RoofBook book = gpu();
  const Record best = timed(kSquare, 700);
  book.learn(best);
  Gemm flat = kSquare;
  flat.m = 512;
  const Record point = placed(book, timed(flat, 350));
  EXPECT_TRUE(near(*point.assessment->mfu, 350 / kRated, 1e-12));
  EXPECT_EQ(point.roofs.compute->origin, Origin::datasheet);
  EXPECT_TRUE(near(*point.assessment->clock_adjusted_mfu, 350 / (kRated * 1.4 / 1.83), 1e-12));
  EXPECT_TRUE(near(*point.rooflines.best_measured_mfu, 0.5, 1e-12));
  EXPECT_TRUE(near(in_tflop_per_s(point.rooflines.empirical.peak->peak), 700, 1e-12));
  EXPECT_EQ(point.rooflines.empirical.peak->origin, Origin::measured);
  EXPECT_EQ(point.rooflines.empirical.point, best.id);
}

TEST(BestProduct, IsNoRoofOfItsOwnPoint) {
  RoofBook book = gpu();
  const Record slow = timed(kSquare, 120);
  book.learn(slow);
  const Record point = placed(book, slow);
  EXPECT_FALSE(point.defines_roof) << "12 % of the peak needs an explanation";
  EXPECT_TRUE(near(*point.assessment->of_ceiling, 120 / kRated, 1e-12));
  EXPECT_EQ(point.rooflines.best_measured_mfu, 1.0);
}

TEST(BestProduct, TheFastestOfItsTypeCounts) {
  RoofBook book = gpu();
  for (const double rate : {500.0, 700.0, 600.0}) book.learn(timed(kSquare, rate));
  EXPECT_TRUE(near(in_tflop_per_s(book.peaks_for(kSquare).empirical->peak), 700, 1e-12));
  Gemm other = kSquare;
  other.input = DType::fp32;
  EXPECT_FALSE(book.peaks_for(other).empirical);
}

TEST(BestProduct, OtherDataThanRandomAndDoubtfulFiguresAreNone) {
  const auto none = [](const Record& record) {
    RoofBook book = gpu();
    const std::size_t before = book.entries().size();
    book.learn(record);
    return book.entries().size() == before;
  };
  for (const DataPattern data : {DataPattern::zeros, DataPattern::ones, DataPattern::integers}) {
    Gemm gemm = kSquare;
    gemm.data = data;
    EXPECT_TRUE(none(timed(gemm, 850))) << name(data);
  }
  for (const MeasurementEnd end : {MeasurementEnd::throttled, MeasurementEnd::contended,
                                   MeasurementEnd::interrupted, MeasurementEnd::placement_unstable})
    EXPECT_TRUE(none(timed(kSquare, 850, end))) << name(end);
  Record unverified = timed(kSquare, 850);
  std::get<Measured>(unverified.outcome).verification.state = VerificationState::unverified;
  EXPECT_TRUE(none(unverified));
  EXPECT_FALSE(none(timed(kSquare, 850)));
}

TEST(BestProduct, ABurstIsTheRoofOfBurstsAlone) {
  RoofBook book = gpu();
  Gemm burst = kSquare;
  burst.duration = LoadDuration::burst;
  Gemm sustained = kSquare;
  sustained.duration = LoadDuration::sustained;
  book.learn(timed(burst, 760));
  EXPECT_FALSE(book.peaks_for(sustained).empirical) << "nothing sustained is known yet";
  EXPECT_FALSE(placed(book, timed(sustained, 700)).rooflines.best_measured_mfu);
  book.learn(timed(sustained, 700));
  EXPECT_TRUE(near(in_tflop_per_s(book.peaks_for(sustained).empirical->peak), 700, 1e-12));
  EXPECT_TRUE(near(in_tflop_per_s(book.peaks_for(kSquare).empirical->peak), 700, 1e-12));
  EXPECT_TRUE(near(in_tflop_per_s(book.peaks_for(burst).empirical->peak), 760, 1e-12));
  EXPECT_EQ(book.entries().size(), 4U) << "both stand in the report";
}

TEST(BestProduct, IsNoSubstituteForAPeakThatIsNotKnown) {
  RoofBook book(PeakOrder::rated_first);
  book.explain_missing_peaks("a virtual GPU");
  book.learn(timed(kSquare, 300));
  const Record point = placed(book, timed(kSquare, 150));
  EXPECT_FALSE(point.roofs.compute || point.assessment->mfu || point.assessment->of_ceiling);
  EXPECT_TRUE(test::contains(point.roofs.compute_reason, "virtual"));
  EXPECT_TRUE(near(*point.rooflines.best_measured_mfu, 0.5, 1e-12)) << "this it can say";
}

TEST(BestProduct, ACpuKeepsItsProbe) {
  RoofBook book;
  book.learn(timed(kSquare, 0.5));
  EXPECT_TRUE(book.entries().empty());
  Record probe;
  probe.id = "peak/bf16/registers";
  probe.workload = PeakProbe{.dtype = DType::bf16, .flops = 1'000'000'000};
  probe.account = account(probe.workload);
  Measured result;
  result.time_median = second(1e-3);
  result.verification.state = VerificationState::verified;
  result.end = MeasurementEnd::converged;
  probe.outcome = result;
  book.learn(probe);
  const Record point = placed(book, timed(kSquare, 0.5));
  EXPECT_TRUE(near(*point.rooflines.best_measured_mfu, 0.5, 1e-12));
  EXPECT_EQ(point.rooflines.empirical.point, "peak/bf16/registers");
}

TEST(BestProduct, OfDoublesBelongsToTheRowItIsHeldAgainst) {
  // With tensor units for doubles (A100) and without (T4): 19.5 and 0.25 TFLOP/s.
  Gemm doubles = kSquare;
  doubles.input = DType::fp64;
  for (const PeakKey key : {PeakKey::fp64_tensor, PeakKey::fp64}) {
    RoofBook book(PeakOrder::rated_first);
    book.add(
        {"rated", ComputeRoof{tflop_per_s(10), key, Sparsity::dense, Origin::datasheet, ""}, ""});
    book.learn(timed(doubles, 8));
    ASSERT_TRUE(book.peaks_for(doubles).empirical);
    EXPECT_EQ(book.peaks_for(doubles).empirical->key, key);
  }
}

TEST(BestProduct, WithoutAnyThereIsAReason) {
  const Record point = placed(gpu(), timed(kSquare, 350));
  EXPECT_FALSE(point.rooflines.best_measured_mfu);
  EXPECT_TRUE(test::contains(point.rooflines.best_measured_reason, "measured"));
  Record skipped = timed(kSquare, 350);
  skipped.outcome = Skipped{"no"};
  EXPECT_EQ(placed(gpu(), skipped).rooflines.best_measured_reason, "nothing was measured");
}

}  // namespace
}  // namespace roofline
