#include "roofline/record.hpp"

#include <limits>

#include "support.hpp"

namespace roofline {
namespace {

using test::both;

/// 1e6 FLOP and 1e6 B: with these roofs 100 us of arithmetic and `memory_us` of traffic.
struct Case {
  Account cost = account(Kernel{.flops = Count{1'000'000}, .read_bytes = Count{1'000'000}});
  Roofs roofs;
  explicit Case(double memory_us) : roofs(both(flop_per_s(1e10), byte_per_s(1e12 / memory_us))) {}

  [[nodiscard]] ObservedSide at(double time_us,
                                std::optional<Bound> predicted = Bound::memory) const {
    Prediction prediction;
    prediction.side = predicted;
    return observe_side(cost, roofs, prediction, second(time_us * 1e-6));
  }
};

TEST(ObservedSide, IsTheTermThatTheTimeLiesNearerTo) {
  const Case memory_dominates(400);
  EXPECT_EQ(memory_dominates.at(400).side, Bound::memory);
  EXPECT_EQ(memory_dominates.at(900).side, Bound::memory);
  EXPECT_EQ(memory_dominates.at(100).side, Bound::compute);
  // Nearer as a ratio: 200 us is where both are a factor of two away.
  EXPECT_EQ(memory_dominates.at(201).side, Bound::memory);
  EXPECT_EQ(memory_dominates.at(199).side, Bound::compute);
  const Case compute_dominates(25);
  EXPECT_EQ(compute_dominates.at(110).side, Bound::compute);
  EXPECT_EQ(compute_dominates.at(26).side, Bound::memory);
}

TEST(ObservedSide, ConfirmsOrRefutesThePrediction) {
  const Case memory_dominates(400);
  EXPECT_EQ(memory_dominates.at(450, Bound::memory).agreement, Agreement::confirmed);
  EXPECT_EQ(memory_dominates.at(450, Bound::compute).agreement, Agreement::refuted);
  EXPECT_EQ(memory_dominates.at(450, std::nullopt).agreement, Agreement::undecided);
  EXPECT_EQ(memory_dominates.at(450, std::nullopt).side, Bound::memory);
}

TEST(ObservedSide, IsUndecidedNearTheRidge) {
  for (const double memory_us : {91.0, 100.0, 109.0}) {
    EXPECT_FALSE(Case(memory_us).at(150).side) << memory_us;
    EXPECT_EQ(Case(memory_us).at(150).agreement, Agreement::undecided);
  }
  EXPECT_TRUE(Case(112).at(150).side);
  EXPECT_TRUE(Case(89).at(150).side);
}

TEST(ObservedSide, NeedsBothTermsAndATime) {
  const Case known(400);
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(known.at(bad).side) << bad;
  }
  Case half(400);
  half.roofs.memory.reset();
  EXPECT_FALSE(half.at(400).side);
  half = Case(400);
  half.roofs.compute.reset();
  EXPECT_FALSE(half.at(400).side);
  half = Case(400);
  half.roofs.memory->boundary = Boundary::l2;
  EXPECT_FALSE(half.at(400).side);
  half = Case(400);
  half.roofs.memory->bandwidth = byte_per_s(0);
  EXPECT_FALSE(half.at(400).side);
  half = Case(400);
  half.cost = account(Stream{.kind = StreamKind::copy, .elements = 1000});
  EXPECT_FALSE(half.at(400).side);
  half.cost = account(PeakProbe{.flops = 1000});
  EXPECT_FALSE(half.at(400).side);
  half.cost = account(Kernel{.intensity = flop_per_byte(3)});
  EXPECT_FALSE(half.at(400).side);
}

TEST(Explanation, TheLeverIsThatOfTheVerdictAndElseOfTheBound) {
  Explanation explanation;
  EXPECT_TRUE(lever(explanation).empty());
  explanation.placement.bound = Bound::memory;
  EXPECT_EQ(lever(explanation), lever(Bound::memory));
  explanation.assessment.emplace();
  EXPECT_EQ(lever(explanation), lever(Bound::memory));  // nothing was judged
  explanation.assessment->verdict = Verdict::below_memory_roof;
  EXPECT_EQ(lever(explanation), lever(Verdict::below_memory_roof));
  explanation.placement.bound.reset();
  explanation.assessment->verdict = Verdict::impossible;
  EXPECT_EQ(lever(explanation), lever(Verdict::impossible));
}

TEST(Record, NamesOfStates) {
  EXPECT_EQ(name(VerificationState::verified), "verified");
  EXPECT_EQ(name(VerificationState::incorrect), "incorrect");
  EXPECT_EQ(name(VerificationState::unverified), "unverified");
  EXPECT_EQ(name(MeasurementEnd::converged), "converged");
  EXPECT_EQ(name(MeasurementEnd::budget_spent), "budget_spent");
  EXPECT_EQ(name(MeasurementEnd::contended), "contended");
  EXPECT_EQ(name(Agreement::confirmed), "confirmed");
  EXPECT_EQ(name(Agreement::refuted), "refuted");
  EXPECT_EQ(name(Agreement::undecided), "undecided");
}

TEST(Record, NamesOfOutcomes) {
  EXPECT_EQ(outcome_name(Measured{}), "measured");
  EXPECT_EQ(outcome_name(Skipped{}), "skipped");
  EXPECT_EQ(outcome_name(Failed{}), "failed");
  EXPECT_EQ(outcome_name(Incorrect{}), "incorrect");
  EXPECT_EQ(outcome_name(Record{}.outcome), "skipped");
}

TEST(Roof, Names) {
  EXPECT_EQ(name(Origin::datasheet), "datasheet");
  EXPECT_EQ(name(Origin::derived), "derived");
  EXPECT_EQ(name(Origin::clock_adjusted), "clock_adjusted");
  EXPECT_EQ(name(Origin::measured), "measured");
  EXPECT_EQ(name(Origin::user), "user");
  EXPECT_EQ(name(Sparsity::dense), "dense");
  EXPECT_EQ(name(Sparsity::sparse_2_4), "sparse_2_4");
}

}  // namespace
}  // namespace roofline
