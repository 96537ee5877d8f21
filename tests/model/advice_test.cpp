// Readings, the arithmetic of a kernel's gain and its verdict, and the two regimes of a lever, held
// against worked examples that state peak and bandwidth.
#include "model/advice.hpp"

#include <gtest/gtest.h>

#include "model/advice_regime.hpp"
#include "model/step_support.hpp"
#include "roofline/placement.hpp"

namespace roofline::model::test {
namespace {

using Kind = Reading::Kind;

constexpr double kGiB = 1024.0 * 1024 * 1024;

/// Llama-3.1-8B, batch 24, 4096 cached tokens, on 312 TFLOP/s; exact, minimal.
struct Flagship {
  explicit Flagship(double gb, const PlanOptions& options = {})
      : bounds(bound(plan_of("llama-3.1-8b", {}, options), std::vector{decode(24, 4096)},
                     roofs(312, gb))),
        read{bounds.work, bounds.traffic, 24, tflop_per_s(312)} {}
  [[nodiscard]] Held at_six_percent() const {
    return hold(observed_time({Kind::mfu, 0.06}, read), bounds.floor(), kImpossible);
  }
  StepBounds bounds;
  ReadStep read;
};

// ---- readings ----

TEST(Reading, EveryKindSaysTheSame) {
  const ReadStep step{flop(3e12), byte(4e9), 24, tflop_per_s(300)};
  const Seconds time = observed_time({Kind::mfu, 0.5}, step);
  EXPECT_DOUBLE_EQ(in_second(time), 0.02);
  EXPECT_DOUBLE_EQ(in_second(observed_time({Kind::tokens_per_s, 1200}, step)), 0.02);
  EXPECT_DOUBLE_EQ(in_second(observed_time({Kind::bandwidth, 200e9}, step)), 0.02);
  EXPECT_DOUBLE_EQ(in_second(observed_time({Kind::step_time, 0.02}, step)), 0.02);
}

TEST(Reading, SixPercentOfTheFlagship) {
  EXPECT_NEAR(Flagship(2039).at_six_percent().of_ceiling, 0.622, 0.0005);
  EXPECT_NEAR(Flagship(1500).at_six_percent().of_ceiling, 0.845, 0.0005);
  PlanOptions two_n;
  two_n.counting.convention = WorkConvention::two_n;
  two_n.account = TrafficAccount::all_weights;
  EXPECT_NEAR(Flagship(1500, two_n).at_six_percent().of_ceiling, 0.937, 0.0005);
}

// S19: 2N, no cache to speak of.
TEST(Reading, SixTenthsOfAPercentIsMostOfTheBoundOfBatchOne) {
  PlanOptions options;
  options.counting.convention = WorkConvention::two_n;
  options.account = TrafficAccount::all_weights;
  const StepBounds bounds =
      bound(plan_of("llama-3.1-8b", {}, options), std::vector{decode(1, 1)}, roofs(312, 2039));
  const Seconds time =
      observed_time({Kind::mfu, 0.006}, {bounds.work, bounds.traffic, 1, tflop_per_s(312)});
  EXPECT_NEAR(hold(time, bounds.floor(), kImpossible).of_ceiling, 0.918, 0.0005);
}

TEST(Reading, AboveTheRoofIsNeverClipped) {
  const Held close = hold(second(1), second(1.02), kImpossible);
  EXPECT_TRUE(close.above_roof);
  EXPECT_FALSE(close.impossible);
  const Held beyond = hold(second(1), second(4), kImpossible);
  EXPECT_TRUE(beyond.impossible);
  EXPECT_DOUBLE_EQ(beyond.of_ceiling, 4);
  EXPECT_FALSE(hold(second(1), second(1), kImpossible).above_roof);
  EXPECT_FALSE(hold(second(1), second(1.2), kImpossibleOverMeasured).impossible);
}

// ---- kernels ----

TEST(KernelGain, OfTheWholeStepIsTheWayToItsFloor) {
  EXPECT_NEAR(kernel_gain(1, Flagship(2039).at_six_percent().of_ceiling), 1.608, 0.0005);
}

// An int4 matrix-vector product in 1.958 of 2.802 ms, at 15.6 to 62 % of 1808 GB/s measured
// (onnxruntime issue 32382).
TEST(KernelGain, OfAProductThatIsFarBelowItsRoof) {
  const double share = 1.958 / 2.802;
  const Range gain = kernel_gain(share, Range{0.156, 0.62});
  EXPECT_NEAR(gain.low, 1.36, 0.005);
  EXPECT_NEAR(gain.high, 2.44, 0.005);
}

TEST(KernelJudgement, NeedsBothAGainAndAGap) {
  const Range gap{0.156, 0.62};
  EXPECT_EQ(judge_kernel({1.36, 2.44}, gap, 1.0).justified, Answer::yes);
  // The flagship: 62 % of its roof leaves a gap, but settings gain more.
  const KernelJudgement flagship = judge_kernel({1.608, 1.608}, {0.622, 0.622}, 2.0);
  EXPECT_EQ(flagship.below_roof, Answer::yes);
  EXPECT_EQ(flagship.passes_levers, Answer::no);
  EXPECT_EQ(flagship.justified, Answer::no);
  // A quantised head is left in 16 bits: still no.
  EXPECT_EQ(judge_kernel({1.608, 1.608}, {0.622, 0.622}, 1.927).justified, Answer::no);
  // By single levers alone it would have been yes: that is why joint ones count.
  EXPECT_EQ(judge_kernel({1.608, 1.608}, {0.622, 0.622}, 1.581).justified, Answer::yes);
  // At its roof, whatever it gains.
  EXPECT_EQ(judge_kernel({1.4, 1.4}, {0.7, 0.7}, 1).justified, Answer::no);
  EXPECT_EQ(judge_kernel({1.4, 1.4}, {0.699, 0.699}, 1).justified, Answer::yes);
}

/// A reading that was worked out from 70 % is 70 %, whatever its last digit.
TEST(KernelJudgement, RoundingIsNoGap) {
  EXPECT_TRUE(at_roof(0.7));
  EXPECT_TRUE(at_roof(0.7 - 1e-12));
  EXPECT_FALSE(at_roof(0.69999));
  EXPECT_EQ(judge_kernel({2, 2}, {0.7 - 1e-12, 0.7 - 1e-12}, 1).below_roof, Answer::no);
}

TEST(KernelJudgement, ARangeOnBothSidesIsOpen) {
  EXPECT_EQ(judge_kernel({1.36, 2.44}, {0.156, 0.62}, 2).justified, Answer::undecided);
  EXPECT_EQ(judge_kernel({1.36, 2.44}, {0.156, 0.62}, 2.44).justified, Answer::no);
  EXPECT_EQ(judge_kernel({1.1, 2}, {0.3, 0.9}, 1).justified, Answer::undecided);
}

TEST(SpeculativeDecoding, ExpectedTokens) {
  EXPECT_DOUBLE_EQ(expected_tokens(0.7, 4), 1 + 0.7 + 0.49 + 0.343 + 0.2401);
  EXPECT_DOUBLE_EQ(expected_tokens(1, 4), 5);
  EXPECT_DOUBLE_EQ(expected_tokens(0.5, 0), 1);
}

// ---- regimes ----

WeightFormat four_bits() {
  return {.name = "int4-g128",
          .bits = 4,
          .scale_bits = 16,
          .zero_bits = 16,
          .group_rows = 1,
          .group_columns = 128};
}

struct Stored {
  std::optional<WeightFormat> weights;
  bool cache_in_8 = false;
  bool head_in_16 = false;
};

StepPlan flagship_plan(const Stored& stored) {
  const Architecture model = read(config("llama-3.1-8b"));
  StepTypes types = types_of(model);
  if (stored.weights) types.weights = stored_as(types.weights, *stored.weights);
  if (stored.head_in_16) std::erase(types.weights.classes, TensorClass::lm_head);
  if (stored.cache_in_8) types.kv = DType::fp8_e4m3;
  return {model, types, {}};
}

const Load kFlagshipLoad{decode(1, 4096), {}, 1};

double fixed_gain(const Stored& stored) {
  const double base = yield_of(flagship_plan({}), kFlagshipLoad, a100(), 24).tokens_per_s;
  return yield_of(flagship_plan(stored), kFlagshipLoad, a100(), 24).tokens_per_s / base;
}

TEST(Levers, OfTheFlagshipAtItsBatch) {
  const WeightFormat eight = plain_format(DType::int8);
  EXPECT_NEAR(fixed_gain({eight}), 1.368, 0.0005);
  EXPECT_NEAR(fixed_gain({eight, false, true}), 1.334, 0.0005);
  EXPECT_NEAR(fixed_gain({four_bits()}), 1.653, 0.0005);
  EXPECT_NEAR(fixed_gain({four_bits(), false, true}), 1.581, 0.0005);
  EXPECT_NEAR(fixed_gain({{}, true}), 1.300, 0.0005);
  EXPECT_NEAR(fixed_gain({eight, true}), 2.00, 0.005);
  EXPECT_NEAR(fixed_gain({eight, true, true}), 1.93, 0.005);
  EXPECT_NEAR(fixed_gain({four_bits(), true}), 2.67, 0.005);
  EXPECT_NEAR(fixed_gain({four_bits(), true, true}), 2.49, 0.005);
}

/// 0.9 x 80 GiB less 2 GB.
Room room_of_80_gib() {
  Room out;
  out.memory = MemoryBudget{byte(80 * kGiB), 0.9, byte(2e9)};
  return out;
}

void expect_at_capacity(const Stored& stored, std::uint64_t batch, double tokens_per_s) {
  const StepPlan plan = flagship_plan(stored);
  const auto allowed = allowed_batch(plan, kFlagshipLoad, a100(), room_of_80_gib());
  ASSERT_TRUE(allowed);
  EXPECT_EQ(allowed->batch, batch);
  EXPECT_EQ(allowed->by, BatchLimit::memory);
  EXPECT_NEAR(yield_of(plan, kFlagshipLoad, a100(), batch).tokens_per_s, tokens_per_s, 0.6);
}

TEST(Levers, OfTheFlagshipAtCapacity) {
  const WeightFormat eight = plain_format(DType::int8);
  expect_at_capacity({}, 110, 3028);
  expect_at_capacity({eight}, 124, 3413);
  expect_at_capacity({{}, true}, 220, 6057);
  expect_at_capacity({eight, true}, 248, 6826);
  expect_at_capacity({four_bits(), true}, 261, 7187);
}

TEST(AllowedBatch, TheLowestLimitIsNamed) {
  const StepPlan plan = flagship_plan({});
  Room room = room_of_80_gib();
  // 48 sequences take 20.0 ms, 49 more.
  room.deadline = second(20.01e-3);
  auto allowed = allowed_batch(plan, kFlagshipLoad, a100(), room);
  EXPECT_EQ(allowed->batch, 48U);
  EXPECT_EQ(allowed->by, BatchLimit::deadline);
  room.demand = 7;
  allowed = allowed_batch(plan, kFlagshipLoad, a100(), room);
  EXPECT_EQ(allowed->batch, 7U);
  EXPECT_EQ(allowed->by, BatchLimit::demand);
  room.deadline = second(1e-3);
  EXPECT_EQ(allowed_batch(plan, kFlagshipLoad, a100(), room)->batch, 0U);
  EXPECT_FALSE(allowed_batch(plan, kFlagshipLoad, a100(), {}));
}

// Five rows a sequence cost a memory-bound step no byte of weights or of the cached tokens more.
TEST(AllowedBatch, DraftedTokensRideOnTheSameRead) {
  const StepPlan plan = flagship_plan({});
  Load load = kFlagshipLoad;
  load.each.fresh = 5;
  load.each.logits = 5;
  load.tokens_each = expected_tokens(0.7, 4);
  const Yield plain = yield_of(plan, kFlagshipLoad, a100(), 24);
  const Yield drafted = yield_of(plan, load, a100(), 24);
  EXPECT_NEAR(drafted.tokens_per_s / plain.tokens_per_s, load.tokens_each, 0.003);
  EXPECT_LT(drafted.time_per_token, plain.time_per_token);
}

}  // namespace
}  // namespace roofline::model::test
