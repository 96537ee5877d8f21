// What roofline advise makes of a reading: over which peak, from which assumptions, and what may
// have gone wrong with it.
#include <gtest/gtest.h>

#include "cli/advise_call.hpp"

namespace roofline::test {
namespace {

/// The text of a cause; empty where it is not named.
std::string cause_text(const Json& out, const std::string& id) {
  for (const Json& one : out["causes"])
    if (one["id"] == id) return one["text"];
  return "";
}

// ---- prompts from a prefix cache ----

// What is left of 4 prompts of 4096 tokens of which `cached` are kept: 2 FLOP for each of 6 979 321
// 856 weights of the layers and each token, the head on 4 rows, and 16 384 FLOP in each of 32
// layers for each pair.
double flop_of_rest(double cached) {
  const double fresh = 4096 - cached;
  const double pairs = fresh * cached + fresh * (fresh + 1) / 2;
  return 4 * (fresh * 2 * 6'979'321'856 + 2 * 525'336'576.0 + 16'384.0 * 32 * pairs);
}

TEST(AdviseReading, ACachedPrefixExplainsARateAsItDoesATime) {
  const Arguments step{"llama-3.1-8b", "--phase", "prefill", "--batch", "4", "--context", "4096"};
  const auto found = [&](const Arguments& reading) {
    return cause_text(advice(joined({step, kA100, reading})), "cached_prefix");
  };
  // 50 000 tokens/s are 16 384 in 327.68 ms, which a rated roof may be passed by 3 % for.
  EXPECT_LE(flop_of_rest(2416) / 312e12, 1.03 * 0.32768);
  EXPECT_GT(flop_of_rest(2415) / 312e12, 1.03 * 0.32768);
  const std::string expected =
      "part of the prompts may come from a prefix cache: 2416 of 4096 tokens explain it";
  EXPECT_EQ(found({"--step-time", "327.68ms"}), expected);
  EXPECT_EQ(found({"--tokens-per-s", "50000"}), expected);
  // The same rate as MFU of whole prompts: 240.9 % of 312.
  const double mfu = flop_of_rest(0) / 0.32768 / 312e12;
  EXPECT_EQ(found({"--mfu", std::to_string(mfu * 100) + "%"}), expected);
}

// ---- the peak of what is asked ----

TEST(AdviseReading, AnOperationIsHeldOverThePeakThatItIsComputedAt) {
  const Arguments step{"deepseek-v3",    "--tensor-parallel", "8",
                       "--phase",        "prefill",           "--context",
                       "8192",           "--bandwidth",       "4.8TB/s",
                       "--peak-flops",   "fp8=1979TFLOP/s",   "--peak-flops",
                       "bf16=989TFLOP/s"};
  const auto held = [&](const std::string& scope, const std::string& mfu) {
    return advice(joined({step, {"--scope", scope, "--mfu", mfu}}));
  };
  // 60 % of 989: 593 TFLOP/s, which attention kernels show.
  const Json attention = held("attention", "60%");
  EXPECT_EQ(attention["reading"]["peak"]["dtype"], "bf16");
  EXPECT_EQ(attention["reading"]["peak"]["flop_per_s"], 989'000'000'000'000);
  EXPECT_NEAR(attention["reading"]["achieved_flop_per_s"], 0.6 * 989e12, 1e6);
  EXPECT_NEAR(attention["mfu_ceiling"], 1, 1e-12);
  EXPECT_EQ(attention["impossible"], false);
  const Json head = held("lm_head", "0.3%");
  EXPECT_EQ(head["reading"]["peak"]["dtype"], "bf16");
  const Json experts = held("expert_down", "30%");
  EXPECT_EQ(experts["reading"]["peak"]["dtype"], "fp8_e4m3");
  EXPECT_TRUE(contains(page(joined({step, {"--scope", "attention", "--mfu", "60%"}})),
                       "x 989 TFLOP/s bf16, user"));
  // Above 100 % of bf16 another peak may have been meant, and never the same again.
  const Json above = held("attention", "120%");
  EXPECT_EQ(above["impossible"], true);
  EXPECT_FALSE(contains(cause_text(above, "wrong_dtype_peak"), "bf16"));
}

}  // namespace
}  // namespace roofline::test
