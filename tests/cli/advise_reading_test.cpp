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

// ---- what was assumed ----

// 6 % are 18.72 TFLOP/s. A batch of B is 17.16 GFLOP and 0.537 GB a sequence beside 15.009 GB: 11
// of them take 10.26 ms and are 188.7 GFLOP, 18.40 TFLOP/s at most, which 6 % passes by less than 3
// %.
TEST(AdviseReading, WhatNobodyStatedIsTheFirstToBeDoubted) {
  const Json out = advice(joined({{"llama-3.1-8b"}, kA100, {"--mfu", "6%"}}));
  EXPECT_EQ(out["batch_origin"], "default");
  EXPECT_EQ(out["context_origin"], "default");
  const auto rate = [](double batch) {
    return batch * 411'775'795'200.0 / 24 / ((15'009'316'864.0 + batch * 4096 * 131'072) / 2039e9);
  };
  EXPECT_GE(1.03 * rate(11), 0.06 * 312e12);
  EXPECT_LT(1.03 * rate(10), 0.06 * 312e12);
  EXPECT_EQ(out["causes"][0]["id"], "wrong_batch");
  EXPECT_EQ(out["causes"][0]["text"],
            "a batch of 1 was assumed, and may be larger: 11 explain it; --batch states it");
  const auto run = roofline(joined({{"advise", "llama-3.1-8b"}, kA100, {"--mfu", "6%"}}));
  EXPECT_TRUE(contains(run.err, "likeliest: a batch of 1 was assumed")) << run.err;
  EXPECT_TRUE(contains(
      run.out,
      "assumed    batch 1 (--batch states it), context 4 096 tokens (--context states it)"))
      << run.out;
}

TEST(AdviseReading, NothingIsAssumedOfWhatWasStated) {
  const Arguments stated{"--batch", "1", "--context", "4096"};
  // On a device with a lower peak, which is likelier than a batch that was stated wrongly.
  const Json out =
      advice(joined({{"llama-3.1-8b", "--device", "a100-80gb-sxm"}, stated, {"--mfu", "6%"}}));
  EXPECT_EQ(out["batch_origin"], "user");
  EXPECT_EQ(out["context_origin"], "user");
  EXPECT_EQ(out["causes"][0]["id"], "wrong_dtype_peak");
  EXPECT_EQ(cause_text(out, "wrong_batch"), "the batch may be larger: 11 explain it");
  EXPECT_FALSE(
      contains(page(joined({{"llama-3.1-8b"}, kA100, stated, {"--mfu", "0.6%"}})), "assumed    "));
}

// ---- a sustained roof that the reading refutes ----

