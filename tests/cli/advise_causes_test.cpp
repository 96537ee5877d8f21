// Causes that roofline advise names: what one recommends is tried by the options that it names, and
// what was assumed is doubted in every phase.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/advise_call.hpp"

namespace roofline::test {
namespace {

const Arguments kH200{"--peak-flops",    "fp8=1979TFLOP/s", "--peak-flops",
                      "bf16=989TFLOP/s", "--bandwidth",     "4.8TB/s"};

std::string cause_of(const Json& out, const std::string& id) {
  for (const Json& one : out["causes"])
    if (one["id"] == id) return one["text"];
  return "";
}

// ---- an operation that each device does whole ----

Json operation_of_v3(const std::string& scope, const Arguments& reading) {
  return advice(joined({{"deepseek-v3", "--tensor-parallel", "8", "--phase", "prefill", "--context",
                         "8192", "--batch", "1", "--scope", scope},
                        kH200,
                        reading}));
}

// 58 layers of 256 x 7168 and 61 of 2112 x 7168, each of which 8192 tokens meet on each device.
TEST(AdviseCauses, AnOperationCountsWhatTheDeviceExecutes) {
  const double router = 58 * 8192.0 * 2 * 256 * 7168;
  const Json out = operation_of_v3("router", {"--mfu", "60%"});
  EXPECT_EQ(out["impossible"], false);
  EXPECT_EQ(out["work_flop"], router);
  EXPECT_EQ(out["model_work_flop"], router / 8);
  EXPECT_NEAR(out["mfu_ceiling"], 1, 1e-12);
  EXPECT_NEAR(out["reading"]["scope_s"], router / (0.6 * 989e12), 1e-12);
  const Json timed = operation_of_v3("router", {"--scope-time", "2.94ms"});
  EXPECT_NEAR(timed["reading"]["mfu"], router / 2.94e-3 / 989e12, 1e-9);
  const Json down = operation_of_v3("qkv_down", {"--mfu", "60%"});
  EXPECT_EQ(down["impossible"], false);
  EXPECT_EQ(down["work_flop"], 61 * 8192.0 * 2 * 2112 * 7168);
}

TEST(AdviseCauses, ThePageSaysWhereThatIsMoreThanItsShare) {
  const auto text = [](const std::string& scope) {
    return page(joined({{"deepseek-v3", "--tensor-parallel", "8", "--phase", "prefill", "--context",
                         "8192", "--scope", scope, "--mfu", "60%"},
                        kH200}));
  };
  EXPECT_TRUE(contains(text("router"), "counted    1.74 TFLOP that this device executes in router"))
      << text("router");
  EXPECT_TRUE(contains(text("router"), "is 218 GFLOP"));
  // What the devices share is the same in both.
  EXPECT_FALSE(contains(text("shared_down"), "counted  "));
}

// ---- products in another type ----

// Llama 3.1 70B whose MLP alone is in fp8.
std::string mixed(const std::string& quantisation) {
  return R"({"model_type": "llama", "hidden_size": 8192, "intermediate_size": 28672,
             "num_attention_heads": 64, "num_hidden_layers": 80, "num_key_value_heads": 8,
             "vocab_size": 128256, "max_position_embeddings": 131072, "torch_dtype": "bfloat16",
             "quantization_config": )" +
         quantisation + "}";
}
const char* const kFp8Mlp =
    R"({"quant_method": "compressed-tensors", "format": "float-quantized",
        "config_groups": {"group_0": {"targets": ["Linear"],
          "weights": {"num_bits": 8, "type": "float", "strategy": "channel"},
          "input_activations": {"num_bits": 8, "type": "float", "dynamic": true}}},
        "ignore": ["lm_head", "re:.*self_attn.*"]})";

Json of_mixed(const Arguments& more) {
  const auto run = roofline(joined({{"advise", "-", "--json", "--phase", "prefill", "--context",
                                     "8192", "--batch", "1", "--tokens-per-s", "12331"},
                                    kH200,
                                    more}),
                            {.input = mixed(kFp8Mlp)});
  EXPECT_EQ(run.status, 0) << run.err;
  return Json::parse(run.out);
}

