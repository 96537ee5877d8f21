// A configuration in which one key is altered counts what the key says, by hand; one that it does
// not know is refused where it may matter, and warned of where it may not.
#include <gtest/gtest.h>

#include "model/support.hpp"

namespace roofline::model::test {
namespace {

/// What one key adds to the small model, or takes from it.
std::int64_t change(const Json& base, const std::string& key, const Json& value) {
  return static_cast<std::int64_t>(total(with(base, key, value))) -
         static_cast<std::int64_t>(total(base));
}

TEST(Mutants, TheSmallModelByHand) {
  // Embedding and head 10 x 8 each; per layer query and output 8 x 8, key and value 8 x 4, MLP
  // 3 x 8 x 6, two norms of 8; a final norm of 8.
  EXPECT_EQ(total(small()), 2U * 80 + 2 * (2 * 64 + 2 * 32 + 144 + 16) + 8);
  EXPECT_EQ(count(small()).matmul_resident.value(), 80U + 2 * (128 + 64 + 144));
  EXPECT_EQ(kv_bf16(small()), 2U * 2 * 4 * 2);
}

TEST(Mutants, EachKeyChangesTheCountByHand) {
  const Json base = small();
  EXPECT_EQ(change(base, "num_hidden_layers", 3), 352);
  EXPECT_EQ(change(base, "num_key_value_heads", 2), 2 * 2 * 32);
  EXPECT_EQ(change(base, "head_dim", 5), 2 * 8 * (2 + 1 + 1 + 2));
  EXPECT_EQ(change(base, "intermediate_size", 7), 2 * 3 * 8);
  EXPECT_EQ(change(base, "vocab_size", 11), 16);
  EXPECT_EQ(change(base, "tie_word_embeddings", true), -80);
  EXPECT_EQ(change(base, "attention_bias", true), 2 * (8 + 4 + 4 + 8));
  EXPECT_EQ(change(base, "mlp_bias", true), 2 * (6 + 6 + 8));
  EXPECT_EQ(change(base, "max_position_embeddings", 128), 0);
  EXPECT_EQ(change(base, "rope_theta", 1e6), 0);
}

TEST(Mutants, FamiliesDifferByHand) {
  const auto llama = static_cast<std::int64_t>(total(small("llama")));
  const auto against_llama = [&](const Json& config) {
    return static_cast<std::int64_t>(total(config)) - llama;
  };
  EXPECT_EQ(against_llama(small("mistral")), 0);
  EXPECT_EQ(against_llama(small("qwen2")), 2 * (8 + 4 + 4));
  EXPECT_EQ(against_llama(small("qwen3")), 2 * (4 + 4));
  EXPECT_EQ(against_llama(small("olmo2")), 2 * (8 + 4));
  EXPECT_EQ(against_llama(small("olmo")), -(2 * 16 + 8));
  EXPECT_EQ(against_llama(small("gemma")), -80);
  EXPECT_EQ(against_llama(small("gemma2")), -80 + 2 * 16);
  EXPECT_EQ(against_llama(small("gemma3_text")), -80 + 2 * (16 + 8));
  EXPECT_EQ(against_llama(small("cohere")), -80 - 2 * 8);
  // Two matrices, and norms with a shift.
  EXPECT_EQ(against_llama(small("nemotron")), 2 * (-48 + 16) + 8);
  // And biases of everything: projections 8 + 4 + 4 + 8, MLP 6 + 8.
  EXPECT_EQ(against_llama(small("starcoder2")), -80 + 2 * (-48 + 16 + 24 + 14) + 8);
  // 64 learned positions.
  Json gpt2 = small("gpt2");
  gpt2["num_key_value_heads"] = 2;
  EXPECT_EQ(against_llama(gpt2), -80 + 64 * 8 + 2 * (64 - 48 + 16 + 32 + 14) + 8);
}

TEST(Mutants, ExpertsByHand) {
  Json base = small("mixtral");
  base["num_local_experts"] = 4;
  base["num_experts_per_tok"] = 2;
  // Instead of 144: a router of 4 x 8 and four experts of 144.
  EXPECT_EQ(total(base), 872U + 2 * (32 + 3 * 144));
  EXPECT_EQ(count(base).active.value(), 872U + 2 * (32 + 144));
  EXPECT_EQ(change(base, "num_local_experts", 5), 2 * (8 + 144));
  EXPECT_EQ(change(base, "num_experts_per_tok", 3), 0);
  EXPECT_TRUE(says(refusal(with(base, "num_experts_per_tok", 5)), "more than the 4 experts"));

  Json glm = small("glm4_moe");
  glm["n_routed_experts"] = 4;
  glm["n_shared_experts"] = 1;
  glm["num_experts_per_tok"] = 2;
  glm["moe_intermediate_size"] = 3;
  glm["first_k_dense_replace"] = 1;
  // Layer 1: router 32 and its 4 terms, 4 + 1 experts of 72; layer 0: 144.
  EXPECT_EQ(total(glm), 872U - 144 + 36 + 5 * 72);
  EXPECT_EQ(change(glm, "n_shared_experts", 2), 72);
  EXPECT_EQ(change(glm, "n_shared_experts", 0), -72);
  EXPECT_EQ(change(glm, "first_k_dense_replace", 2), 144 - 36 - 5 * 72);
  EXPECT_EQ(change(glm, "use_qk_norm", true), 2 * 8);
  EXPECT_EQ(change(glm, "num_nextn_predict_layers", 1), 0);
  EXPECT_EQ(read(with(glm, "num_nextn_predict_layers", 1)).warnings.size(), 1U);

  Json oss = small("gpt_oss");
  oss["num_local_experts"] = 4;
  oss["num_experts_per_tok"] = 2;
  // Router and its biases, experts of 144 and their biases 6 + 6 + 8; biases of projections 24; a
  // sink for each of two heads.
  EXPECT_EQ(total(oss), 872U + 2 * (-144 + 32 + 4 + 4 * (144 + 20) + 24 + 2));
}

TEST(Mutants, LatentAttentionByHand) {
  Json base = small("deepseek_v2");
  base["kv_lora_rank"] = 5;
  base["qk_nope_head_dim"] = 3;
  base["qk_rope_head_dim"] = 2;
  base["v_head_dim"] = 4;
  base["q_lora_rank"] = nullptr;
  base["n_routed_experts"] = 2;
  base["num_experts_per_tok"] = 1;
  base["moe_intermediate_size"] = 3;
  base["first_k_dense_replace"] = 2;
  base["head_dim"] = nullptr;
  // Query 8 x 2(3 + 2), down 8 x (5 + 2), norm 5, up 5 x 2(3 + 4), output 8 x 2 x 4.
  const std::uint64_t attention = 80 + 56 + 5 + 70 + 64;
  EXPECT_EQ(total(base), 160U + 8 + 2 * (attention + 144 + 16));
  EXPECT_EQ(kv_bf16(base), 2U * (5 + 2) * 2);
  // Compressed queries: 8 x 6, norm 6, 6 x 10 instead of 80.
  EXPECT_EQ(change(base, "q_lora_rank", 6), 2 * (48 + 6 + 60 - 80));
}

TEST(Mutants, BlocksByHand) {
  const Json block = Json::parse(R"({"attention": {"n_heads_in_group": 2, "no_op": false},
                                     "ffn": {"ffn_mult": 96.0, "no_op": false}})");
  Json base = small("nemotron-nas");
  base["num_key_value_heads"] = nullptr;
  base["intermediate_size"] = nullptr;
  base["block_configs"] = {block, block};
  // 2 x 96 x 8 / 3 is 512 already.
  EXPECT_EQ(total(base), 168U + 2 * (192 + 3 * 8 * 512 + 16));
  Json mutant = base;
  mutant["block_configs"][1]["ffn"]["ffn_mult"] = 96.2;
  EXPECT_EQ(total(mutant) - total(base), 3U * 8 * 256) << "513 is made 768";
  mutant = base;
  mutant["block_configs"][1]["attention"]["no_op"] = true;
  EXPECT_EQ(total(base) - total(mutant), 192U + 8);
  EXPECT_EQ(kv_bf16(mutant), 2U * 4 * 2);
  mutant["block_configs"][1]["ffn"]["no_op"] = true;
  EXPECT_EQ(total(base) - total(mutant), 192U + 3 * 8 * 512 + 16);
  mutant = base;
  mutant["block_configs"][0]["attention"]["n_heads_in_group"] = 1;
  EXPECT_EQ(total(mutant) - total(base), 64U);
  mutant["block_configs"][0]["attention"]["n_heads_in_group"] = 3;
  EXPECT_TRUE(says(refusal(mutant), "block_configs[0].attention.n_heads_in_group"))
      << refusal(mutant);
  mutant = base;
  mutant["block_configs"][0]["ffn"]["replace_with_linear"] = true;
  EXPECT_TRUE(says(refusal(mutant), "replace_with_linear")) << refusal(mutant);
  mutant["block_configs"] = Json::array({block});
  EXPECT_TRUE(says(refusal(mutant), "has 1 entries for 2 layers")) << refusal(mutant);
  mutant["block_configs"] = nullptr;
  EXPECT_TRUE(says(refusal(mutant), "'block_configs' has 0 entries")) << refusal(mutant);
}

TEST(Mutants, AVisionTowerIsCountedApartOrSaidToBeLeftOut) {
  const Json gemma = config("gemma-3-27b-it");
  const Parameters counted = count(gemma);
  EXPECT_EQ(counted.text.value(), 27'009'346'304);
  EXPECT_EQ(counted.vision.value(), 416'866'032U + 6'194'304);
  EXPECT_EQ(counted.matmul_active, counted.matmul_resident);
  const std::uint64_t layer = 4 * (1152 * 1152 + 1152) + 2 * 1152 * 4304 + 1152 + 4304 + 4 * 1152;
  Json mutant = gemma;
  mutant["vision_config"]["num_hidden_layers"] = 26;
  EXPECT_EQ(counted.vision.value() - count(mutant).vision.value(), layer);
  mutant["vision_config"]["model_type"] = "another_tower";
  EXPECT_EQ(total(mutant), 27'009'346'304);
  ASSERT_EQ(read(mutant).warnings.size(), 1U);
  EXPECT_TRUE(says(read(mutant).warnings[0], "'vision_config'")) << read(mutant).warnings[0];
  Json other = config("llama-4-scout-17b-16e");
  other["vision_config"] = {{"model_type", "llama4_vision_model"}, {"hidden_size", 1408}};
  EXPECT_EQ(total(other), 107'769'861'120);
  EXPECT_TRUE(says(read(other).warnings.at(0), "'vision_config'"));
}

TEST(Mutants, DenseLayersNeedTheirWidth) {
  Json llama4 = small("llama4_text");
  llama4["num_local_experts"] = 4;
  llama4["num_experts_per_tok"] = 1;
  llama4["interleave_moe_layer_step"] = 2;
  EXPECT_TRUE(says(refusal(llama4), "'intermediate_size_mlp' is missing")) << refusal(llama4);
  llama4["intermediate_size_mlp"] = 12;
  // Layer 0: an MLP of 12; layer 1: a router, four experts and a shared one of 6.
  EXPECT_EQ(total(llama4), 872U + (288 - 144) + (32 + 5 * 144 - 144));
  EXPECT_TRUE(
      says(refusal(with(small(), "intermediate_size", nullptr)), "'intermediate_size' is missing"));
}

TEST(Mutants, NestedKeysAreNamedByTheirPath) {
  Json model = config("gemma-3-27b-it");
  model["text_config"]["hidden_size"] = "wide";
  EXPECT_TRUE(says(refusal(model), "'text_config.hidden_size' must be a whole number"))
      << refusal(model);
}

TEST(Mutants, KeysThatMayMatterAreRefusedByName) {
  for (const char* key : {"num_experts",
                          "n_shared_experts",
                          "moe_intermediate_size",
                          "kv_lora_rank",
                          "sliding_window",
                          "num_kv_shared_layers",
                          "hidden_size_per_layer_input",
                          "vocab_size_per_layer_input",
                          "ssm_cfg",
                          "linear_num_value_heads",
                          "mamba_d_ssm",
                          "state_size",
                          "num_nope_layers",
                          "embedding_size",
                          "cross_attention_layers",
                          "adapter_rank",
                          "index_topk",
                          "shared_rank",
                          "n_memory",
                          "add_cross_attention"}) {
    const std::string why = refusal(with(small(), key, 2));
    EXPECT_TRUE(says(why, std::string("'") + key + "'")) << key << ": " << why;
    EXPECT_TRUE(says(why, "set it to null")) << key << ": " << why;
    // What says nothing is nothing.
    EXPECT_EQ(total(with(small(), key, nullptr)), 872U) << key;
    EXPECT_EQ(total(with(small(), key, 0)), 872U) << key;
    EXPECT_EQ(total(with(small(), key, Json::array())), 872U) << key;
  }
  EXPECT_TRUE(says(refusal(with(small(), "index_topk", 2048)), "sparse attention is not modelled"));
}

TEST(Mutants, KeysThatDoNotMatterAreWarnedOfOrKnown) {
  for (const char* key : {"my_remark", "favourite_colour", "trained_on"}) {
    const Architecture model = read(with(small(), key, "x"));
    ASSERT_EQ(model.warnings.size(), 1U) << key;
    EXPECT_TRUE(says(model.warnings[0], key)) << model.warnings[0];
  }
  for (const char* key :
       {"use_cache", "pretraining_tp", "rope_scaling", "bos_token_id", "_name_or_path",
        "attention_dropout", "rms_norm_eps", "hidden_act", "task_specific_params"}) {
    EXPECT_TRUE(read(with(small(), key, 1)).warnings.empty()) << key;
  }
}

TEST(Mutants, LinearAttentionIsRefusedWhereverItIsStated) {
  Json minimax = config("minimax-m2.5");
  minimax["attn_type_list"] = std::vector<int>(62, 1);
  EXPECT_EQ(total(minimax), 228'689'764'864);
  minimax["attn_type_list"][5] = 0;
  EXPECT_TRUE(says(refusal(minimax), "linear attention")) << refusal(minimax);
  EXPECT_TRUE(says(refusal(with(minimax, "attn_type_list", nullptr)), "accepted"));
}

TEST(Mutants, TwoNamesOfOneSizeMustAgree) {
  EXPECT_EQ(total(with(small(), "n_embd", 8)), 872U);
  const std::string why = refusal(with(small(), "n_embd", 16));
  EXPECT_TRUE(says(why, "'hidden_size' is 8 and 'n_embd' is 16")) << why;
}

TEST(Mutants, HeadsMustDivide) {
  EXPECT_TRUE(says(refusal(with(small(), "num_key_value_heads", 3)), "'num_key_value_heads' is 3"));
  EXPECT_TRUE(says(refusal(with(small(), "num_key_value_heads", 0)), "'num_key_value_heads' is 0"));
}

TEST(Mutants, OtherHeadsThanALanguageModelsAreRefused) {
  for (const char* one :
       {"LlamaForSequenceClassification", "LlamaModel", "LlamaForTokenClassification"}) {
    const std::string why = refusal(with(small(), "architectures", {one}));
    EXPECT_TRUE(says(why, one)) << why;
    EXPECT_TRUE(says(why, "no vocabulary head")) << why;
  }
  EXPECT_EQ(total(with(small(), "architectures", {"LlamaForCausalLM"})), 872U);
  EXPECT_EQ(total(with(small(), "architectures", {"SmallLMHeadModel"})), 872U);
}

}  // namespace
}  // namespace roofline::model::test
