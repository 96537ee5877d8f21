// Which type each product is computed in, what that makes of floor and ceiling, and that no ceiling
// passes 1.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "model/step_support.hpp"

namespace roofline::model::test {
namespace {

/// Llama-3.1-70B as it is exported in NVFP4: head and attention stay in 16 bits.
Architecture with_attention_left_out() {
  return read(with(config("llama-3.1-70b"), "quantization_config",
                   {{"quant_method", "modelopt"},
                    {"quant_algo", "NVFP4"},
                    {"ignore", {"lm_head", "model.layers.*.self_attn*"}}}));
}

StepTypes as_configured(const Architecture& model) {
  StepTypes out = types_of(model);
  out.linear = *model.weights.arithmetic;
  return out;
}

std::map<std::string, DType> arithmetic_by_name(const StepPlan& plan) {
  std::map<std::string, DType> out;
  for (const Operation& one : plan.operations())
    if (one.d_out > 0) out[std::string(one.name)] = one.arithmetic;
  return out;
}

TEST(StepArithmetic, AMatrixLeftIn16BitsIsMultipliedIn16) {
  const Architecture model = with_attention_left_out();
  const StepPlan plan(model, as_configured(model), {});
  const std::map<std::string, DType> expected{{"qkv", DType::bf16},
                                              {"output", DType::bf16},
                                              {"gate_up", DType::fp4},
                                              {"down", DType::fp4},
                                              {"lm_head", DType::bf16}};
  EXPECT_EQ(arithmetic_by_name(plan), expected);
}

// By hand, 8192 tokens on a device of 9000 and 2250 TFLOP/s: of a layer, qkv has 8192 x 10240
// weights, output 8192 x 8192, gate, up and down 3 x 8192 x 28672; there are 80 of them.
TEST(StepArithmetic, TheFloorSumsEachClassAtItsOwnPeak) {
  const Architecture model = with_attention_left_out();
  StepRoofs device = roofs(2250, 7672);
  device.peaks.set(DType::fp4, tflop_per_s(9000));
  const StepPlan plan(model, as_configured(model), {});
  const StepBounds b = bounds_of(plan, prefill(1, 8192), device);
  const double tokens = 8192;
  const double attention_weights = 80 * (8192.0 * 10240 + 8192.0 * 8192);
  const double mlp_weights = 80 * 3 * 8192.0 * 28672;
  const double pairs = tokens * (tokens + 1) / 2;
  const double in_16 =
      2 * tokens * attention_weights + 80 * 2 * 64 * 256.0 * pairs + 2 * 8192.0 * 128256;
  const double in_4 = 2 * tokens * mlp_weights;
  const double floor = in_16 / 2250e12 + in_4 / 9000e12;
  EXPECT_NEAR(in_second(b.floor()), floor, 1e-9 * floor);
  EXPECT_NEAR(floor, 0.230, 0.0005);
  EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(9000)), (in_16 + in_4) / (floor * 9000e12), 1e-9);
  EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(9000)), 0.585, 0.0005);
}

TEST(StepArithmetic, ARouterIsNeverComputedInFewBits) {
  const Architecture model = read(config("deepseek-v3"));
  const StepPlan plan(model, as_configured(model), {});
  const auto found = arithmetic_by_name(plan);
  EXPECT_EQ(found.at("router"), DType::bf16);
  EXPECT_EQ(found.at("expert_gate_up"), DType::fp8_e4m3);
  EXPECT_EQ(found.at("qkv_down"), DType::fp8_e4m3);
  // 2 bytes an activation, and the ridge of bf16: r 2 K N / (2 K N - r (2 K + 2 N)).
  const double r = 989e12 / 4814e9;
  const double k = 7168;
  const double n = 256;
  const auto rows = rows_to_ridge(operation_of(plan, "router"), plan.types(), flop_per_byte(r));
  ASSERT_TRUE(rows);
  EXPECT_NEAR(*rows, r * 2 * k * n / (2 * k * n - r * (2 * k + 2 * n)), 1e-9 * *rows);
}

TEST(StepArithmetic, WhatIsStoredInFewBitsThroughoutIsMultipliedSo) {
  const Architecture model = read(config("mixtral-8x7b-v0.1"));
  for (const bool head_too : {false, true}) {
    StepTypes types = stored(model, plain_format(DType::int8), head_too);
    types.linear = DType::int8;
    types.head = head_too ? DType::int8 : DType::bf16;
    for (const auto& [name, type] : arithmetic_by_name(StepPlan(model, types, {})))
      EXPECT_EQ(type, name == "lm_head" ? types.head : DType::int8) << name;
  }
}

// Of steps that arithmetic alone bounds the ceiling is 1, and a rounding above it is none.
TEST(StepArithmetic, NoCeilingPassesOne) {
  std::size_t full = 0;
  for (const char* name : {"llama-3.1-8b", "llama-3.1-70b", "qwen3-30b-a3b", "deepseek-v3"}) {
    for (const double peak : {312.0, 756.0, 989.4, 2250.0}) {
      const StepPlan plan = plan_of(name);
      const StepRoofs device = roofs(peak, 3352);
      for (std::uint64_t tokens = 512; tokens <= 20'000; tokens += 487) {
        for (const std::uint64_t batch : {1U, 2U, 3U}) {
          const StepBounds b = bounds_of(plan, chunk(batch, 1024, tokens, true), device);
          const double ceiling = mfu_ceiling(b, tflop_per_s(peak));
          EXPECT_LE(ceiling, 1) << name << ' ' << peak << ' ' << tokens;
          if (ceiling == 1) ++full;
        }
      }
    }
  }
  EXPECT_GT(full, 1000U);
}

TEST(StepArithmetic, NorDoesTheOneOfAGrowingBatch) {
  for (const double bandwidth : {2e5, 3e6, 7e7}) {
    const StepRoofs device = roofs(312, bandwidth);
    for (std::uint64_t context = 1; context < 5000; context += 37) {
      const DecodeLaw law = decode_law(plan_of("llama-3.2-1b"), context, device, 0);
      const DecodeLimits limits = decode_limits(law, device.bandwidth, tflop_per_s(312));
      ASSERT_TRUE(limits.mfu_limit && limits.mfu_limit_of_context);
      EXPECT_LE(*limits.mfu_limit, 1) << context;
      EXPECT_LE(*limits.mfu_limit_of_context, 1) << context;
    }
  }
}

}  // namespace
}  // namespace roofline::model::test