// 8192 tokens through 56.4 G weights of the MLP and 12.1 G of attention's matrices, and 32 768 FLOP
// in each of 80 layers for each pair; the head meets one row.
TEST(AdviseCauses, WhatACheckpointLeavesIn16BitsMayBeComputedInFewer) {
  const double mlp = 80 * 3.0 * 8192 * 28'672;
  const double matrices = 80 * 8192.0 * (8192 + 2 * 1024 + 8192);
  const double head = 128'256.0 * 8192;
  const double attention = 80 * 32'768.0 * (8192.0 * 8193 / 2);
  const double as_it_is =
      8192 * 2 * mlp / 1979e12 + (8192 * 2 * matrices + 2 * head + attention) / 989e12;
  const double all_in_8 = (8192 * 2 * (mlp + matrices) + 2 * head) / 1979e12 + attention / 989e12;
  const double observed = 8192 / 12'331.0;
  ASSERT_GT(as_it_is / observed, 1.03);
  ASSERT_LT(all_in_8 / observed, 1.03);

  const Json out = of_mixed({});
  EXPECT_NEAR(out["of_ceiling"], as_it_is / observed, 1e-6);
  EXPECT_EQ(cause_of(out, "other_types"), "");
  EXPECT_EQ(cause_of(out, "other_arithmetic"),
            "the layers that are left in 16 bits may be computed in fp8, too (1.98 PFLOP/s); "
            "--weights fp8 --arithmetic fp8 state it");
  const Json followed = of_mixed({"--weights", "fp8", "--arithmetic", "fp8"});
  EXPECT_EQ(followed["impossible"], false);
  EXPECT_NEAR(followed["of_ceiling"], all_in_8 / observed, 1e-6);
  // In 8 bits, and multiplied in 16: 1.22 s.
  const Json stored = of_mixed({"--weights", "int8"});
  EXPECT_EQ(stored["impossible"], true);
  EXPECT_EQ(cause_of(stored, "other_types"), "");
}

// 131 072 tokens of Llama 3.1 8B: 1.83 PFLOP of products and 4.50 of attention take 6.4 s in bf16,
// 5.5 s with the products in fp8, 3.2 s with both.
TEST(AdviseCauses, AttentionInFewBitsIsNoOption) {
  const Arguments call{"llama-3.1-8b", "--phase", "prefill",  "--context",     "131072",
                       "--batch",      "1",       "--device", "h100-80gb-sxm", "--step-time"};
  const Json products = advice(joined({call, {"5.5s"}}));
  EXPECT_EQ(products["impossible"], true);
  EXPECT_EQ(cause_of(products, "other_arithmetic"),
            "products may be computed in fp8 (1.98 PFLOP/s); --weights fp8 --arithmetic fp8 state "
            "it");
  EXPECT_EQ(
      advice(joined({call, {"5.5s", "--weights", "fp8", "--arithmetic", "fp8"}}))["impossible"],
      false);
  EXPECT_EQ(cause_of(advice(joined({call, {"4s"}})), "other_arithmetic"),
            "products and attention may be computed in fp8 (1.98 PFLOP/s), which no option states");
}

// 30 000 tokens/s of 4-bit weights: the products at 624 TFLOP/s are within them.
TEST(AdviseCauses, WeightsOfFewBitsNeedNoOthers) {
  const Json out =
      advice({"llama-3.1-8b", "--weights", "int4-g128", "--phase", "prefill", "--context", "4096",
              "--device", "a100-80gb-sxm", "--batch", "1", "--tokens-per-s", "30000"});
  EXPECT_EQ(cause_of(out, "other_arithmetic"),
            "products may be computed in int8 (624 TFLOP/s); --arithmetic int8 states it");
}

// ---- less that is stored ----

// 15.009 GB of weights and 12.885 GB of caches at 2039 GB/s; in 8 bits half of each, in 4 with a
// scale and a zero for 128 of them 4.15625 / 16.
TEST(AdviseCauses, LessIsStoredByTheOptionsThatAreNamed) {
  const double weights = 15'009'316'864.0;
  const double cache = 12'884'901'888.0;
  const auto fits = [](double bytes, double rate) { return bytes / 2039e9 <= 1.03 * 24 / rate; };
  const auto cause = [](const Arguments& more) { return cause_of(flagship(more), "other_types"); };
  EXPECT_FALSE(fits(weights + cache / 2, 2400));
  EXPECT_TRUE(fits(weights / 2 + cache, 2400));
  EXPECT_EQ(cause({"--tokens-per-s", "2400"}),
            "less may be stored: the weights in 8 bits explain it; --weights int8 states it");
  EXPECT_EQ(flagship({"--tokens-per-s", "2400", "--weights", "int8"})["impossible"], false);
  // What is in 8 bits already is not said to be.
  EXPECT_TRUE(fits(weights / 2 + cache / 2, 3000));
  EXPECT_EQ(cause({"--tokens-per-s", "3000", "--weights", "int8"}),
            "less may be stored: the cache in 8 bits explains it; --kv fp8 states it");
  EXPECT_TRUE(fits(weights * 4.15625 / 16 + cache / 2, 4500));
  EXPECT_EQ(cause({"--tokens-per-s", "4500", "--weights", "int8", "--kv", "fp8"}),
            "less may be stored: the weights in 4 bits explain it; --weights int4-g128 states it");
  EXPECT_EQ(cause({"--tokens-per-s", "9000", "--weights", "int4-g128", "--kv", "fp8"}), "");
  EXPECT_FALSE(fits(weights / 2 + cache / 2, 4500));
  EXPECT_EQ(cause({"--tokens-per-s", "4500"}),
            "less may be stored: the weights in 4 bits, the cache in 8 explain it; --weights "
            "int4-g128 --kv fp8 state it");
}

