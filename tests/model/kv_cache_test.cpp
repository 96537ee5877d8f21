// What a sequence keeps: latent caches, windows that are on, off, alternating or listed, chunks.
#include <gtest/gtest.h>

#include "model/support.hpp"

namespace roofline::model::test {
namespace {

std::uint64_t in_windows(const Json& config, std::uint64_t tokens) {
  return kv_bytes_in_windows(read(config), DType::bf16, tokens).value();
}
std::uint64_t in_full(const Json& config, std::uint64_t tokens) {
  return kv_bytes_in_full(read(config), DType::bf16, tokens).value();
}
std::uint64_t beyond(const Json& config) {
  return kv_byte_per_token_beyond_windows(read(config), DType::bf16).value();
}

/// Layers without a window.
std::uint64_t full_layers(const Json& config) {
  std::uint64_t out = 0;
  for (const LayerKind& kind : read(config).layers) {
    if (kind.layer.attention->span.reach == Reach::full) out += kind.count;
  }
  return out;
}

TEST(KvCacheCases, B208_ALatentIsCachedOnce) {
  EXPECT_EQ(kv_bf16(config("deepseek-v3")), 70'272U);
  EXPECT_EQ(in_windows(config("deepseek-v3"), 32'768), 2'302'672'896U);
}

TEST(KvCacheCases, B210_KeysAndValuesOfEveryKvHead) {
  EXPECT_EQ(kv_bf16(config("llama-3.1-8b")), 131'072U);
  EXPECT_EQ(in_windows(config("llama-3.1-8b"), 128'000), 16'777'216'000U);  // 15.625 GiB
}

TEST(KvCacheCases, B212_TrafficAndCapacityAreTwoFigures) {
  const Json model = config("gpt-oss-20b");
  EXPECT_EQ(in_windows(model, 131'072), 12U * 2048 * 131'072 + 12U * 2048 * 128);
  EXPECT_NEAR(static_cast<double>(in_windows(model, 131'072)) / (1U << 30U), 3.003, 0.0005);
  EXPECT_EQ(in_full(model, 131'072), std::uint64_t{6} << 30U);
  EXPECT_EQ(in_windows(model, 1), 49'152U);
  EXPECT_EQ(beyond(model), 24'576U);
}

TEST(KvCacheCases, B213_AWindowThatIsOffOrNullDoesNotApply) {
  const Json qwen = config("qwen2.5-7b-instruct");
  EXPECT_EQ(full_layers(qwen), 28U);
  Json on = with(with(qwen, "use_sliding_window", true), "sliding_window", 4096);
  EXPECT_EQ(full_layers(on), 28U) << "max_window_layers is 28: none is left";
  EXPECT_EQ(full_layers(with(on, "max_window_layers", 20)), 20U);
  EXPECT_EQ(full_layers(with(small("mistral"), "sliding_window", nullptr)), 2U);
  EXPECT_EQ(full_layers(with(small("mistral"), "sliding_window", 16)), 0U);

  Json gemma = small("gemma3_text");
  gemma["num_hidden_layers"] = 26;
  gemma["sliding_window"] = 16;
  EXPECT_EQ(full_layers(with(gemma, "sliding_window_pattern", 6)), 4U);
  EXPECT_EQ(full_layers(gemma), 4U) << "the family's own period is 6";

  Json listed = with(small("qwen3"), "sliding_window", 16);
  listed["use_sliding_window"] = false;
  listed["layer_types"] = {"sliding_attention", "full_attention"};
  EXPECT_EQ(full_layers(listed), 1U) << "the list decides";
  EXPECT_EQ(in_windows(listed, 40), (16U + 40) * 2 * 4 * 2);
}

TEST(KvCache, WindowsNeverHoldMoreThanTheSequence) {
  for (const char* name : {"gemma-3-27b-it", "gpt-oss-20b", "llama-4-scout-17b-16e", "gemma-2-9b",
                           "mistral-7b-v0.1", "starcoder2-7b"}) {
    const Json model = config(name);
    std::uint64_t before = 0;
    for (const std::uint64_t tokens : {0U, 1U, 127U, 128U, 129U, 1024U, 4097U, 8192U, 100'000U}) {
      const std::uint64_t now = in_windows(model, tokens);
      EXPECT_GE(now, before) << name << " " << tokens;
      EXPECT_LE(now, in_full(model, tokens)) << name << " " << tokens;
      before = now;
    }
    // Once every window is full, a token adds what the full layers keep.
    EXPECT_EQ(in_windows(model, 100'001) - in_windows(model, 100'000), beyond(model)) << name;
  }
}

TEST(KvCache, ChunksHoldAtMostOneChunk) {
  const Json model = config("llama-4-scout-17b-16e");
  const std::uint64_t layer = 4096;  // 2 x 8 heads x 128 x 2 bytes
  EXPECT_EQ(in_windows(model, 1'000'000), layer * (12 * 1'000'000ULL + 36 * 8192ULL));
}

TEST(KvCache, AWindowAsLongAsTheContextIsNone) {
  EXPECT_EQ(beyond(config("phi-3.5-mini-instruct")), 393'216U);
  EXPECT_EQ(beyond(config("mistral-7b-v0.1")), 0U);
}

TEST(KvCache, TypesOfTheCache) {
  const Architecture model = read(config("llama-3.1-8b"));
  EXPECT_EQ(kv_byte_per_token(model, DType::fp8_e4m3).value(), 65'536U);
  EXPECT_EQ(kv_byte_per_token(model, DType::int8).value(), 65'536U);
  EXPECT_EQ(kv_byte_per_token(model, DType::fp4).value(), 32'768U);
  EXPECT_EQ(kv_byte_per_token(model, DType::fp32).value(), 262'144U);
}

TEST(KvCache, ListsMustFitTheLayers) {
  Json model = with(small("qwen3"), "layer_types", {"full_attention"});
  EXPECT_TRUE(says(refusal(model), "'layer_types' has 1 entries for 2 layers")) << refusal(model);
  model["layer_types"] = {"full_attention", "linear_attention"};
  EXPECT_TRUE(says(refusal(model), "'linear_attention', which is not modelled")) << refusal(model);
  model["layer_types"] = {"full_attention", "sliding_attention"};
  EXPECT_TRUE(says(refusal(model), "'sliding_window' is missing")) << refusal(model);
}

TEST(KvCache, WhatDoesNotFitIsRefused) {
  const Architecture model = read(config("llama-3.1-405b"));
  EXPECT_THROW(static_cast<void>(kv_bytes_in_full(model, DType::bf16, ~std::uint64_t{0} / 1000)),
               InputError);
}

}  // namespace
}  // namespace roofline::model::test
