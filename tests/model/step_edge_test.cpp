// Steps of models with parts that others lack, steps shared among devices, and steps at the edge of
// what can be asked: exact convention and minimal account unless a test says otherwise, expected
// figures counted by hand.
#include <gtest/gtest.h>

#include "model/step_support.hpp"

namespace roofline::model::test {
namespace {

StepPlan plan_from(const Json& config, const PlanOptions& options = {}) {
  const Architecture model = read(config);
  return {model, types_of(model), options};
}

double kv_read(const StepPlan& plan, const Step& step) {
  return traffic_of(classes_of(plan, step, a100()), StepClass::kv_read);
}

std::string refusal_of_step(const Step& step) {
  try {
    validate(step);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal_of_plan(const Architecture& model, const PlanOptions& options = {}) {
  try {
    const StepPlan plan(model, types_of(model), options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

/// Every configuration of tests/data that counts, by name.
std::vector<std::pair<std::string, Architecture>> all_models() {
  std::vector<std::pair<std::string, Architecture>> out;
  const auto take = [&](const std::string& name, const Json& config) {
    try {
      Architecture model = read(config);
      if (model.weights.unknown.empty()) out.emplace_back(name, std::move(model));
    } catch (const InputError&) {
      // What is refused has no step.
    }
  };
  const Json truths = data("truth.json");
  const Json relatives = data("relatives.json");
  for (const auto& [name, truth] : truths.items())
    if (name.front() != '_' && truth.value("expect", "") == "count") take(name, config(name));
  for (const auto& [name, entry] : relatives.items())
    if (name.front() != '_') take(name, entry["config"]);
  return out;
}

TEST(StepConventions, EachCountsWhatItsNameSays) {
  // Llama-3.1-8B, 3 sequences of 1000: all of 8,030,261,248 weights, or the 7,504,658,432 that are
  // multiplied, 525,336,576 of them in the head; 4 x 32 layers x 32 heads x 128 a pair.
  const double pairs = 3 * 4.0 * 32 * 32 * 128 * 1001;
  const double products = 3 * 2.0 * 7'504'658'432;
  const double table = 3 * 2.0 * 525'336'576;
  struct Row {
    WorkCounting counting;
    const char* name;
    double work;
  };
  for (const Row& row :
       {Row{{}, "exact (causal attention)", products + pairs},
        Row{{.attention = false}, "exact (no attention)", products},
        Row{{.attended = Pairs::full}, "exact (full attention)", products + pairs},
        Row{{.lm_head = false}, "exact (causal attention, no head)", products + pairs - table},
        Row{{.attention = false, .input_embedding = true, .lm_head = false},
            "exact (no attention, no head, input embedding as a product)",
            products},
        Row{{.convention = WorkConvention::two_n}, "2N", 3 * 2.0 * 8'030'261'248},
        Row{{.convention = WorkConvention::palm}, "2N + 4LHdS", 3 * 2.0 * 8'030'261'248 + pairs}}) {
    PlanOptions options;
    options.counting = row.counting;
    const StepPlan plan = plan_of("llama-3.1-8b", {}, options);
    EXPECT_EQ(in_flop(bounds_of(plan, decode(3, 1000), a100()).work), row.work) << row.name;
    EXPECT_EQ(text_of(row.counting), row.name);
  }
}

TEST(StepConventions, PalmCountsEveryPairOfAPrompt) {
  // 4 L H d T a token: full attention, whatever the causality.
  const StepPlan plan =
      plan_of("llama-3.1-8b", {}, counted_by(TrafficAccount::minimal, WorkConvention::palm));
  EXPECT_EQ(in_flop(bounds_of(plan, prefill(2, 2048), a100()).work),
            2 * 2048.0 * (2 * 8'030'261'248.0 + 4.0 * 32 * 32 * 128 * 2048));
}

TEST(StepConventions, TheHeadMayBeComputedInATypeOfItsOwn) {
  // Products of 8 bits at 624, the head of 16 at 312.
  const Architecture model = read(config("llama-3.1-8b"));
  StepTypes types = stored(model, plain_format(DType::int8), false);
  types.linear = DType::int8;
  StepRoofs device = a100();
  device.peaks.set(DType::int8, tflop_per_s(624));
  const StepPlan plan(model, types, {});
  for (const OperationBound& one : bound_operations(plan, std::vector{decode(1000, 0)}, device)) {
    if (one.operation->name == "lm_head") {
      EXPECT_DOUBLE_EQ(in_tflop_per_s(one.cost.work / one.compute), 312);
    } else if (one.operation->name == "down") {
      EXPECT_DOUBLE_EQ(in_tflop_per_s(one.cost.work / one.compute), 624);
    }
  }
}

TEST(StepConventions, EveryLayerIsALaunchOfItsOwn) {
  // Embedding, final norm and head; in each of 32 layers two norms, qkv, attention, output, gate_up
  // and down.
  const StepBounds b = bounds_of(plan_of("llama-3.1-8b"), decode(1, 10), a100());
  EXPECT_EQ(b.launches, 3.0 + 32 * 7);
}

TEST(StepEdges, EveryWeightIsOfOneOperationOrLookedUp) {
  // The plan against the inventory that counts and bytes are made from.
  const auto models = all_models();
  EXPECT_GT(models.size(), 60U);
  for (const auto& [name, model] : models) {
    const StepPlan plan(model, types_of(model), counted_by(TrafficAccount::all_weights));
    const auto bytes = weight_bytes(model, model.weights);
    ASSERT_TRUE(bytes) << name;
    const double text = bytes->total.as_double() - bytes->vision.as_double();
    EXPECT_EQ(in_byte(plan.resident()), bytes->total.as_double()) << name;
    // So many tokens that every expert is chosen.
    const StepBounds b = bounds_of(plan, decode(100'000, 0), a100());
    EXPECT_TRUE(within(in_byte(b.traffic), text, 1e-12)) << name;
    const Parameters counted = count_parameters(model);
    PlanOptions plain;
    plain.counting.attention = false;
    EXPECT_EQ(in_flop(bounds_of({model, types_of(model), plain}, decode(1, 0), a100()).work),
              2 * counted.matmul_active.as_double())
        << name;
    EXPECT_EQ(in_flop(bounds_of({model, types_of(model), two_n()}, decode(1, 0), a100()).work),
              2 * (counted.active.as_double() - counted.vision.as_double()))
        << name;
  }
}

TEST(StepEdges, WhatACacheHoldsIsWhatAStepReadsOfIt) {
  for (const auto& [name, model] : all_models()) {
    const StepPlan plan(model, types_of(model), {});
    for (const std::uint64_t context : {0U, 1U, 100U, 1024U, 5000U, 100'000U}) {
      const double held = kv_bytes_in_windows(model, DType::bf16, context).as_double();
      EXPECT_EQ(kv_read(plan, {decode(3, context)}), 3 * held) << name << " " << context;
      EXPECT_EQ(in_byte(cache_bytes(plan, context, CacheLayout::in_windows)), held) << name;
      EXPECT_EQ(in_byte(cache_bytes(plan, context, CacheLayout::in_full)),
                kv_bytes_in_full(model, DType::bf16, context).as_double())
          << name;
    }
  }
}

TEST(StepEdges, HalfOfGemma2LooksBackOneWindow) {
  // 42 layers of 8 heads of 256 for keys and values each; every other one has a window of 4096.
  const StepPlan plan = plan_of("gemma-2-9b");
  EXPECT_EQ(kv_read(plan, {decode(2, 8192)}), 2 * (21.0 * 8192 + 21.0 * 4096) * 8192);
  const double pair = 4.0 * 16 * 256;
  EXPECT_EQ(work_of(classes_of(plan, {decode(2, 8192)}, a100()), StepClass::attention),
            2 * (21.0 * 8193 + 21.0 * 4096) * pair);
}

TEST(StepEdges, GptOssHasWindowsSinksAndBiasesOfExperts) {
  const Architecture model = read(config("gpt-oss-20b"));
  const StepPlan plan(model, types_of(model), counted_by(TrafficAccount::full));
  // 12 layers of a window of 128, 12 of all; 8 heads of 64.
  EXPECT_EQ(kv_read(plan, {decode(1, 4096)}), 12.0 * (128 + 4096) * 2 * 8 * 64 * 2);
  // One token meets 4 of 32 experts in each of 24 layers, with their biases: 2 x 2880 and 2880.
  const Step one{decode(1, 128)};
  double vectors = 0;
  for (const Operation& operation : plan.operations())
    if (operation.kind == StepClass::experts)
      vectors += in_byte(plan.cost(operation, one, rows_of(one)).vectors);
  EXPECT_DOUBLE_EQ(vectors, 24.0 * 4 * 3 * 2880 * 2);
}

TEST(StepEdges, Llama4BeginsAnewEvery8192Tokens) {
  // 48 layers, every fourth of all tokens; 40 heads of 128 over 8.
  const StepPlan plan = plan_of("llama-4-scout-17b-16e");
  const double pair = 4.0 * 40 * 128;
  const double token = 2.0 * 8 * 128 * 2;
  const Step step{chunk(1, 12'288, 8192, true)};
  const ByClass classes = classes_of(plan, step, a100());
  // Of 12,288 cached tokens a chunked layer sees 4096; then 4096 more, then 4096 anew.
  const double chunked = 4096.0 * 4096 + 4096.0 * 4097 / 2 + 4096.0 * 4097 / 2;
  const double full = 8192.0 * 12'288 + 8192.0 * 8193 / 2;
  EXPECT_EQ(work_of(classes, StepClass::attention), (36 * chunked + 12 * full) * pair);
  EXPECT_EQ(traffic_of(classes, StepClass::kv_read),
            (36 * (4096.0 + 8191) + 12 * (12'288.0 + 8191)) * token);
}

TEST(StepEdges, BlocksWithoutAttentionHaveNoneAndNoCache) {
  const Architecture model = read(config("nemotron-super-49b-v1"));
  ASSERT_LT(attention_layer_count(model), layer_count(model));
  const StepPlan plan(model, types_of(model), {});
  double attended = 0;
  for (const Operation& one : plan.operations())
    if (one.attention) attended += one.launches;
  EXPECT_EQ(attended, static_cast<double>(attention_layer_count(model)));
  EXPECT_EQ(kv_read(plan, {decode(1, 1)}),
            static_cast<double>(attention_layer_count(model)) * 2 * 8 * 128 * 2);
}

TEST(StepEdges, SharedExpertsAreReadByEveryToken) {
  // DeepSeek-MoE-16B: 27 layers with 64 experts of which 6 are chosen, and two shared, of 1408.
  const StepPlan plan = plan_of("deepseek-moe-16b");
  const double expert = 3.0 * 2048 * 1408 * 2;
  for (const std::uint64_t batch : {1U, 5U}) {
    const ByClass classes = classes_of(plan, {decode(batch, 0)}, a100());
    const auto b = static_cast<double>(batch);
    EXPECT_DOUBLE_EQ(traffic_of(classes, StepClass::shared_experts), 27 * 2 * expert);
    EXPECT_TRUE(within(traffic_of(classes, StepClass::experts),
                       27 * expert * 64 * (1 - std::pow(58.0 / 64, b)), 1e-12));
    EXPECT_EQ(work_of(classes, StepClass::shared_experts), b * 27 * 2 * expert);
    EXPECT_EQ(work_of(classes, StepClass::experts), b * 27 * 6 * expert);
  }
}

TEST(StepEdges, NormsWithoutWeightsStillMoveActivations) {
  const StepPlan plan = plan_from(relative("olmo-7b"), counted_by(TrafficAccount::full));
  const Step step{decode(3, 10)};
  double vectors = 0;
  double activations = 0;
  for (const Operation& one : plan.operations()) {
    vectors += one.vector_bytes;
    activations += in_byte(plan.cost(one, step, rows_of(step)).activations);
  }
  EXPECT_EQ(vectors, 0);
  EXPECT_EQ(activations, 3.0 * 32 * 2 * 4096 * 2);
}

TEST(StepEdges, LearnedPositionsAreLookedUpBesideTheToken) {
  // GPT-2 is tied: what is read beyond the products is a row of tokens and a row of positions.
  const Architecture model = read(config("gpt2"));
  StepTypes types = types_of(model);
  types.weights.type = DType::bf16;
  const StepPlan plan(model, types, counted_by(TrafficAccount::full));
  const ByClass classes = classes_of(plan, {prefill(1, 1000)}, a100());
  EXPECT_EQ(traffic_of(classes, StepClass::embedding), 1000.0 * 2 * 768 * 2);
  EXPECT_EQ(in_byte(plan.beyond_operations()), 1024.0 * 768 * 2);
}

TEST(StepEdges, ATiedHeadIsReadAndTheEmbeddingIsNotAgain) {
  const StepPlan plan = plan_of("llama-3.2-1b", {}, two_n());
  EXPECT_EQ(in_byte(bounds_of(plan, decode(1, 0), a100()).traffic), 2.0 * 1'235'814'400);
  EXPECT_EQ(in_byte(plan.beyond_operations()), 0);
}

TEST(StepEdges, VisionIsNoPartOfAStep) {
  int towers = 0;
  for (const auto& [name, model] : all_models()) {
    if (!model.vision) continue;
    ++towers;
    Architecture text = model;
    text.vision.reset();
    for (const PlanOptions& options : {PlanOptions{}, two_n()}) {
      const StepBounds with_it =
          bounds_of({model, types_of(model), options}, decode(4, 100), a100());
      const StepBounds without = bounds_of({text, types_of(text), options}, decode(4, 100), a100());
      EXPECT_EQ(in_flop(with_it.work), in_flop(without.work)) << name;
      EXPECT_EQ(in_byte(with_it.traffic), in_byte(without.traffic)) << name;
    }
  }
  EXPECT_GT(towers, 0);
}

TEST(StepEdges, WeightsOfUnknownSizeAreRefusedWithAWayOut) {
  Json odd = config("llama-3.1-8b");
  odd["quantization_config"] = {{"quant_method", "something-new"}};
  const Architecture model = read(odd);
  ASSERT_FALSE(model.weights.unknown.empty());
  const std::string why = refusal_of_plan(model);
  EXPECT_TRUE(says(why, "something-new")) << why;
  EXPECT_TRUE(says(why, "--weights")) << why;
  // Stated, they are known.
  const StepPlan plan(model, stored(model, plain_format(DType::int8), true), {});
  EXPECT_EQ(in_byte(bounds_of(plan, decode(1, 0), a100()).traffic), 7'504'658'432.0);
}

TEST(StepEdges, DevicesThatDoNotDivideTheHeadsAreRefusedByNumber) {
  PlanOptions options;
  for (const std::uint64_t devices : {3U, 12U, 64U}) {
    options.tensor_parallel = devices;
    const std::string why = refusal_of_plan(read(config("llama-3.1-8b")), options);
    EXPECT_TRUE(says(why, "32 query heads")) << why;
    EXPECT_TRUE(says(why, "8 KV heads")) << why;
    EXPECT_TRUE(says(why, std::to_string(devices) + " devices")) << why;
  }
  options.tensor_parallel = 0;
  EXPECT_TRUE(says(refusal_of_plan(read(config("llama-3.1-8b")), options), "at least one device"));
}

TEST(StepEdges, DevicesTogetherHoldAtLeastTheWholeAndDoItsWork) {
  int shared_evenly = 0;
  for (const auto& [name, model] : all_models())
    for (const std::uint64_t devices : {2U, 4U, 8U, 16U}) {
      for (const bool head_replicated : {false, true}) {
        PlanOptions options;
        options.tensor_parallel = devices;
        options.head_replicated = head_replicated;
        if (refusal_of_plan(model, options) != "accepted") continue;
        const auto t = static_cast<double>(devices);
        const Step step{decode(24, 3000), chunk(1, 100, 200, true)};
        const StepBounds whole = bound({model, types_of(model), {}}, step, h100());
        const StepBounds each = bound({model, types_of(model), options}, step, h100());
        EXPECT_GE(t * in_byte(each.traffic), in_byte(whole.traffic) * (1 - 1e-12)) << name;
        EXPECT_TRUE(within(t * in_flop(each.work), in_flop(whole.work), 1e-12))
            << name << " " << devices;
        EXPECT_GE(in_flop(each.executed), in_flop(each.work) * (1 - 1e-12)) << name;
      }
      if (name == "llama-3.1-8b" || name == "llama-3.1-70b" || name == "qwen2.5-7b-instruct") {
        PlanOptions options;
        options.tensor_parallel = devices;
        if (refusal_of_plan(model, options) != "accepted") continue;
        const auto t = static_cast<double>(devices);
        const double whole =
            in_byte(bounds_of({model, types_of(model), {}}, decode(9, 500), h100()).traffic);
        const double each =
            in_byte(bounds_of({model, types_of(model), options}, decode(9, 500), h100()).traffic);
        if (model.layers.front().layer.attention->kv_heads % devices == 0) {
          ++shared_evenly;
          EXPECT_EQ(t * each, whole) << name << " " << devices;
        } else {
          EXPECT_GT(t * each, whole) << name << " " << devices;
        }
      }
    }
  EXPECT_GE(shared_evenly, 6);
}

TEST(StepEdges, KvHeadsBeyondTheirNumberAreCopies) {
  // 8 KV heads over 16 devices: each holds one, a sixteenth of the queries, and half of a whole
  // share more cache than its own.
  PlanOptions options;
  options.tensor_parallel = 16;
  EXPECT_EQ(kv_read(plan_of("llama-3.1-70b", {}, options), {decode(1, 1000)}),
            80.0 * 2 * 1 * 128 * 2 * 1000);
  // A latent is whole on each.
  EXPECT_EQ(kv_read(plan_of("deepseek-v3", {}, options), {decode(1, 1000)}), 70'272.0 * 1000);
}

TEST(StepEdges, LatentsAreMadeWholeOnEveryDevice) {
  // DeepSeek-V3 in bf16, its 3 dense layers over 8 devices: both down-projections, 7168 to 1536 and
  // 576, are one product with one input, and whole; what comes of the latents is divided by heads.
  const Architecture model = read(config("deepseek-v3"));
  PlanOptions options = counted_by(TrafficAccount::full);
  options.fusion = Fusion::products;
  options.tensor_parallel = 8;
  const StepPlan plan(model, stored(model, plain_format(DType::bf16), true), options);
  const Step step{decode(5, 100)};
  const OperationCost down = plan.cost(operation_of(plan, "qkv_down"), step, rows_of(step));
  EXPECT_EQ(in_byte(down.weights), 3.0 * 7168 * (1536 + 576) * 2);
  EXPECT_EQ(in_byte(down.activations), 3.0 * 5 * (7168 + 1536 + 576) * 2);
  EXPECT_EQ(in_flop(down.work), 3.0 * 5 * 2 * 7168 * (1536 + 576) / 8);
  EXPECT_EQ(in_flop(down.work + down.repeated), 3.0 * 5 * 2 * 7168 * (1536 + 576));
  const OperationCost up = plan.cost(operation_of(plan, "kv_up"), step, rows_of(step));
  EXPECT_EQ(in_byte(up.weights), 3.0 * 512 * 16 * (128 + 128) * 2);
  EXPECT_EQ(in_flop(up.repeated), 0);
}

TEST(StepEdges, AReplicatedHeadIsReadWholeAndItsWorkRepeated) {
  PlanOptions options;
  options.tensor_parallel = 4;
  options.head_replicated = true;
  const StepPlan plan = plan_of("llama-3.1-8b", {}, options);
  const Step step{decode(2, 0)};
  const OperationCost cost = plan.cost(operation_of(plan, "lm_head"), step, rows_of(step));
  EXPECT_EQ(in_byte(cost.weights), 128'256.0 * 4096 * 2);
  EXPECT_EQ(in_flop(cost.work), 2 * 2 * 128'256.0 * 4096 / 4);
  EXPECT_EQ(in_flop(cost.work + cost.repeated), 2 * 2 * 128'256.0 * 4096);
}

TEST(StepEdges, ASharedPrefixIsReadOnceInEveryLayer) {
  // gemma-2-9b, two sequences of 5000 of which 4500 are one prefix. In a layer without a window 500
  // tokens of each and 4500 of both; with a window of 4096 the last 3596 of the prefix.
  Requests both = decode(2, 5000);
  both.shared = 4500;
  EXPECT_EQ(kv_read(plan_of("gemma-2-9b"), {both}),
            8192.0 * 21 * (2 * 500 + 4500 + 2 * 500 + 3596));
  // Far behind a window it is no longer seen.
  both.shared = 500;
  EXPECT_EQ(kv_read(plan_of("gemma-2-9b"), {both}), 8192.0 * 21 * (2 * 4500 + 500 + 2 * 4096));
}

TEST(StepEdges, B218_MoreExpertsAreMoreWeightsAndHardlyMoreWork) {
  // Twice the experts of DeepSeek-V3: the same number is chosen, and the router of 58 layers twice
  // as wide.
  PlanOptions options;
  options.counting.attention = false;
  const Json large = with(config("deepseek-v3"), "n_routed_experts", 512);
  const double before =
      in_flop(bounds_of(plan_of("deepseek-v3", {}, options), decode(1, 0), a100()).work);
  EXPECT_EQ(in_flop(bounds_of(plan_from(large, options), decode(1, 0), a100()).work),
            before + 2.0 * 58 * 7168 * 256);
}

TEST(StepEdges, TheLargestSizesStayFinite) {
  const std::uint64_t most = 4'294'967'295;
  for (const auto& [name, model] : all_models())
    for (const TrafficAccount account :
         {TrafficAccount::minimal, TrafficAccount::full, TrafficAccount::all_weights})
      for (const LatentForm form : {LatentForm::absorbed, LatentForm::expanded}) {
        PlanOptions options = counted_by(account, WorkConvention::palm);
        options.latent = form;
        const StepPlan plan(model, types_of(model), options);
        const Step step{{most, most, most, most, 0}};
        validate(step);
        const StepBounds b = bound(plan, step, a100());
        for (const double value :
             {in_flop(b.work), in_flop(b.executed), in_byte(b.traffic), in_second(b.serial),
              in_second(b.floor()), b.launches, mfu_ceiling(b, tflop_per_s(312))})
          EXPECT_TRUE(std::isfinite(value) && value > 0) << name;
        const DecodeLimits limits =
            decode_limits(decode_law(plan, most, a100()), gb_per_s(2039), tflop_per_s(312));
        for (const auto& value :
             {limits.half_saturation_batch, limits.tokens_per_s_limit, limits.mfu_limit})
          EXPECT_TRUE(value && std::isfinite(*value) && *value > 0) << name;
      }
}

TEST(StepEdges, WhatIsNoStepIsRefused) {
  EXPECT_TRUE(says(refusal_of_step({}), "at least one request"));
  EXPECT_TRUE(says(refusal_of_step({decode(0, 5)}), "at least one request"));
  EXPECT_TRUE(says(refusal_of_step({prefill(1, 0)}), "one token"));
  EXPECT_TRUE(says(refusal_of_step({{1, 0, 2, 3, 0}}), "more tokens than pass"));
  EXPECT_TRUE(says(refusal_of_step({{1, 4, 2, 1, 5}}), "shared prefix"));
  EXPECT_TRUE(says(refusal_of_step({decode(4'294'967'296, 5)}), "4294967295"));
  EXPECT_TRUE(says(refusal_of_step({decode(1, 4'294'967'296)}), "4294967295"));
  EXPECT_TRUE(says(refusal_of_step({decode(1, 5), prefill(1, 4'294'967'296)}), "4294967295"));
  EXPECT_EQ(refusal_of_step({decode(1, 0), chunk(2, 7, 9, false)}), "accepted");
}

TEST(StepEdges, APeakThatIsNotThereIsNamed) {
  const Architecture model = read(config("llama-3.1-8b"));
  StepTypes types = stored(model, plain_format(DType::fp8_e4m3), false);
  types.linear = DType::fp8_e4m3;
  const StepPlan plan(model, types, {});
  try {
    require_peaks(plan, a100().peaks);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_TRUE(says(error.what(), "fp8_e4m3")) << error.what();
    EXPECT_TRUE(says(error.what(), "qkv")) << error.what();
  }
}

}  // namespace
}  // namespace roofline::model::test
