// What other tools and public reports got wrong about steps: ids P and B. The flagship is
// Llama-3.1-8B, bf16, batch 24, 4096 tokens of context on 312 TFLOP/s and 2039 GB/s, counted
// exactly in the minimal account unless a test says otherwise.
#include <gtest/gtest.h>

#include "model/step_support.hpp"
#include "roofline/account.hpp"
#include "roofline/placement.hpp"

namespace roofline::model::test {
namespace {

Requests flagship_batch() { return decode(24, 4096); }

OperationCost cost_of(const StepPlan& plan, std::string_view operation, const Step& step) {
  return plan.cost(operation_of(plan, operation), step, rows_of(step));
}

TEST(StepTraps, P01_FusedAttentionStoresNoScores) {
  EXPECT_NEAR(milliseconds(bounds_of(plan_of("llama-3.1-8b"), flagship_batch(), a100()).floor()),
              13.68, 0.005);
}

TEST(StepTraps, P02_TheCacheIsReadOnce) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  const ByClass classes = classes_of(plan, {flagship_batch()}, a100());
  // 24 x 4096 tokens of 131,072 bytes.
  EXPECT_EQ(traffic_of(classes, StepClass::kv_read), 24.0 * 4096 * 131'072);
}

TEST(StepTraps, P03_WeightsAreReadOnceAStep) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  for (const std::uint64_t batch : {1U, 24U, 512U}) {
    const ByClass classes = classes_of(plan, {decode(batch, 4096)}, a100());
    double weights = 0;
    for (const StepClass kind : step_classes())
      if (kind != StepClass::kv_read) weights += traffic_of(classes, kind);
    EXPECT_EQ(weights, 2.0 * 7'504'658'432) << batch;
  }
}

TEST(StepTraps, P04_OneNewTokenAttendsToItsContext) {
  // 4 x 32 heads x 128 a pair and layer; 4096 cached tokens and the new one.
  const OperationCost cost = cost_of(plan_of("llama-3.1-8b"), "attention", {flagship_batch()});
  EXPECT_EQ(in_flop(cost.work), 24.0 * 4097 * 32 * 4 * 32 * 128);
  EXPECT_NEAR(in_flop(cost.work) / 1e9, 51.5, 0.06);
}

TEST(StepTraps, P07_TheHeadMeetsEverySequence) {
  PlanOptions options = counted_by(TrafficAccount::full);
  options.fusion = Fusion::products;
  const OperationCost cost =
      cost_of(plan_of("llama-3.1-8b", {}, options), "lm_head", {flagship_batch()});
  EXPECT_EQ(in_flop(cost.work), 2.0 * 128'256 * 4096 * 24);
  EXPECT_NEAR(in_flop(cost.work) / 1e9, 25.2, 0.05);
  EXPECT_EQ(in_byte(cost.activations), 24.0 * 4096 * 2);
  EXPECT_EQ(in_byte(cost.logits), 24.0 * 128'256 * 4);
}

TEST(StepTraps, P08_B037_OnlyChosenExpertsWork) {
  PlanOptions options;
  options.counting.attention = false;
  const StepBounds b = bounds_of(plan_of("mixtral-8x7b-v0.1", {}, options), decode(1, 0), a100());
  EXPECT_EQ(in_flop(b.work), 25'497'174'016.0);
  // Scores come on top: 32 layers, 4 x 32 heads x 128 a pair.
  const StepBounds all = bounds_of(plan_of("mixtral-8x7b-v0.1"), decode(1, 4096), a100());
  EXPECT_EQ(in_flop(all.work), 25'497'174'016.0 + 4097.0 * 32 * 4 * 32 * 128);
}

TEST(StepTraps, P09_FourTokensOfMixtralReadThisManyExperts) {
  const ByClass classes = classes_of(plan_of("mixtral-8x7b-v0.1"), {decode(4, 128)}, a100());
  const double expert = 3.0 * 4096 * 14'336 * 2;
  EXPECT_NEAR(traffic_of(classes, StepClass::experts) / (32 * expert), 5.47, 0.005);
}

TEST(StepTraps, P10_SixteenTokensOf128Experts) {
  const ByClass classes = classes_of(plan_of("qwen3-30b-a3b"), {decode(16, 128)}, a100());
  const double expert = 3.0 * 2048 * 768 * 2;
  EXPECT_NEAR(traffic_of(classes, StepClass::experts) / (48 * expert), 82.4, 0.05);
}

TEST(StepTraps, P11_ThirtyTwoTokensOf256Experts) {
  const Architecture model = read(config("deepseek-v3"));
  const StepPlan plan(model, stored(model, plain_format(DType::bf16), true), {});
  const ByClass classes = classes_of(plan, {decode(32, 128)}, a100());
  const double expert = 3.0 * 7168 * 2048 * 2;
  EXPECT_NEAR(traffic_of(classes, StepClass::experts) / (58 * expert), 163.3, 0.05);
}

TEST(StepTraps, P12_LatentsAttendedToAsTheyAre) {
  // A head's query meets 512 + 64 values and weighs 512: 2 x 128 x 1088 FLOP a cached token and
  // layer. Expanded, 192 and 128: 2 x 128 x 320.
  PlanOptions options;
  const Step longer{decode(1, 1001)};
  const Step step{decode(1, 1000)};
  for (const auto& [form, expected] :
       {std::pair{LatentForm::absorbed, 278'528.0}, {LatentForm::expanded, 81'920.0}}) {
    options.latent = form;
    const StepPlan plan = plan_of("deepseek-v3", {}, options);
    double further = 0;
    for (const Operation& one : plan.operations()) {
      if (!one.attention) continue;
      further += in_flop(plan.cost(one, longer, rows_of(longer)).work -
                         plan.cost(one, step, rows_of(step)).work);
    }
    EXPECT_EQ(further / 61, expected) << name(form);
  }
}

TEST(StepTraps, P13_CausalAttentionIsHalf) {
  const OperationCost cost = cost_of(plan_of("llama-3.1-8b"), "attention", {prefill(1, 8192)});
  EXPECT_NEAR(in_flop(cost.work) / 1e12, 17.6, 0.05);
}

TEST(StepTraps, P14_PromptsDoNotAttendToEachOther) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  const double pair = 32.0 * 4 * 32 * 128;
  EXPECT_EQ(in_flop(cost_of(plan, "attention", {prefill(4, 2048)}).work),
            pair * 4 * (2048.0 * 2049 / 2));
  EXPECT_EQ(in_flop(cost_of(plan, "attention", {prefill(1, 8192)}).work),
            pair * (8192.0 * 8193 / 2));
}

TEST(StepTraps, P15_ACachedPrefixIsAttendedTo) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  const double pair = 32.0 * 4 * 32 * 128;
  const Step cached{chunk(1, 3000, 500, true)};
  EXPECT_EQ(in_flop(cost_of(plan, "attention", cached).work),
            pair * (500.0 * 3000 + 500.0 * 501 / 2));
  // Its products are of the new tokens alone.
  EXPECT_EQ(in_flop(cost_of(plan, "gate_up", cached).work),
            in_flop(cost_of(plan, "gate_up", {prefill(1, 500)}).work));
  // All that is cached is read.
  EXPECT_EQ(in_byte(cost_of(plan, "attention", cached).kv_read), (3000.0 + 499) * 131'072);
}

TEST(StepTraps, P17_ActivationsKeepTheirTypeUnderFourBitWeights) {
  PlanOptions options = counted_by(TrafficAccount::full);
  options.fusion = Fusion::products;
  const Architecture model = read(config("llama-3.1-8b"));
  const StepPlan four(model, stored(model, parse_weight_format("int4-g128", "--weights"), true),
                      options);
  // The projections' input, and what they give: 24 rows of 4096 and 6144 values of 2 bytes.
  EXPECT_EQ(in_byte(cost_of(four, "qkv", {flagship_batch()}).activations),
            32.0 * 24 * (4096 + 4096 + 2 * 1024) * 2);
  EXPECT_LT(in_byte(cost_of(four, "qkv", {flagship_batch()}).weights), 32.0 * 4096 * 6144 * 0.53);
}

TEST(StepTraps, P18_EachProductHasThePeakOfItsOwnArithmetic) {
  // W8A8 beside a 16-bit cache: 624 for the products, 312 for attention.
  const Architecture model = read(config("llama-3.1-8b"));
  StepTypes types = stored(model, plain_format(DType::int8), true);
  types.linear = types.head = DType::int8;
  const StepPlan plan(model, types, {});
  StepRoofs device = a100();
  device.peaks.set(DType::int8, tflop_per_s(624));
  require_peaks(plan, device.peaks);
  const Step step{prefill(1, 8192)};
  for (const OperationBound& one : bound_operations(plan, step, device)) {
    if (!(one.cost.work > Flops{})) continue;
    const double peak = one.operation->attention ? 312 : 624;
    EXPECT_DOUBLE_EQ(in_tflop_per_s(one.cost.work / one.compute), peak) << one.operation->name;
  }
  const StepBounds b = bound(plan, step, device);
  EXPECT_NEAR(milliseconds(b.compute), 114.35e3 / 624 + 17.59e3 / 312, 0.02);
}

TEST(StepTraps, P28_AnEmbeddingIsALookUp) {
  const StepPlan plan = plan_of("llama-3.1-8b", {}, counted_by(TrafficAccount::full));
  const ByClass classes = classes_of(plan, {flagship_batch()}, a100());
  EXPECT_EQ(work_of(classes, StepClass::embedding), 0);
  EXPECT_EQ(traffic_of(classes, StepClass::embedding), 24.0 * 4096 * 2);
}

TEST(StepReports, B030_ChosenTokensAreNotModelled) {
  Json sparse = config("deepseek-v3");
  sparse["index_topk"] = 2048;
  EXPECT_TRUE(says(refusal(sparse), "sparse attention is not modelled")) << refusal(sparse);
}

TEST(StepReports, B031_ServingAsksForTheLastLogitsOnly) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  EXPECT_EQ(in_flop(cost_of(plan, "lm_head", {prefill(1, 2048)}).work), 1'050'673'152.0);
  const Requests all{.count = 1, .cached = 0, .fresh = 2048, .logits = 2048};
  EXPECT_EQ(in_flop(cost_of(plan, "lm_head", {all}).work), 2048 * 1'050'673'152.0);
  // A chunk that does not end its prompt asks for none, and does not read the head.
  const OperationCost none = cost_of(plan, "lm_head", {chunk(1, 0, 2048, false)});
  EXPECT_EQ(in_flop(none.work), 0);
  EXPECT_EQ(in_byte(none.weights), 0);
}

TEST(StepReports, B034_TheWidthOfTheMlpIsRead) {
  const StepPlan plan = plan_of("llama-3.1-70b");
  const ByClass classes = classes_of(plan, {decode(1, 0)}, a100());
  EXPECT_EQ(work_of(classes, StepClass::mlp) / 80, 1'409'286'144.0);
}

TEST(StepReports, B219_EverySequenceReadsItsCache) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  const StepBounds one = bounds_of(plan, decode(1, 4096), h100());
  EXPECT_NEAR(gigabytes(one.traffic), 15.01 + 0.537, 0.005);
  EXPECT_NEAR(milliseconds(one.floor()), 4.64, 0.005);
  EXPECT_NEAR(rate_of(1, one), 216, 0.6);
  const StepBounds many = bounds_of(plan, decode(64, 4096), h100());
  EXPECT_NEAR(gigabytes(many.traffic), 15.01 + 34.36, 0.005);
  EXPECT_NEAR(milliseconds(many.floor()), 14.7, 0.05);
  EXPECT_TRUE(within(rate_of(64, many), 4344, 0.01));
}

TEST(StepReports, B221_TwoRoofsTwoShares) {
  // A step that moves its bytes at 623 GB/s: the share of a roof is that roof's floor over the
  // time.
  const StepPlan plan = plan_of("llama-3.2-1b");
  const auto floor = [&](double gb) {
    return bounds_of(plan, decode(1, 1024), roofs(71, gb)).floor();
  };
  const Seconds taken = bounds_of(plan, decode(1, 1024), roofs(71, 623)).traffic / gb_per_s(623);
  EXPECT_NEAR(floor(854.2) / taken, 0.729, 5e-4);
  EXPECT_NEAR(floor(936.2) / taken, 0.665, 5e-4);
}

TEST(StepReports, B227_AllRanksAgainstAllPeaks) {
  const Account done =
      account(Kernel{.flops = 3'200'000'000'000'000, .read_bytes = 0, .dtype = DType::bf16});
  const auto against = [&](double ranks) {
    Roofs roofs;
    roofs.compute = ComputeRoof{tflop_per_s(ranks * 989.4), PeakKey::bf16, Sparsity::dense,
                                Origin::datasheet, "stated by the test"};
    return assess(done, roofs, place(done, roofs), {.time = second(1)});
  };
  EXPECT_NEAR(against(8).mfu.value_or(0), 0.404, 5e-4);
  EXPECT_FALSE(against(8).impossible);
  EXPECT_NEAR(against(1).mfu.value_or(0), 3.23, 5e-3);
  EXPECT_TRUE(against(1).impossible);
  // The same of a model: eight devices that share its layers do an eighth of the work each.
  PlanOptions shared;
  shared.tensor_parallel = 8;
  const StepBounds whole = bounds_of(plan_of("llama-3.1-70b"), decode(24, 4096), h100());
  const StepBounds each = bounds_of(plan_of("llama-3.1-70b", {}, shared), decode(24, 4096), h100());
  EXPECT_DOUBLE_EQ(8 * in_flop(each.work), in_flop(whole.work));
}

}  // namespace
}  // namespace roofline::model::test
