// The counts of worked examples, of tools that got them wrong, and of public bug reports.
#include <gtest/gtest.h>

#include "model/support.hpp"

namespace roofline::model::test {
namespace {

struct Row {
  std::uint64_t total;
  std::uint64_t matmul;
  std::uint64_t kv_bf16;
};

void expect(const Json& config, const Row& row) {
  const Parameters counted = count(config);
  EXPECT_EQ(counted.total.value(), row.total);
  EXPECT_EQ(counted.matmul_resident.value(), row.matmul);
  EXPECT_EQ(counted.matmul_active.value(), row.matmul);
  EXPECT_EQ(kv_bf16(config), row.kv_bf16);
}

TEST(WorkedCounts, X01_Llama32_1B) {
  expect(config("llama-3.2-1b"), {1'235'814'400, 1'235'746'816, 32'768});
}
TEST(WorkedCounts, X02_Llama2_7B) {
  expect(config("llama-2-7b"), {6'738'415'616, 6'607'077'376, 524'288});
}
TEST(WorkedCounts, X03_Mistral7B) {
  expect(config("mistral-7b-v0.1"), {7'241'732'096, 7'110'393'856, 131'072});
}
TEST(WorkedCounts, X04_Qwen25_7B) {
  expect(config("qwen2.5-7b-instruct"), {7'615'616'512, 7'070'285'824, 57'344});
}
TEST(WorkedCounts, X05_Llama31_8B) {
  expect(config("llama-3.1-8b"), {8'030'261'248, 7'504'658'432, 131'072});
}
TEST(WorkedCounts, X06_Qwen3_8B) {
  expect(config("qwen3-8b"), {8'190'735'360, 7'568'097'280, 147'456});
}
TEST(WorkedCounts, X07_Llama2_13B) {
  expect(relative("llama-2-13b"), {13'015'864'320, 12'851'609'600, 819'200});
}
TEST(WorkedCounts, X08_Qwen3_30B_A3B) {
  const Parameters counted = count(config("qwen3-30b-a3b"));
  EXPECT_EQ(counted.total.value(), 30'532'122'624);
  EXPECT_EQ(counted.active.value(), 3'353'032'704);
  EXPECT_EQ(kv_bf16(config("qwen3-30b-a3b")), 98'304U);
}
TEST(WorkedCounts, X09_W58_Mixtral) {
  const Parameters counted = count(config("mixtral-8x7b-v0.1"));
  EXPECT_EQ(counted.total.value(), 46'702'792'704);
  EXPECT_EQ(counted.active.value(), 12'879'925'248);
  EXPECT_EQ(kv_bf16(config("mixtral-8x7b-v0.1")), 131'072U);
}
TEST(WorkedCounts, X10_Llama2_70B) {
  expect(relative("llama-2-70b"), {68'976'648'192, 68'713'185'280, 327'680});
}
TEST(WorkedCounts, X11_Llama31_70B) {
  expect(config("llama-3.1-70b"), {70'553'706'496, 69'501'714'432, 327'680});
}
TEST(WorkedCounts, X12_Qwen25_72B) {
  expect(relative("qwen2.5-72b"), {72'706'203'648, 71'458'357'248, 327'680});
}
TEST(WorkedCounts, X13_B211_Llama31_405B) {
  expect(config("llama-3.1-405b"), {405'853'388'800, 403'747'897'344, 516'096});
}
TEST(WorkedCounts, X14_B205_DeepSeekV3) {
  const Architecture model = read(config("deepseek-v3"));
  const Parameters counted = count_parameters(model);
  EXPECT_EQ(counted.total.value(), 671'026'419'200);
  EXPECT_EQ(counted.active.value(), 37'552'297'472);
  EXPECT_EQ(counted.active_without_input_embedding.value(), 36'625'618'432);
  ASSERT_EQ(model.layers.size(), 2U);
  EXPECT_EQ(model.layers[0].count, 3U);
  EXPECT_EQ(std::get<Mlp>(model.layers[0].layer.feed_forward).width, 18'432U);
  EXPECT_EQ(model.layers[1].count, 58U);
  EXPECT_EQ(std::get<Experts>(model.layers[1].layer.feed_forward).routed, 256U);
}

TEST(WorkedCounts, W13_WithoutNorms) {
  const Parameters counted = count({{"model_type", "llama"},
                                    {"num_hidden_layers", 64},
                                    {"hidden_size", 4096},
                                    {"intermediate_size", 16'384},
                                    {"num_attention_heads", 32},
                                    {"num_key_value_heads", 8},
                                    {"head_dim", 256},
                                    {"vocab_size", 32'128},
                                    {"tie_word_embeddings", true}});
  EXPECT_EQ(counted.matmul_resident.value(), 18'385'207'296);
  EXPECT_EQ(counted.total.value(),
            18'385'207'296 + 4096ULL * 129);  // 2 norms in 64 layers, 1 behind
}

TEST(WorkedCounts, W46_CommandRCachesThisManyValuesAToken) {
  const Architecture model = read(relative("command-r"));
  EXPECT_EQ(kv_elements(*model.layers.at(0).layer.attention).value() * layer_count(model),
            655'360U);
}

TEST(WorkedCounts, W50_CachePerToken) {
  EXPECT_EQ(kv_bf16(config("deepseek-v3")), 70'272U);
  EXPECT_EQ(kv_bf16(relative("qwen2.5-72b")), 327'680U);
  EXPECT_EQ(kv_bf16(config("llama-3.1-405b")), 516'096U);
}

TEST(WorkedCounts, P19_AGatedMlpHasThreeMatrices) {
  // 3 x 8 x 6 and 2 x 8 x 6 in each of two layers.
  EXPECT_EQ(total(small("llama")) - total(with(small("llama"), "intermediate_size", 5)),
            2 * 3 * 8U);
  EXPECT_EQ(total(small("nemotron")) - total(with(small("nemotron"), "intermediate_size", 5)),
            2 * 2 * 8U);
}

TEST(WorkedCounts, P20_AnExplicitHeadWidthIsTaken) {
  const Architecture model = read(config("qwen3-30b-a3b"));
  EXPECT_EQ(model.layers.at(0).layer.attention->qk_dim, 128U);
  EXPECT_EQ(kv_bf16(config("qwen3-30b-a3b")), 48U * 2 * 4 * 128 * 2);
}

TEST(WorkedCounts, P29_TheLatentProjectionHoldsItsRotaryPart) {
  bool found = false;
  for (const Tensor& tensor : tensors(read(config("deepseek-v3")))) {
    if (tensor.name != "kv down") continue;
    found = true;
    EXPECT_EQ(tensor.rows, 576U);
    EXPECT_EQ(tensor.columns, 7168U);
  }
  EXPECT_TRUE(found);
}

TEST(WorkedCounts, P31_DenseLayersBetweenExpertsCount) {
  Json model = with(small("qwen3_moe"), "decoder_sparse_step", 2);
  model["num_experts"] = 4;
  model["num_experts_per_tok"] = 2;
  model["moe_intermediate_size"] = 3;
  // Embedding and head 2 x 80, final norm 8; per layer attention 8 x 4 x (2 + 1 + 1 + 2), norms of
  // queries and keys 2 x 4, two norms 16. Layer 0 is dense, 3 x 8 x 6; layer 1 has a router of
  // 8 x 4 and four experts of 3 x 8 x 3.
  EXPECT_EQ(total(model), 160U + 8 + 2 * (192 + 8 + 16) + 144 + 32 + 4 * 72);
  EXPECT_EQ(count(model).active.value(), 160U + 8 + 2 * (192 + 8 + 16) + 144 + 32 + 2 * 72);
  EXPECT_EQ(total(with(model, "mlp_only_layers", {1})), 160U + 8 + 2 * (192 + 8 + 16) + 2 * 144);
}

TEST(ConfigCases, B038_ASharedExpertHasItsOwnWidth) {
  const Parameters counted = count(relative("qwen1.5-moe-a2.7b"));
  EXPECT_EQ(counted.total.value(), 14'315'784'192);
  EXPECT_EQ(counted.active.value(), 2'689'173'504);
}

TEST(ConfigCases, B046_WhatIsNoTransformerIsRefused) {
  for (const char* type : {"mamba2", "rwkv7", "mamba", "jamba", "recurrent_gemma"}) {
    const std::string why = refusal(with(small(), "model_type", type));
    EXPECT_TRUE(says(why, std::string("the architecture '") + type + "' is not modelled")) << why;
    EXPECT_TRUE(says(why, "only transformers are counted")) << why;
  }
  EXPECT_TRUE(says(refusal(with(small(), "model_type", "t5")), "encoder beside its decoder"));
  EXPECT_TRUE(says(refusal(with(small(), "model_type", "bert")), "is an encoder"));
  const std::string unknown = refusal(with(small(), "model_type", "lama"));
  EXPECT_TRUE(says(unknown, "'lama' is not modelled")) << unknown;
  EXPECT_TRUE(says(unknown, "llama, ")) << unknown;
}

TEST(ConfigCases, B196_AnExplicitHeadWidth) {
  EXPECT_EQ(total(relative("qwen3-4b")), 4'022'468'096);
  EXPECT_EQ(kv_bf16(relative("qwen3-4b")), 147'456U);
}

TEST(ConfigCases, B197_DivisibilityMattersOnlyWithoutAHeadWidth) {
  Json model = {{"model_type", "llama"},     {"hidden_size", 1792},       {"num_hidden_layers", 2},
                {"num_attention_heads", 24}, {"num_key_value_heads", 24}, {"head_dim", 64},
                {"intermediate_size", 4864}, {"vocab_size", 32'000}};
  EXPECT_EQ(read(model).layers.at(0).layer.attention->qk_dim, 64U);
  model.erase("head_dim");
  const std::string why = refusal(model);
  EXPECT_TRUE(says(why, "'hidden_size'")) << why;
  EXPECT_TRUE(says(why, "'num_attention_heads'")) << why;
  EXPECT_TRUE(says(why, "state 'head_dim'")) << why;
}

TEST(ConfigCases, B198_NoKvHeadsMeansAsManyAsQueryHeads) {
  Json model = config("llama-2-7b");
  model["num_key_value_heads"] = nullptr;
  EXPECT_EQ(kv_bf16(model), 524'288U);
  model.erase("num_key_value_heads");
  EXPECT_EQ(kv_bf16(model), 524'288U);
  EXPECT_EQ(total(model), 6'738'415'616);
}

TEST(ConfigCases, B200_FalconHasOneHeadOrGroups) {
  EXPECT_EQ(kv_bf16(relative("falcon-7b")), 8192U);
  EXPECT_EQ(kv_bf16(config("falcon-40b")), 122'880U);
  // The same under older names.
  Json old = relative("falcon-7b");
  for (const auto& [from, to] : {std::pair{"hidden_size", "n_embd"},
                                 {"num_hidden_layers", "n_layer"},
                                 {"num_attention_heads", "n_head"},
                                 {"num_kv_heads", "n_head_kv"}}) {
    old[to] = old[from];
    old.erase(from);
  }
  EXPECT_EQ(kv_bf16(old), 8192U);
  EXPECT_EQ(total(old), 6'921'720'704);
}

TEST(ConfigCases, B203_EveryNameOfTheExpertCount) {
  EXPECT_EQ(total(config("mixtral-8x7b-v0.1")), 46'702'792'704);
  EXPECT_EQ(total(config("qwen3-30b-a3b")), 30'532'122'624);
  EXPECT_EQ(total(config("deepseek-v3")), 671'026'419'200);
  Json renamed = config("mixtral-8x7b-v0.1");
  renamed["expert_total"] = renamed["num_local_experts"];
  renamed.erase("num_local_experts");
  EXPECT_TRUE(says(refusal(renamed), "num_local_experts' is missing")) << refusal(renamed);
  const std::string dense = refusal(with(small(), "num_experts_of_a_kind", 8));
  EXPECT_TRUE(says(dense, "'num_experts_of_a_kind' is not known")) << dense;
}

TEST(ConfigCases, B209_AnUnknownAttentionVariantIsNamed) {
  Json model = with(small("deepseek_v9"), "q_lora_rank", 1536);
  EXPECT_TRUE(says(refusal(model), "unsupported attention variant")) << refusal(model);
  model["model_type"] = "llama";
  EXPECT_TRUE(says(refusal(model), "unsupported attention variant")) << refusal(model);
  Json v3 = config("deepseek-v3");
  v3.erase("kv_lora_rank");
  EXPECT_TRUE(says(refusal(v3), "unsupported attention variant")) << refusal(v3);
}

TEST(ConfigCases, B218_TrillionsStayExact) {
  EXPECT_EQ(total(with(config("deepseek-v3"), "n_routed_experts", 384)), 998'034'027'264);
  const Json large = with(config("deepseek-v3"), "n_routed_experts", 512);
  EXPECT_EQ(total(large), 1'325'041'635'328);
  const Architecture model = read(large);
  const auto bytes = weight_bytes(model, stored_as(model.weights, plain_format(DType::bf16)));
  EXPECT_EQ(bytes->total.value(), 2'650'083'270'656);
}

}  // namespace
}  // namespace roofline::model::test
