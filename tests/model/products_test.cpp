// The products that a model is run with: fused as engines fuse them, each once, none left out.
#include <gtest/gtest.h>

#include "model/products.hpp"
#include "model/support.hpp"

namespace roofline::model::test {
namespace {

using List = std::vector<Product>;

List of(const std::string& name) { return products(read(config(name))); }

TEST(Products, ALlamaHasFourAndTheHead) {
  EXPECT_EQ(of("llama-3.1-8b"), (List{{"qkv", 6144, 4096},
                                      {"output", 4096, 4096},
                                      {"gate_up", 28'672, 4096},
                                      {"down", 4096, 14'336},
                                      {"lm_head", 128'256, 4096}}));
}

TEST(Products, WithoutAGateTheFirstMatrixIsAloneInItsProduct) {
  const List gpt = of("gpt2");
  ASSERT_EQ(gpt.size(), 5U);
  EXPECT_EQ(gpt.at(2).outputs, 3072U);
  EXPECT_EQ(gpt.at(2).inputs, 768U);
  EXPECT_EQ(gpt.at(3), (Product{"down", 768, 3072}));
}

TEST(Products, AnExpertIsOneOfMany) {
  EXPECT_EQ(of("mixtral-8x7b-v0.1"), (List{{"qkv", 6144, 4096},
                                           {"output", 4096, 4096},
                                           {"router", 8, 4096},
                                           {"expert_gate_up", 28'672, 4096, 2, 8},
                                           {"expert_down", 4096, 14'336, 2, 8},
                                           {"lm_head", 32'000, 4096}}));
}

TEST(Products, LatentAttentionGoesDownAndUp) {
  // Down to 1536 and to 512 + 64 at once; up to 128 heads of 192, and of 128 + 128.
  EXPECT_EQ(of("deepseek-v3"), (List{{"qkv_down", 2112, 7168},
                                     {"query_up", 24'576, 1536},
                                     {"kv_up", 32'768, 512},
                                     {"output", 7168, 16'384},
                                     {"gate_up", 36'864, 7168},
                                     {"down", 7168, 18'432},
                                     {"router", 256, 7168},
                                     {"expert_gate_up", 4096, 7168, 8, 256},
                                     {"expert_down", 7168, 2048, 8, 256},
                                     {"shared_gate_up", 4096, 7168},
                                     {"shared_down", 7168, 2048},
                                     {"lm_head", 129'280, 7168}}));
  const List lite = of("deepseek-v2-lite");
  // Without a latent of the queries there is no product of both downs.
  EXPECT_EQ(lite.at(0).outputs, 16U * 192);
  EXPECT_EQ(lite.at(1).outputs, 576U);
  EXPECT_EQ(lite.at(2), (Product{"kv_up", 4096, 512}));
}

TEST(Products, LayersThatDifferInTheirWindowAloneStandOnce) {
  const List gemma = of("gemma-2-9b");
  EXPECT_EQ(gemma.size(), 5U);
  EXPECT_EQ(gemma.at(0), (Product{"qkv", 8192, 3584}));
  // Blocks of many widths, some of them missing.
  std::size_t widths = 0;
  for (const Product& one : of("nemotron-super-49b-v1")) widths += one.name == "down" ? 1U : 0U;
  EXPECT_GT(widths, 1U);
}

TEST(Products, NoWeightIsLeftOut) {
  for (const char* name : {"llama-3.1-8b", "llama-3.2-1b", "gpt2", "mixtral-8x7b-v0.1",
                           "qwen3-30b-a3b", "falcon-40b", "gpt-j-6b"}) {
    const Architecture model = read(config(name));
    ASSERT_EQ(model.layers.size(), 1U) << name;
    std::uint64_t weights = 0;
    for (const Product& one : products(model))
      weights += one.outputs * one.inputs * one.experts *
                 (one.name == "lm_head" ? 1 : model.layers.front().count);
    EXPECT_EQ(weights, count_parameters(model).matmul_resident.value()) << name;
  }
}

TEST(Products, AnExpertGetsItsShareOfTheRows) {
  const Product expert{"expert_down", 1, 1, 8, 256};
  EXPECT_EQ(rows_of(expert, 1), 1U);
  EXPECT_EQ(rows_of(expert, 32), 1U);
  EXPECT_EQ(rows_of(expert, 47), 1U);
  EXPECT_EQ(rows_of(expert, 48), 2U);
  EXPECT_EQ(rows_of(expert, 512), 16U);
  EXPECT_EQ(rows_of({"qkv", 1, 1}, 512), 512U);
}

}  // namespace
}  // namespace roofline::model::test
