// Worked examples about whole models: ids S from the specification, W from publications. Every test
// names the convention of its row and states peak and bandwidth itself.
#include <gtest/gtest.h>

#include "model/step_support.hpp"
#include "roofline/account.hpp"
#include "roofline/placement.hpp"

namespace roofline::model::test {
namespace {

StepPlan plan_as_stored(const Architecture& model, const PlanOptions& options = {}) {
  return {model, types_of(model), options};
}

ComputeRoof stated_peak(double bf16_tflop_per_s) {
  return {tflop_per_s(bf16_tflop_per_s), PeakKey::bf16, Sparsity::dense, Origin::user, "the row"};
}

/// Weights and cache both of 8 bits, arithmetic of 16.
StepPlan int8_plan(const Architecture& model) {
  StepTypes types = types_of(model);
  types.kv = DType::int8;
  return {model, types, {}};
}

TEST(StepSeeds, S05_OneSequenceIn2N) {
  // 2N, all weights, no cache: 2 FLOP and 2 bytes for each of 8.03e9 parameters.
  const StepBounds b = bounds_of(plan_of("llama-3.1-8b", {}, two_n()), decode(1, 0), a100());
  EXPECT_DOUBLE_EQ(b.work / b.traffic / flop_per_byte(1), 1.0);
  EXPECT_NEAR(in_tflop_per_s(b.work / b.floor()), 2.039, 1e-9);
  EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(312)), 0.006535, 5e-7);
  EXPECT_TRUE(within(milliseconds(b.floor()), 7.876, 1e-4));
  EXPECT_TRUE(b.memory_bound());
}

TEST(StepSeeds, S06_ThirtyTwoSequencesIn2N) {
  const StepPlan plan = plan_of("llama-3.1-8b", {}, two_n());
  const StepBounds b = bounds_of(plan, decode(32, 2048), a100());
  EXPECT_TRUE(within(in_flop(b.work), 5.1392e11, 1e-4));
  const ByClass classes = classes_of(plan, {decode(32, 2048)}, a100());
  EXPECT_EQ(traffic_of(classes, StepClass::kv_read), 8'589'934'592.0);
  EXPECT_NEAR(in_flop_per_byte(b.work / b.traffic), 20.849, 1e-3);
  EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(312)), 0.1363, 5e-5);
}

TEST(StepSeeds, S11_TheExerciseIn2N) {
  const StepPlan plan = plan_of("llama-3.1-8b", {}, two_n());
  const StepBounds b = bounds_of(plan, decode(24, 4096), a100());
  EXPECT_TRUE(within(in_flop(b.work), 3.8544e11, 1e-4));
  const ByClass classes = classes_of(plan, {decode(24, 4096)}, a100());
  EXPECT_EQ(traffic_of(classes, StepClass::kv_read), 12'884'901'888.0);
  EXPECT_NEAR(in_flop_per_byte(b.work / b.traffic), 13.316, 1e-3);
  EXPECT_NEAR(in_tflop_per_s(b.work / b.floor()), 27.15, 5e-3);
  EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(312)), 0.08703, 5e-6);
  const StepBounds sustained = bounds_of(plan, decode(24, 4096), roofs(312, 1500));
  EXPECT_NEAR(mfu_ceiling(sustained, tflop_per_s(312)), 0.06402, 5e-6);
  EXPECT_NEAR(0.06 / mfu_ceiling(sustained, tflop_per_s(312)), 0.94, 5e-3);
}

TEST(StepSeeds, S19_SixTenthsOfAPercentIsNinetyTwoPercentOfTheCeiling) {
  const StepBounds b = bounds_of(plan_of("llama-3.1-8b", {}, two_n()), decode(1, 0), a100());
  EXPECT_NEAR(0.006 / mfu_ceiling(b, tflop_per_s(312)), 0.918, 5e-4);
}