// ---- what was assumed of prompts and chunks ----

// FLOP of `fresh` tokens of Llama 3.1 8B behind `cached` of them, and the bytes of the step.
double flop_of(double fresh, double cached) {
  return fresh * 2 * 6'979'321'856 + 2 * 525'336'576.0 +
         16'384.0 * 32 * (fresh * cached + fresh * (fresh + 1) / 2);
}
bool is_within(double seconds, double fresh, double cached) {
  const double bytes = 15'009'316'864.0 + 131'072 * (cached + fresh - 1);
  return std::max(flop_of(fresh, cached) / 312e12, bytes / 2039e9) <= 1.03 * seconds;
}

TEST(AdviseCauses, PromptsMayBeShorter) {
  const Arguments call = joined({{"llama-3.1-8b", "--phase", "prefill"}, kA100});
  ASSERT_TRUE(is_within(0.060, 1347, 0));
  ASSERT_FALSE(is_within(0.060, 1348, 0));
  const Json out = advice(joined({call, {"--step-time", "60ms"}}));
  EXPECT_EQ(out["causes"][0]["text"],
            "prompts of 4096 tokens were assumed, and may be shorter: 1347 explain it; --context "
            "states it");
  const Json stated = advice(joined({call, {"--context", "4096", "--step-time", "60ms"}}));
  EXPECT_EQ(cause_of(stated, "wrong_context"),
            "the prompts may be shorter: 1347 tokens explain it");
  EXPECT_EQ(stated["causes"][0]["id"], "cached_prefix");
  // Prompts of no length: 312 TFLOP/s over 2 x 6.98 G a token are 22 351 tokens/s.
  EXPECT_EQ(cause_of(advice(joined({call, {"--tokens-per-s", "30000"}})), "wrong_context"), "");
}

TEST(AdviseCauses, AChunkMayBeSmaller) {
  const Arguments call = joined({{"llama-3.1-8b", "--phase", "chunk"}, kA100});
  ASSERT_TRUE(is_within(0.008, 159, 4096));
  ASSERT_FALSE(is_within(0.008, 160, 4096));
  const Json out = advice(joined({call, {"--step-time", "8ms"}}));
  EXPECT_EQ(out["causes"][0]["id"], "wrong_chunk");
  EXPECT_EQ(out["causes"][0]["text"],
            "a chunk of 512 tokens was assumed, and may be smaller: 159 explain it; --tokens "
            "states it");
  EXPECT_EQ(cause_of(out, "wrong_context"), "");
  EXPECT_EQ(
      cause_of(advice(joined({call, {"--tokens", "512", "--step-time", "8ms"}})), "wrong_chunk"),
      "the chunk may be smaller: 159 tokens explain it");
}

TEST(AdviseCauses, LessMayBeCachedBeforeAChunk) {
  const Arguments call = joined({{"llama-3.1-8b", "--phase", "chunk"}, kA100});
  ASSERT_TRUE(is_within(0.0255, 512, 3643));
  ASSERT_FALSE(is_within(0.0255, 512, 3644));
  EXPECT_EQ(cause_of(advice(joined({call, {"--step-time", "25.5ms"}})), "wrong_context"),
            "4096 cached tokens were assumed, and may be fewer: 3643 explain it; --context states "
            "it");
  ASSERT_TRUE(is_within(0.022457, 512, 0));
  ASSERT_FALSE(is_within(0.022457, 512, 1));
  EXPECT_EQ(cause_of(advice(joined({call, {"--context", "4096", "--step-time", "22.457ms"}})),
                     "wrong_context"),
            "fewer tokens may be cached: none explain it");
}

// ---- levers whose gain comes too late ----

// With the cache in 8 bits 24 sequences take (15.009 + 6.442) GB / 2039 GB/s = 10.5 ms, more than
// the 9 that 12 of them keep: 12 in 8.94 ms, 0.765 of 24 in 13.68.
TEST(AdviseCauses, WhatGainsTooLateStandsInNoTable) {
  const double few = 12 / ((15'009'316'864.0 + 12 * 268'435'456.0) / 2039e9);
  const double base = 24 / ((15'009'316'864.0 + 24 * 536'870'912.0) / 2039e9);
  ASSERT_NEAR(few / base, 0.765, 0.0005);
  const Arguments call{"--step-time", "22ms", "--tpot", "9ms"};
  const Json cache = lever(flagship(call), "KV8");
  EXPECT_EQ(cache["fixed_batch"]["later_than_deadline"], true);
  EXPECT_NEAR(cache["gain_capacity"], few / base, 1e-9);
  const std::string text = page(joined({kFlagship, kA100, call}));
  EXPECT_FALSE(contains(text, "\n   KV8")) << text;
  EXPECT_TRUE(contains(text, "KV8 (late, 0.765x)")) << text;
  EXPECT_TRUE(contains(text, "\nlate       at this batch")) << text;
}

}  // namespace
}  // namespace roofline::test