// 27.894 GB in 22 ms are 1268 GB/s, which no memory moves that sustains 300.
TEST(AdviseReading, ARoofThatTheReadingRefutesDecidesNothing) {
  const Arguments call = joined({kFlagship, {"--device", "a100-80gb-sxm", "--step-time", "22ms"}});
  const Json out = advice(joined({call, {"--bandwidth", "300GB/s"}}));
  EXPECT_EQ(out["roofs"][1]["name"], "sustained");
  EXPECT_EQ(out["roofs"][1]["refuted_by_reading"], true);
  EXPECT_NEAR(out["roofs"][1]["of_ceiling"], 27'894'218'752.0 / 300e9 / 22e-3, 1e-9);
  EXPECT_EQ(out["roofs"][0]["refuted_by_reading"], false);
  EXPECT_EQ(out["kernel"]["roof"], "datasheet");
  EXPECT_EQ(out["kernel"]["below_70_percent_of_its_roof"], "yes");
  EXPECT_NEAR(out["kernel"]["of_roof"]["low"], 0.622, 0.0005);
  EXPECT_TRUE(contains(out["reading"]["judgement"], "below 70.0 % of the datasheet roof"));
  const std::string said =
      "the reading moves 1.27 TB/s, 423 % of what the sustained bandwidth of 300 GB/s would allow";
  EXPECT_TRUE(contains(out["notes"][0], said)) << out["notes"];
  const auto run = roofline(joined({{"advise"}, call, {"--bandwidth", "300GB/s"}}));
  EXPECT_TRUE(contains(run.err, "warning: " + said)) << run.err;
  EXPECT_TRUE(contains(run.out, "--bandwidth, refuted by the")) << run.out;
  // Above it by less than 3 % is what a clock is off by.
  const Json near = advice(joined({call, {"--bandwidth", "1250GB/s"}}));
  EXPECT_EQ(near["roofs"][1]["refuted_by_reading"], false);
  EXPECT_EQ(near["kernel"]["roof"], "sustained");
  EXPECT_EQ(near["kernel"]["below_70_percent_of_its_roof"], "no");
}

// What cannot be at all refutes no roof.
TEST(AdviseReading, AnImpossibleReadingRefutesNothing) {
  const Json out = advice(joined(
      {kFlagship, {"--device", "a100-80gb-sxm", "--bandwidth", "1.5TB/s", "--step-time", "5ms"}}));
  EXPECT_EQ(out["impossible"], true);
  EXPECT_EQ(out["roofs"][1]["refuted_by_reading"], false);
}

// ---- levers that are none ----

// Of 40 tokens/s and sequence more than 100 ms a token allow none but fewer sequences: with the
// deadline at 10 ms, which (10 ms x 2039 GB/s - 15.009 GB) / 0.537 GB = 10 sequences keep.
TEST(AdviseReading, FewerSequencesAreNoLever) {
  const Json out = flagship({"--step-time", "22ms", "--tpot", "10ms"});
  EXPECT_EQ(out["allowed_batch"]["batch"], 10);
  const Json more = lever(out, "more concurrency");
  EXPECT_TRUE(more["gain_capacity"].is_null());
  EXPECT_EQ(more["reason"], "the deadline allows no more than 10");
  for (const Json& name : out["ranking"]["capacity"]) EXPECT_NE(name, "more concurrency");
  const std::string text =
      page(joined({kFlagship, kA100, {"--step-time", "22ms", "--tpot", "10ms"}}));
  EXPECT_TRUE(contains(text, "more concurrency (the deadline allows no more than 10)")) << text;
  EXPECT_EQ(
      lever(flagship({"--step-time", "22ms", "--max-batch", "24"}), "more concurrency")["reason"],
      "there are requests for no more than 24");
}

// A prefill that computes in fp8 at 1979 would compute in 16 bits at 989, and take twice as long.
TEST(AdviseReading, WhatOnlyLosesStandsInNoTable) {
  const Arguments call{
      "llama-3.1-8b",  "--weights",      "fp8",     "--arithmetic", "fp8", "--device",
      "h100-80gb-sxm", "--phase",        "prefill", "--batch",      "1",   "--context",
      "4096",          "--tokens-per-s", "20000"};
  const Json out = advice(call);
  EXPECT_LT(lever(out, "W4A16")["gain_fixed_batch"], 0.6);
  for (const Json& name : out["ranking"]["fixed_batch"]) EXPECT_NE(name, "W4A16");
  const std::string text = page(call);
  EXPECT_FALSE(contains(text, "\n   W4A16")) << text;
  EXPECT_TRUE(contains(text, "W4A16 (0.5")) << text;
}

// ---- figures of a kernel need its share ----

TEST(AdviseReading, HowNearItsRoofAKernelIsNeedsItsShare) {
  for (const Arguments& one :
       {Arguments{"--kernel-of-roof", "10%"}, Arguments{"--kernel-bandwidth", "200GB/s"}}) {
    const auto run = roofline(joined({{"advise"}, kFlagship, kA100, {"--mfu", "1%"}, one}));
    EXPECT_EQ(run.status, 2);
    EXPECT_TRUE(contains(run.err, one[0] + " is of one kernel, and needs --kernel-share"))
        << run.err;
    const Json out = flagship(joined({{"--mfu", "1%", "--kernel-share", "50%"}, one}));
    EXPECT_EQ(out["kernel"]["of_roof_origin"], "user");
  }
}

// ---- no text against itself ----

TEST(AdviseReading, AnMfuIsNotSaidToBeOfTheSparsePeakAndNotToBe) {
  const Arguments call = {"llama-3.1-8b", "--device", "a100-80gb-sxm", "--phase", "prefill",
                          "--context",    "4096",     "--batch",       "2"};
  const std::string text = page(joined({call, {"--mfu", "120%"}}));
  EXPECT_TRUE(contains(text, "so it was not"));
  EXPECT_FALSE(contains(text, "worked\n           out from that peak")) << text;
  const Json out = advice(joined({call, {"--mfu", "120%"}}));
  EXPECT_FALSE(contains(cause_text(out, "sparse_peak"), "worked out"));
  EXPECT_TRUE(contains(cause_text(advice(joined({call, {"--step-time", "329ms"}})), "sparse_peak"),
                       "worked out"));
}

// The cache is 16.8 MB of 2.24 GB: in 8 bits 1.004 times as fast.
TEST(AdviseReading, ASmallGainIsSaidAsItIsHeldAgainst) {
  const std::string config =
      R"({"model_type": "phi3", "hidden_size": 3072, "num_hidden_layers": 32,
          "num_attention_heads": 24, "num_key_value_heads": 8, "intermediate_size": 8192,
          "vocab_size": 200064, "tie_word_embeddings": true, "torch_dtype": "bfloat16"})";
  const auto said = [&](const Arguments& more) {
    const auto run =
        roofline(joined({{"advise", "-", "--weights", "int4-g32", "--device", "h100-80gb-pcie",
                          "--bandwidth", "1808GB/s", "--context", "128", "--step-time", "2.802ms",
                          "--batch", "1", "--kernel-share", "69.9%"},
                         more}),
                 {.input = config});
    EXPECT_EQ(run.status, 0) << run.err;
    return run.out;
  };
  const std::string open = said({"--max-batch", "1"});
  EXPECT_TRUE(contains(open, "no setting gains more than 1.004x")) << open;
  EXPECT_TRUE(contains(open, "against 1.004x: open")) << open;
  // Where that decides nothing, it stays as short as it was.
  EXPECT_TRUE(contains(said({"--max-batch", "1", "--kernel-of-roof", "15.6%:62%"}),
                       "no setting gains anything"));
  // With the batch free, what gains 1.00x at this one is no lever of it.
  EXPECT_FALSE(contains(said({"--kernel-of-roof", "15.6%:62%"}), "KV8 makes it 1.00x"));
}

}  // namespace
}  // namespace roofline::test