TEST(StepSeeds, S20_OneShareOfAStepAndOfItsProducts) {
  // 64 sequences of 8192 and a chunk of 128 riding along; exact convention, minimal account. What
  // is nearly all that the step can show is a fifth of what its largest product can.
  const StepPlan plan = plan_of("llama-3.1-8b");
  const Step mixed{decode(64, 8192), chunk(1, 0, 128, false)};
  const StepBounds b = bound(plan, mixed, a100());
  EXPECT_TRUE(b.memory_bound());
  const double share = 0.2;
  EXPECT_GT(share / mfu_ceiling(b, tflop_per_s(312)), 0.8);
  for (const OperationBound& one : bound_operations(plan, mixed, a100())) {
    if (one.operation->name != "gate_up") continue;
    EXPECT_FALSE(one.memory_bound());
    EXPECT_DOUBLE_EQ(share / (one.cost.work / (tflop_per_s(312) * one.time())), share);
  }
}

TEST(StepSeeds, S24_WeightsAloneIn2N) {
  const StepBounds b = bounds_of(plan_of("llama-3.1-8b", {}, two_n()), decode(32, 0), a100());
  EXPECT_DOUBLE_EQ(in_flop_per_byte(b.work / b.traffic), 32.0);
}

TEST(StepPublished, W10_WeightsAloneOf200Billion) {
  // Minimal account, all parameters multiplied: 4e11 bytes over 32 chips of 1.23 TB/s.
  const StepPlan plan = plan_as_stored(nominal(200'000'000'000, 2, DType::bf16));
  const StepBounds b = bounds_of(plan, decode(1, 0), roofs(32 * 275, 32 * 1230));
  EXPECT_NEAR(milliseconds(b.floor()), 10.16, 0.005);
}

TEST(StepPublished, W11_CriticalBatchOverALink) {
  const StepPlan plan = plan_as_stored(nominal(70'000'000'000, 2, DType::bf16));
  const StepRoofs link = roofs(920, 15);
  const DecodeLimits limits =
      decode_limits(decode_law(plan, 0, link), link.bandwidth, tflop_per_s(920));
  ASSERT_TRUE(limits.ridge_batch);
  EXPECT_TRUE(within(*limits.ridge_batch, 61'333, 1e-4));
  // And by the steps themselves.
  EXPECT_TRUE(bounds_of(plan, decode(61'300, 0), link).memory_bound());
  EXPECT_FALSE(bounds_of(plan, decode(61'400, 0), link).memory_bound());
}

TEST(StepPublished, W12_WeightsThenCache) {
  // 30e9 parameters of 8 bits, 100 kB of cache a token, computed in 16 bits; 16 chips of 810 GB/s
  // and 197 TFLOP/s. The row adds the cache to the slower of weights and arithmetic, which is the
  // bound of operations one after another.
  const StepPlan plan = int8_plan(nominal(30'000'000'000, 100'000, DType::int8));
  const StepRoofs chips = roofs(16 * 197, 16 * 810);
  EXPECT_NEAR(milliseconds(bounds_of(plan, decode(4, 8192), chips).serial), 2.57, 0.005);
  EXPECT_NEAR(milliseconds(bounds_of(plan, decode(256, 8192), chips).serial), 21.05, 0.02);
  // All at once, the traffic hides the arithmetic.
  EXPECT_NEAR(milliseconds(bounds_of(plan, decode(256, 8192), chips).floor()), 18.50, 0.01);
}

TEST(StepPublished, W14_Llama70BIn8Bits) {
  // 70e9 parameters and 80 layers x 8 heads x 128 x 2 values a token, of 8 bits both.
  const StepPlan plan = int8_plan(nominal(70'000'000'000, 163'840, DType::int8));
  const StepBounds b = bounds_of(plan, decode(32, 8192), roofs(8 * 197, 8 * 810));
  EXPECT_NEAR(milliseconds(b.floor()), 17.4, 0.05);
  EXPECT_TRUE(within(rate_of(32, b) / 8, 235, 0.04));
}

TEST(StepPublished, W15_PrefillIn2N) {
  // 70e9 parameters, 2N, no attention: 8192 tokens on 16 chips of 197 TFLOP/s at 40 %.
  const StepPlan plan = plan_as_stored(nominal(70'000'000'000, 2, DType::bf16), two_n());
  const StepBounds b = bounds_of(plan, prefill(1, 8192), roofs(16 * 197, 16 * 820));
  EXPECT_EQ(in_flop(b.work), 2 * 70e9 * 8192);
  EXPECT_NEAR(in_second(b.work / (0.4 * tflop_per_s(16 * 197))), 0.910, 5e-4);
}

TEST(StepPublished, W16_Llama2_13BOnEightChips) {
  // All parameters, bf16; 8 chips of 820 GB/s.
  const Architecture model = read(relative("llama-2-13b"));
  const StepPlan plan = plan_as_stored(model, counted_by(TrafficAccount::all_weights));
  for (const auto& [batch, expected] :
       {std::pair{1U, 4.98}, {8U, 12.13}, {16U, 20.30}, {32U, 36.65}}) {
    const StepBounds b = bounds_of(plan, decode(batch, 8192), roofs(8 * 197, 8 * 820));
    EXPECT_TRUE(within(milliseconds(b.floor()), expected, 3e-3)) << batch;
  }
}

TEST(StepPublished, W25_AttentionEqualsItsProjectionsAtTwiceTheWidth) {
  // Full attention, as many KV heads as query heads, width 4096: exactly at 8192 tokens.
  PlanOptions options;
  options.counting.attended = Pairs::full;
  const StepPlan plan = plan_of("llama-2-7b", {}, options);
  options.counting.attention = false;
  const StepPlan without = plan_of("llama-2-7b", {}, options);
  const auto attention_less_projections = [&](std::uint64_t tokens) {
    const ByClass classes = classes_of(plan, {prefill(1, tokens)}, a100());
    return in_flop(bounds_of(plan, prefill(1, tokens), a100()).work -
                   bounds_of(without, prefill(1, tokens), a100()).work) -
           work_of(classes, StepClass::qkv) - work_of(classes, StepClass::attention_output);
  };
  EXPECT_EQ(attention_less_projections(8192), 0);
  EXPECT_LT(attention_less_projections(8191), 0);
}

/// What a convention counts moves the numerator of MFU, and no time.
TEST(StepPublished, AConventionMovesNoTime) {
  for (const WorkConvention convention :
       {WorkConvention::exact, WorkConvention::two_n, WorkConvention::palm}) {
    PlanOptions options;
    options.counting.convention = convention;
    const StepBounds b = bounds_of(plan_of("llama-3.1-8b", {}, options), prefill(24, 4096), a100());
    // 24 x 4096 x 2 x 6,979,321,856, the head on 24 rows, 24 x 4096 x 4097 / 2 pairs.
    EXPECT_DOUBLE_EQ(in_flop(b.executed), 24 * (8192.0 * 6'979'321'856 + 2.0 * 525'336'576 +
                                                4096.0 * 4097 / 2 * 524'288));
    EXPECT_DOUBLE_EQ(in_second(b.floor()), in_flop(b.executed) / 312e12);
  }
}

/// The cheaper form of attention over latents, for each request.
TEST(StepPublished, LatentsAreTakenAsIsCheaper) {
  const auto executed = [](LatentForm form, const Step& step) {
    PlanOptions options;
    options.latent = form;
    return in_flop(bound(plan_of("deepseek-v3", {}, options), step, a100()).executed);
  };
  const Step batch{decode(64, 8192)};
  const Step prompt{chunk(1, 0, 2048, false)};
  const Step tail{chunk(1, 32'768, 1, true)};
  const Step mixed{batch[0], chunk(1, 4096, 2048, false)};
  EXPECT_EQ(executed(LatentForm::cheapest, batch), executed(LatentForm::absorbed, batch));
  EXPECT_EQ(executed(LatentForm::cheapest, prompt), executed(LatentForm::expanded, prompt));
  EXPECT_EQ(executed(LatentForm::cheapest, tail), executed(LatentForm::absorbed, tail));
  EXPECT_LT(executed(LatentForm::cheapest, mixed), executed(LatentForm::absorbed, mixed));
  EXPECT_LT(executed(LatentForm::cheapest, mixed), executed(LatentForm::expanded, mixed));
}

TEST(StepPublished, W26_AttentionOfDecodeTendsToItsGroupSize) {
  // Query and result of the attention itself counted: S G / (S + G), which tends to G.
  PlanOptions options = counted_by(TrafficAccount::full);
  options.fusion = Fusion::products;
  for (const auto& [name, group] : {std::pair{"llama-2-7b", 1.0},
                                    {"llama-3.1-8b", 4.0},
                                    {"llama-3.1-70b", 8.0},
                                    {"llama-3.1-405b", 16.0}}) {
    const StepPlan plan = plan_of(name, {}, options);
    const Operation& attention = operation_of(plan, "attention");
    for (const double s : {1024.0, 8192.0, 131'072.0}) {
      const Step step{decode(1, static_cast<std::uint64_t>(s))};
      const OperationCost cost = plan.cost(attention, step, rows_of(step));
      const double found = in_flop_per_byte(cost.work / plan.traffic(cost));
      EXPECT_TRUE(within(found, s * group / (s + group), 0.01)) << name << " " << s;
    }
    const Step longest{decode(1, 4'000'000'000)};
    const OperationCost cost = plan.cost(attention, longest, rows_of(longest));
    EXPECT_NEAR(in_flop_per_byte(cost.work / plan.traffic(cost)), group, 1e-6 * group) << name;
  }
}

TEST(StepPublished, W27_WeightsOf52Billion) {
  // 12 L D^2 parameters: no gate, MLP of 4 D, the head left out.
  Architecture model;
  model.hidden = 8192;
  model.vocabulary = 1;
  model.tied = true;
  Layer layer;
  layer.attention = Attention{.query_heads = 64, .kv_heads = 64, .qk_dim = 128, .value_dim = 128};
  layer.feed_forward = Mlp{.width = std::uint64_t{4} * 8192, .gated = false};
  model.layers.push_back({layer, 64});
  const StepRoofs device = roofs(312, 1500);
  const StepPlan plan = plan_as_stored(model);
  const ByClass classes = classes_of(plan, {decode(1, 0)}, device);
  const StepBounds b = bounds_of(plan, decode(1, 0), device);
  EXPECT_EQ(in_byte(b.traffic) - traffic_of(classes, StepClass::lm_head),
            2.0 * 12 * 64 * 8192 * 8192);
  EXPECT_NEAR(milliseconds(b.floor()), 68.72, 0.005);
  // Weights alone: the ridge is peak over bandwidth.
  const DecodeLimits limits =
      decode_limits(decode_law(plan, 0, device), device.bandwidth, tflop_per_s(312));
  EXPECT_TRUE(within(limits.ridge_batch.value_or(0), 208, 1e-3));
}

TEST(StepPublished, W44_Mistral7BOnAConsumerCard) {
  const Architecture model = read(config("mistral-7b-v0.1"));
  EXPECT_NEAR(count_parameters(model).matmul_active.as_double() / 1e6, 7110.4, 0.05);
  const StepRoofs card = roofs(165, 1008);
  EXPECT_NEAR(milliseconds(bounds_of(plan_as_stored(model), decode(1, 0), card).floor()), 14.11,
              0.005);
  const StepPlan fp8(model, stored(model, plain_format(DType::fp8_e4m3), true), {});
  EXPECT_NEAR(milliseconds(bounds_of(fp8, decode(1, 0), card).floor()), 7.05, 0.005);
}

/// GB/s of a decode of one sequence at this many tokens/s; minimal account.
double bandwidth_used(const std::string& name, double tokens_per_s, std::uint64_t context) {
  return tokens_per_s * gigabytes(bounds_of(plan_of(name), decode(1, context), a100()).traffic);
}

TEST(StepPublished, W45_MistralAt65TokensPerSecond) {
  EXPECT_NEAR(bandwidth_used("mistral-7b-v0.1", 65, 0), 924.4, 0.06);
  EXPECT_NEAR(bandwidth_used("mistral-7b-v0.1", 65, 16), 924.5, 0.06);
}

TEST(StepPublished, W47_Llama31_8BAt93TokensPerSecond) {
  EXPECT_NEAR(bandwidth_used("llama-3.1-8b", 1, 0), 15.009, 5e-4);
  EXPECT_TRUE(within(bandwidth_used("llama-3.1-8b", 93.89, 0), 1410.76, 3e-3));
}

TEST(StepPublished, W48_Llama2_7BAt104TokensPerSecond) {
  EXPECT_NEAR(bandwidth_used("llama-2-7b", 104.9, 0), 1386.2, 0.05);
  EXPECT_TRUE(within(bandwidth_used("llama-2-7b", 104.9, 0), 1397.31, 0.01));
}

TEST(StepPublished, W49_AttentionAt225OnAnA100) {
  // The attention of a prefill, timed at 225 TFLOP/s of its own work: its share of the peak does
  // not hang on what else the step does.
  const StepPlan plan = plan_of("llama-2-7b");
  for (const OperationBound& one : bound_operations(plan, std::vector{prefill(8, 2048)}, a100())) {
    if (one.operation->name != "attention") continue;
    const Seconds taken = one.cost.work / tflop_per_s(225);
    EXPECT_FALSE(one.memory_bound());
    EXPECT_NEAR(one.time() / taken, 0.721, 5e-4);
  }
}

TEST(StepPublished, W54_APrefillAsProductsApart) {
  // Llama-2-7B, one prompt of 2048 on 154.8 TFLOP/s and 768 GB/s; each product by itself, scores
  // of all pairs written to memory.
  Roofs a6000;
  a6000.compute = stated_peak(154.8);
  a6000.memory = MemoryRoof{gb_per_s(768), Boundary::dram, Origin::user, "the row"};
  const Architecture model = read(config("llama-2-7b"));
  const Attention& a = *model.layers.at(0).layer.attention;
  const Projection query{.rows = 2048, .d_in = model.hidden, .d_out = a.query_heads * a.qk_dim};
  const Account projection = account(query);
  EXPECT_TRUE(within(projection.work->as_double(), 68.7e9, 5e-3));
  EXPECT_TRUE(within(total_traffic(projection).as_double(), 67.1e6, 5e-3));
  EXPECT_DOUBLE_EQ(in_flop_per_byte(*intensity(projection)), 1024.0);
  EXPECT_EQ(place(projection, a6000).bound, Bound::compute);
  const Account scores = account(Gemm{.m = 2048, .n = 2048, .k = a.qk_dim, .batch = a.query_heads});
  EXPECT_TRUE(within(scores.work->as_double(), 34.4e9, 5e-3));
  EXPECT_TRUE(within(total_traffic(scores).as_double(), 302e6, 5e-3));
  EXPECT_NEAR(in_flop_per_byte(*intensity(scores)), 113.8, 0.05);
  EXPECT_EQ(place(scores, a6000).bound, Bound::memory);
  EXPECT_NEAR(in_tflop_per_s(*place(scores, a6000).ceiling), 87.4, 0.05);
}

TEST(StepPublished, W55_WorkInTheTimeOfOneInterpretedOperation) {
  const Flops work = tflop_per_s(312) / hertz(32e6);
  EXPECT_EQ(in_flop(work), 9.75e6);
  // A kernel of that work takes as long as it takes to ask for it.
  Roofs a100_and_python;
  a100_and_python.compute = stated_peak(312);
  a100_and_python.overhead = OverheadRoof{second(1 / 32e6)};
  const Account kernel = account(Kernel{.flops = 9'750'000, .read_bytes = 0, .dtype = DType::bf16});
  EXPECT_NEAR(in_second(*place(kernel, a100_and_python).floor), 2 / 32e6, 1e-15);
}

TEST(StepPublished, W56_Llama32_1BOnAnH100) {
  // Minimal account, no cache.
  const StepBounds b = bounds_of(plan_of("llama-3.2-1b"), decode(1, 0), h100());
  EXPECT_NEAR(milliseconds(b.floor()), 0.738, 0.0005);
  EXPECT_NEAR(milliseconds(b.floor()) / 0.78, 0.946, 0.0005);
}

TEST(StepPublished, W57_DeepSeekV3PerDevice) {
  // 14.8k tokens/s on 8 devices; 2 FLOP for each parameter a token meets, no attention: the exact
  // convention without it.
  PlanOptions options;
  options.counting.attention = false;
  const StepPlan plan = plan_of("deepseek-v3", {}, options);
  const double each = 14'800.0 / 8;
  EXPECT_EQ(each, 1850);
  const double work = in_flop(bounds_of(plan, decode(1, 4096), h100()).work);
  EXPECT_TRUE(within(work / 2, 36.6e9, 0.01));
  EXPECT_TRUE(within(each * work / 1e12, 135, 0.01));
}

}  // namespace
}  // namespace roofline::model::test
