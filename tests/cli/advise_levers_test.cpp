// roofline advise as a person calls it: levers in both regimes, and why a reading cannot be.
// Figures are those of the worked examples, whose peak and bandwidth the calls state.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli/advise_call.hpp"

namespace roofline::test {
namespace {

// ---- levers ----

TEST(Advise, SingleLeversAtThisBatch) {
  const Json out = flagship({"--mfu", "6%"});
  EXPECT_NEAR(lever(out, "W4A16")["gain_fixed_batch"], 1.653, 0.0005);
  EXPECT_NEAR(lever(out, "W4A16")["with_16_bit_head"]["gain_fixed_batch"], 1.581, 0.0005);
  EXPECT_NEAR(lever(out, "W8")["gain_fixed_batch"], 1.368, 0.0005);
  EXPECT_NEAR(lever(out, "W8")["with_16_bit_head"]["gain_fixed_batch"], 1.334, 0.0005);
  EXPECT_NEAR(lever(out, "KV8")["gain_fixed_batch"], 1.300, 0.0005);
  EXPECT_NEAR(lever(out, "W4+KV8")["gain_fixed_batch"], 2.67, 0.005);
  EXPECT_NEAR(lever(out, "W4+KV8")["with_16_bit_head"]["gain_fixed_batch"], 2.49, 0.005);
  EXPECT_TRUE(lever(out, "more concurrency")["gain_fixed_batch"].is_null());
  EXPECT_TRUE(lever(out, "more concurrency").contains("reason"));
}

TEST(Advise, TheCacheComesFirstWhereMemoryIsFull) {
  const Json out = flagship({"--mfu", "6%"});
  const auto expect = [&](const std::string& name, int batch, double rate) {
    const Json capacity = lever(out, name)["capacity"];
    EXPECT_EQ(capacity["batch"], batch) << name;
    EXPECT_NEAR(capacity["tokens_per_s"], rate, 1) << name;
    EXPECT_NEAR(lever(out, name)["gain_capacity"], rate / 1754, 0.002) << name;
  };
  expect("more concurrency", 110, 3028);
  expect("W8", 124, 3413);
  expect("KV8", 220, 6057);
  expect("W8+KV8", 248, 6826);
  expect("W4+KV8", 261, 7187);
  EXPECT_NEAR(lever(out, "KV8")["capacity"]["mfu_ceiling"], 0.333, 0.0005);
  EXPECT_NEAR(lever(out, "W8+KV8")["capacity"]["mfu_ceiling"], 0.375, 0.0005);
  // Of single settings the cache is third at this batch, and first at capacity.
  const auto order = [&](const char* regime) {
    const std::set<std::string> single{"W4A16", "W8", "KV8"};
    std::string names;
    for (const Json& name : out["ranking"][regime])
      if (single.contains(name)) names += name.get<std::string>() + " ";
    return names;
  };
  EXPECT_EQ(order("fixed_batch"), "W4A16 W8 KV8 ");
  EXPECT_EQ(order("capacity"), "KV8 W4A16 W8 ");
}

TEST(Advise, TheDeadlineMayBeTheLimit) {
  const Json out = flagship({"--mfu", "6%", "--latency-budget", "20.01ms"});
  EXPECT_EQ(out["allowed_batch"]["batch"], 48);
  EXPECT_EQ(out["allowed_batch"]["limit"], "deadline");
  EXPECT_EQ(flagship({"--mfu", "6%", "--tpot", "20.01ms"})["allowed_batch"], out["allowed_batch"]);
}

/// A cache of 8 bits leaves 10.5 ms a step of 24 sequences, weights of 8 bits 10.0 ms.
TEST(Advise, WhatBreaksTheDeadlineDoesNotCount) {
  const Json out = flagship({"--mfu", "6%", "--tpot", "10.1ms", "--max-batch", "24"});
  EXPECT_NEAR(lever(out, "KV8")["fixed_batch"]["time_per_token_s"], 10.52e-3, 0.005e-3);
  EXPECT_EQ(lever(out, "KV8")["fixed_batch"]["later_than_deadline"], true);
  EXPECT_EQ(lever(out, "W8")["fixed_batch"]["later_than_deadline"], false);
  for (const Json& name : out["ranking"]["fixed_batch"]) EXPECT_NE(name, "KV8");
  // Of all settings that are left none is quick enough: 27.9 GB in at most 3 ms.
  const Json none = flagship({"--mfu", "6%", "--tpot", "3ms", "--max-batch", "24"});
  EXPECT_TRUE(none["kernel"]["best_lever_fixed_batch"].is_null());
  EXPECT_TRUE(contains(none["notes"][0].get<std::string>(), "no kernel keeps the 3.00 ms"));
  const std::string text =
      page(joined({kFlagship, kA100, {"--mfu", "6%", "--tpot", "10.1ms", "--max-batch", "24"}}));
  EXPECT_TRUE(contains(text, "late 1.30x")) << text;
  EXPECT_TRUE(contains(text, "longer than the 10.1 ms")) << text;
}

/// Its gain is over two steps, not over the step as it is, and its batch keeps the deadline, too.
TEST(Advise, AChunkIsInNoOrder) {
  const Json out = flagship({"--mfu", "6%"});
  EXPECT_TRUE(contains(lever(out, "chunked prefill")["relative_to"].get<std::string>(),
                       "one after the other"));
  EXPECT_EQ(lever(out, "KV8")["relative_to"], "the step as it is");
  for (const char* regime : {"fixed_batch", "capacity"})
    for (const Json& name : out["ranking"][regime]) EXPECT_NE(name, "chunked prefill");
  EXPECT_TRUE(contains(page(joined({kFlagship, kA100, {"--mfu", "6%"}})), "(1.47x)"));
  // 512 tokens of a prompt alone take longer than 20 ms: with them no batch is in time.
  const Json timed = flagship({"--mfu", "6%", "--tpot", "20ms"});
  EXPECT_TRUE(lever(timed, "chunked prefill")["capacity"].is_null());
}

/// 80 sequences of 4096 tokens and the weights are 59 GB: more than an L40S has.
TEST(Advise, AnotherDeviceMustHoldTheBatch) {
  const Json out =
      advice({"llama-3.1-8b", "--batch", "80", "--context", "4096", "--mfu", "6%", "--memory",
              "64GiB", "--peak-flops", "bf16=100TFLOP/s", "--bandwidth", "500GB/s"});
  EXPECT_TRUE(lever(out, "l40s")["gain_fixed_batch"].is_null());
  EXPECT_TRUE(contains(lever(out, "l40s")["reason"].get<std::string>(), "80 sequences do not fit"));
  EXPECT_FALSE(lever(out, "l40s")["gain_capacity"].is_null());
}

TEST(Advise, EightBitArithmeticNeedsTheHardware) {
  const Arguments call = joined({kFlagship, {"--mfu", "3%", "--device"}});
  const Json a100 = advice(joined({call, {"a100-80gb-sxm"}}));
  EXPECT_EQ(lever(a100, "W8A8 fp8")["on_this_device"], false);
  EXPECT_TRUE(lever(a100, "W8A8 fp8")["gain_fixed_batch"].is_null());
  EXPECT_TRUE(contains(lever(a100, "W8A8 fp8")["reason"].get<std::string>(), "fp8"));
  EXPECT_NEAR(lever(a100, "W8A8 int8")["gain_fixed_batch"], 1.368, 0.0005);
  // Stored so and computed in 16 bits, a cache of 8 bits is any device's.
  EXPECT_NEAR(lever(a100, "KV8")["gain_fixed_batch"], 1.300, 0.0005);
  const Json h100 = advice(joined({call, {"h100-80gb-sxm"}}));
  EXPECT_EQ(lever(h100, "W8A8 fp8")["on_this_device"], true);
  EXPECT_GT(lever(h100, "W8A8 fp8")["gain_fixed_batch"], 1.3);
}

TEST(Advise, WhatIsAssumedIsSaidAndDoesNotCount) {
  const Json out = flagship({"--mfu", "6%"});
  const Json drafts = lever(out, "speculative decoding");
  EXPECT_NEAR(drafts["gain_fixed_batch"], 2.7731, 0.005);
  EXPECT_EQ(drafts["counts_against_a_kernel"], false);
  EXPECT_TRUE(contains(drafts["assumption"].get<std::string>(), "assumed"));
  const Json stated = lever(flagship({"--mfu", "6%", "--acceptance", "50%", "--draft", "1"}),
                            "speculative decoding");
  EXPECT_NEAR(stated["gain_fixed_batch"], 1.5, 0.005);
  EXPECT_EQ(stated["counts_against_a_kernel"], true);
  EXPECT_TRUE(lever(out, "prefix caching")["gain_capacity"].is_null());
  EXPECT_GT(lever(flagship({"--mfu", "6%", "--prefix", "2048"}), "prefix caching")["gain_capacity"],
            2);
}

TEST(Advise, LaunchesCountOnlyWhereTheyRule) {
  const auto graphs = [](const std::string& floor) {
    return lever(flagship({"--mfu", "6%", "--overhead", floor}), "graphs, fusing");
  };
  EXPECT_TRUE(graphs("5us")["gain_fixed_batch"].is_null());
  EXPECT_TRUE(contains(graphs("5us")["reason"].get<std::string>(), "can hide"));
  // 227 launches of 80 us are 18.2 ms, more than the floor of 13.68 ms and less than the 22.0 ms
  // that the step took; of 500 us they would be 114 ms.
  EXPECT_NEAR(graphs("80us")["gain_fixed_batch"], 227 * 80e-6 / 13.68e-3, 0.005);
  EXPECT_TRUE(graphs("500us")["gain_fixed_batch"].is_null());
  EXPECT_TRUE(contains(graphs("500us")["reason"].get<std::string>(), "longer than the 22.0 ms"));
}

/// Weights, activations and cache at once; where arithmetic binds, one alone leaves the other.
TEST(Advise, WeightsActivationsAndCacheTogether) {
  const Json out =
      advice({"llama-3.1-8b", "--device", "a100-80gb-sxm", "--memory", "80GiB", "--batch", "512",
              "--context", "512", "--max-batch", "512", "--step-time", "52ms", "--kernel-share",
              "80%", "--kernel-of-roof", "50%"});
  // 25.07 ms over 12.757 ms, more than the kernel's 1 / (1 - 0.8 x 0.5).
  EXPECT_NEAR(lever(out, "W8A8+KV8 int8")["gain_fixed_batch"], 1.965, 0.005);
  EXPECT_NEAR(out["max_kernel_gain"], 1 / 0.6, 1e-6);
  EXPECT_EQ(out["kernel_justified"], false);
}

TEST(Advise, MoreAndOtherDevices) {
  const Json out = advice(joined({kFlagship, {"--device", "a100-80gb-sxm", "--mfu", "6%"}}));
  EXPECT_NEAR(lever(out, "tensor parallel 2")["gain_fixed_batch"], 2, 1e-6);
  EXPECT_TRUE(contains(lever(out, "tensor parallel 2")["assumption"].get<std::string>(),
                       "collectives are left out"));
  EXPECT_NEAR(lever(out, "h100-80gb-sxm")["gain_fixed_batch"], 13.68 / 8.33, 0.003);
  EXPECT_NEAR(lever(out, "h200-141gb-sxm")["gain_fixed_batch"], 13.68 / 5.81, 0.02);
  EXPECT_EQ(lever(out, "h200-141gb-sxm")["counts_against_a_kernel"], false);
}

// ---- readings that cannot be ----

std::vector<std::string> causes(const Json& out) {
  std::vector<std::string> ids;
  for (const Json& cause : out["causes"])
    if (cause["explains"] == true) ids.push_back(cause["id"]);
  return ids;
}

bool explained_by(const Json& out, const std::string& id) {
  const auto ids = causes(out);
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

TEST(Advise, ATotalTakenForOneDevice) {
  const Json out = flagship({"--tokens-per-s", "8727"});
  EXPECT_EQ(out["impossible"], true);
  EXPECT_NEAR(out["of_ceiling"], 8727 / 1754.3, 0.005);
  EXPECT_TRUE(out["kernel_justified"].is_null());
  ASSERT_FALSE(causes(out).empty());
  EXPECT_EQ(causes(out).front(), "total_of_devices");
  EXPECT_FALSE(
      explained_by(flagship({"--tokens-per-s", "16000", "--devices", "8"}), "total_of_devices"));
}

std::string text_of(const Json& out, const std::string& id) {
  for (const Json& cause : out["causes"])
    if (cause["id"] == id) return cause["text"];
  return {};
}

/// 5100 of 1754 tokens/s: two devices do not explain it, three do. Groups of two are six.
TEST(Advise, AnyNumberOfDevices) {
  EXPECT_TRUE(
      contains(text_of(flagship({"--tokens-per-s", "5100"}), "total_of_devices"), "3 or more"));
  EXPECT_TRUE(contains(
      text_of(flagship({"--tokens-per-s", "10200", "--tensor-parallel", "2"}), "total_of_devices"),
      "6 or more"));
}

/// 6 % of 312 TFLOP/s are 96 % of 19.5, which fp32 has on ordinary units; the device's fp64 figure
/// of the same value is nothing that a dashboard divides by.
TEST(Advise, ThePeakOfOrdinaryFp32Units) {
  const Json out = advice(joined({kFlagship, {"--device", "a100-80gb-sxm", "--mfu", "96%"}}));
  EXPECT_TRUE(contains(text_of(out, "wrong_dtype_peak"), "fp32 (19.5 TFLOP/s)"));
  EXPECT_FALSE(contains(text_of(out, "wrong_dtype_peak"), "fp64"));
  // Given as the peak, it is what makes a reading impossible.
  const Arguments call{"llama-3.1-8b", "--phase",     "prefill",       "--context",
                       "4096",         "--device",    "a100-80gb-sxm", "--tokens-per-s",
                       "8000",         "--peak-flops"};
  const Json stated = advice(joined({call, {"bf16=19.5TFLOP/s"}}));
  ASSERT_FALSE(causes(stated).empty());
  EXPECT_EQ(causes(stated).front(), "stated_peak");
  EXPECT_TRUE(contains(text_of(stated, "stated_peak"), "that of fp32"));
  EXPECT_TRUE(contains(text_of(stated, "stated_peak"), "312 TFLOP/s"));
}

TEST(Advise, UnderASparsePeakTheDenseOneIsOfTheSameType) {
  const Json out =
      advice(joined({kFlagship, {"--device", "a100-80gb-sxm", "--sparse", "--mfu", "9%"}}));
  EXPECT_TRUE(contains(text_of(out, "wrong_dtype_peak"), "dense bf16 (312 TFLOP/s)"));
  EXPECT_FALSE(contains(text_of(out, "wrong_dtype_peak"), "fp16"));
}

/// 30 000 of 20 754 tokens/s: 1.45 times the bf16 peak, within the 624 TFLOP/s of int8.
TEST(Advise, ArithmeticInANarrowerType) {
  const Json out = advice({"llama-3.1-8b", "--phase", "prefill", "--context", "4096", "--device",
                           "a100-80gb-sxm", "--tokens-per-s", "30000"});
  EXPECT_TRUE(contains(text_of(out, "other_arithmetic"), "int8 (624 TFLOP/s)"));
  EXPECT_FALSE(explained_by(flagship({"--tokens-per-s", "2400"}), "other_arithmetic"));
}

TEST(Advise, CausesOfAnOperation) {
  // 3.69 ms in all 32 launches.
  const Json one = flagship({"--scope", "gate_up", "--scope-time", "120us"});
  ASSERT_FALSE(causes(one).empty());
  EXPECT_EQ(causes(one).front(), "time_of_one_launch");
  EXPECT_TRUE(contains(text_of(one, "time_of_one_launch"), "32 of them"));
  const Json cache = flagship({"--scope", "attention", "--bandwidth-used", "2.5TB/s"});
  EXPECT_NE(text_of(cache, "cache_traffic"), "");
  EXPECT_TRUE(
      explained_by(flagship({"--scope", "attention", "--scope-time", "5ms"}), "wrong_context"));
  EXPECT_FALSE(
      explained_by(flagship({"--scope", "gate_up", "--scope-time", "3ms"}), "wrong_context"));
  const Json pairs = advice(joined({{"llama-3.1-8b", "--phase", "prefill", "--context", "4096",
                                     "--scope", "attention", "--mfu", "190%"},
                                    kA100}));
  EXPECT_TRUE(explained_by(pairs, "full_attention_counted"));
}

/// What no number explains is no reason, only a possibility.
TEST(Advise, WithoutAnExplanationThereIsNoBecause) {
  const Arguments call = joined({kFlagship, kA100, {"--bandwidth-used", "90TB/s"}});
  const Json out = advice(call);
  ASSERT_TRUE(causes(out).empty()) << out["causes"];
  EXPECT_FALSE(out["causes"].empty());
  const auto run = roofline(joined({{"advise"}, call}));
  EXPECT_FALSE(contains(run.out, "because")) << run.out;
  EXPECT_TRUE(contains(run.out, "\nperhaps    the counter")) << run.out;
  EXPECT_FALSE(contains(run.out + run.err, "likeliest")) << run.err;
}

/// A batch that memory does not hold explains nothing.
TEST(Advise, OnlyABatchThatFitsExplainsAReading) {
  const Arguments call = joined(
      {kA100, {"llama-3.1-8b", "--batch", "24", "--context", "4096", "--tokens-per-s", "3500"}});
  EXPECT_TRUE(explained_by(advice(call), "wrong_batch"));
  EXPECT_FALSE(explained_by(advice(joined({call, {"--memory", "80GiB"}})), "wrong_batch"));
}

TEST(Advise, AnotherPeakOrCount) {
  // 6 % of 312 taken over 156 (tf32) and 19.5 (fp32) TFLOP/s.
  const Arguments device{"--device", "a100-80gb-sxm"};
  const Json tf32 = advice(joined({kFlagship, device, {"--mfu", "12%"}}));
  EXPECT_TRUE(explained_by(tf32, "wrong_dtype_peak"));
  EXPECT_TRUE(explained_by(tf32, "fma_counted_as_one"));
  const Json fp32 = advice(joined({kFlagship, device, {"--mfu", "96%"}}));
  EXPECT_TRUE(explained_by(fp32, "wrong_dtype_peak"));
  EXPECT_FALSE(explained_by(fp32, "fma_counted_as_one"));
  // 8.03 of 7.50 billion weights: 2N of a step at its floor, held against the exact count.
  const Json embedding = advice(joined(
      {{"llama-3.1-8b", "--attention", "none", "--batch", "1", "--context", "1", "--mfu", "0.699%"},
       kA100}));
  EXPECT_EQ(embedding["impossible"], true);
  EXPECT_TRUE(explained_by(embedding, "embedding_counted"));
  EXPECT_FALSE(explained_by(tf32, "embedding_counted"));
}

TEST(Advise, AnotherBatchContextOrType) {
  const Json out = flagship({"--tokens-per-s", "2400"});
  EXPECT_EQ(out["impossible"], true);
  EXPECT_TRUE(explained_by(out, "wrong_batch"));
  EXPECT_TRUE(explained_by(out, "wrong_context"));
  EXPECT_TRUE(explained_by(out, "cached_prefix"));
  EXPECT_TRUE(explained_by(out, "other_types"));
  // 48 sequences give 2400 tokens/s; 3 % less are 45.
  for (const Json& cause : out["causes"]) {
    if (cause["id"] != "wrong_batch") continue;
    EXPECT_TRUE(contains(cause["text"].get<std::string>(), "45")) << cause;
  }
}

TEST(Advise, ASparsePeakWhereArithmeticBinds) {
  const Json out = advice({"llama-3.1-8b", "--phase", "prefill", "--context", "4096", "--device",
                           "a100-80gb-sxm", "--mfu", "150%"});
  EXPECT_EQ(out["impossible"], true);
  EXPECT_TRUE(explained_by(out, "sparse_peak"));
  EXPECT_TRUE(explained_by(out, "cached_prefix") || explained_by(out, "fma_counted_as_one"));
}

TEST(Advise, StrictEndsWithOneWhereAReadingCannotBe) {
  const Arguments call = joined({{"advise"}, kFlagship, kA100, {"--strict", "--mfu"}});
  EXPECT_EQ(roofline(joined({call, {"6%"}})).status, 0);
  const auto run = roofline(joined({call, {"12%"}}));
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(contains(run.err, "which cannot be")) << run.err;
  EXPECT_TRUE(run.out.find("impossible") != std::string::npos) << run.out;
}

// Above what the memory sustained elsewhere, and below its rating: flagged, and possible.
TEST(Advise, AboveASustainedRoofCanBe) {
  const Json out = advice(
      joined({kFlagship, {"--device", "a100-80gb-sxm", "--bandwidth", "1TB/s", "--mfu", "6%"}}));
  EXPECT_EQ(out["roofs"][1]["above_roof"], true);
  EXPECT_GT(out["roofs"][1]["of_ceiling"], 1.2);
  EXPECT_EQ(out["impossible"], false);
}

// What a machine has shown is no limit of it: a quarter above may be.
TEST(Advise, MeasuredRoofs) {
  const TemporaryFolder folder;
  const std::string report = folder.path("toy.json");
  const std::string script = std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/scripts/quiet.script";
  ASSERT_EQ(
      roofline({"run", "--suite", "quick", "--backend", "scripted:" + script, "-o", report}).status,
      0);
  // 27.9 GB at 200 GB/s are 139 ms.
  const Arguments call = joined({kFlagship, {"--measured", report, "--step-time"}});
  const Json above = advice(joined({call, {"120ms"}}));
  EXPECT_EQ(above["roofs"][0]["name"], "measured");
  EXPECT_NEAR(above["of_ceiling"], 139.5 / 120, 0.02);
  EXPECT_EQ(above["roofs"][0]["above_roof"], true);
  EXPECT_EQ(above["impossible"], false);
  EXPECT_EQ(advice(joined({call, {"100ms"}}))["impossible"], true);
  EXPECT_TRUE(lever(above, "W8A8 int8")["gain_fixed_batch"].is_null());
  // Launches of 4 us are hidden behind 139 ms.
  EXPECT_TRUE(contains(lever(above, "graphs, fusing")["reason"].get<std::string>(), "can hide"));
  const Json both = advice(joined({call, {"200ms", "--device", "a100-80gb-sxm"}}));
  ASSERT_EQ(both["roofs"].size(), 2U);
  EXPECT_EQ(both["roofs"][1]["name"], "measured");
  EXPECT_NEAR(both["roofs"][1]["of_ceiling"], 139.5 / 200, 0.02);
  // One denominator for MFU: the rated peak.
  EXPECT_EQ(both["reading"]["peak"]["flop_per_s"], 312'000'000'000'000);
}

}  // namespace
}  // namespace roofline::test
