// roofline model --phase train as a person calls it: MFU and HFU of a reading, days of a budget,
// what is refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Run train(const std::string& model, const Words& arguments, const RunOptions& options = {}) {
  Words all{"model", model, "--phase", "train"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return roofline(all, options);
}

Json train_json(const std::string& model, Words arguments, const RunOptions& options = {}) {
  arguments.emplace_back("--json");
  const auto run = train(model, arguments, options);
  EXPECT_EQ(run.status, 0) << run.err;
  return Json::parse(run.out);
}

// By hand: 6 x 6,979,321,856 weights of the layers and, of the head,
// 6 x 525,336,576; attention 3 x 32 layers x 2 x 32 heads x 256 x 8193/2 pairs a token.
constexpr double kLayers = 6.0 * 6'979'321'856;
constexpr double kHead = 6.0 * 525'336'576;
constexpr double kAttention = 3.0 * 32 * 2 * 32 * 256 * 4096.5;

TEST(ModelTrain, AReadingOverTheDensePeak) {
  const Json out = train_json("llama-3.1-8b", {"--tokens-per-s", "6667", "--device",
                                               "h100-80gb-sxm", "--sequence", "8192"});
  EXPECT_EQ(out["phase"], "train");
  EXPECT_EQ(out["convention"], "exact");
  EXPECT_EQ(out["attention"], "causal");
  EXPECT_EQ(out["model"]["parameters"]["total"], 8'030'261'248);
  EXPECT_EQ(out["by_part"]["layers"]["model_flop_per_token"], kLayers);
  EXPECT_EQ(out["by_part"]["attention"]["model_flop_per_token"], kAttention);
  EXPECT_EQ(out["by_part"]["head"]["model_flop_per_token"], kHead);
  const double achieved = 6667 * (kLayers + kAttention + kHead);
  EXPECT_DOUBLE_EQ(out["achieved_flop_per_s"], achieved);
  EXPECT_DOUBLE_EQ(out["executed_flop_per_s"], achieved);
  EXPECT_DOUBLE_EQ(out["mfu"], achieved / out["peak_flop_per_s"].get<double>());
  EXPECT_NEAR(out["mfu"], 0.347, 0.0005);
  EXPECT_NEAR(out["peak_flop_per_s"], 989e12, 1e12);
  EXPECT_EQ(out["peak_sparsity"], "dense");
  EXPECT_EQ(out["peak_origin"], "datasheet");
  EXPECT_EQ(out["impossible"], false);
  EXPECT_TRUE(out["train_s"].is_null());
}

TEST(ModelTrain, RecomputationIsInHfuAlone) {
  const auto read = [](const std::string& recompute) {
    return train_json("llama-3.1-8b", {"--tokens-per-s", "6667", "--device", "h100-80gb-sxm",
                                       "--sequence", "8192", "--recompute", recompute});
  };
  const Json none = read("none");
  const Json selective = read("selective");
  const Json full = read("full");
  EXPECT_EQ(none["mfu"], full["mfu"]);
  EXPECT_EQ(none["mfu"], selective["mfu"]);
  const double peak = none["peak_flop_per_s"];
  EXPECT_DOUBLE_EQ(selective["hfu"], 6667 * (kLayers + kAttention * 4 / 3 + kHead) / peak);
  EXPECT_DOUBLE_EQ(full["hfu"], 6667 * (kLayers * 4 / 3 + kAttention * 4 / 3 + kHead) / peak);
  EXPECT_LT(full["mfu_ceiling"].get<double>(), selective["mfu_ceiling"].get<double>());
  EXPECT_EQ(none["mfu_ceiling"], 1);
  const Json flash = train_json("llama-3.1-8b", {"--sequence", "8192", "--flash-attention"});
  EXPECT_DOUBLE_EQ(flash["hardware_flop_per_token"], kLayers + kAttention * 3.5 / 3 + kHead);
}

/// nanoGPT's 124M: 874,944,921,600 FLOP for a sequence of 1024, 100 of them in 0.755 s.
TEST(ModelTrain, AStepOfABatch) {
  const std::string gpt2 =
      std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/models/configs/gpt2.json";
  const Json out =
      train_json(gpt2, {"--sequence", "1024", "--attention", "full", "--step-time", "755ms",
                        "--global-batch", "100", "--peak-flops", "312TFLOP/s"});
  EXPECT_EQ(out["model_flop_per_iteration"], 87'494'492'160'000);
  EXPECT_NEAR(out["mfu"], 0.3714, 0.00005);
  EXPECT_DOUBLE_EQ(out["step_s"], 0.755);
  EXPECT_EQ(out["peak_origin"], "user");
  EXPECT_EQ(out["device_id"], "custom");
  // Eight devices that share the step do an eighth each.
  const Json eight =
      train_json(gpt2, {"--sequence", "1024", "--attention", "full", "--step-time", "755ms",
                        "--global-batch", "100", "--peak-flops", "312TFLOP/s", "--devices", "8"});
  EXPECT_NEAR(eight["mfu"].get<double>() * 8, out["mfu"].get<double>(), 1e-12);
}

TEST(ModelTrain, DaysOfABudgetAndBack) {
  const Words common{"--convention", "6n",         "--devices",      "4096",
                     "--peak-flops", "990TFLOP/s", "--train-tokens", "15e12"};
  Words forth = common;
  forth.insert(forth.end(), {"--mfu", "45%"});
  const Json out = train_json("llama-3.1-70b", forth);
  // 6 x 70,553,706,496 x 15e12 / (4096 x 0.45 x 990e12) s
  EXPECT_NEAR(out["train_days"], 40.2755, 0.0001);
  EXPECT_NEAR(out["mfu"], 0.45, 1e-12);
  Words back = common;
  back.insert(back.end(), {"--device-hours", out["device_hours"].dump()});
  EXPECT_NEAR(train_json("llama-3.1-70b", back)["mfu"], 0.45, 1e-12);
  Words tokens = common;
  tokens.insert(tokens.end(), {"--tokens-per-s", out["tokens_per_s"].dump()});
  EXPECT_NEAR(train_json("llama-3.1-70b", tokens)["train_days"], 40.2755, 0.0001);
  Words rate = common;
  rate.insert(rate.end(), {"--achieved", "445.5TFLOP/s"});
  EXPECT_NEAR(train_json("llama-3.1-70b", rate)["mfu"], 0.45, 1e-12);
  rate = common;
  rate.insert(rate.end(), {"--executed", "445.5TFLOP/s", "--recompute", "full"});
  EXPECT_NEAR(train_json("llama-3.1-70b", rate)["hfu"], 0.45, 1e-12);
  EXPECT_NEAR(train_json("llama-3.1-70b", rate)["mfu"], 0.3375, 1e-12);
}

std::vector<std::string> causes_of(const Json& out) {
  std::vector<std::string> ids;
  for (const Json& cause : out["causes"]) ids.push_back(cause["id"]);
  return ids;
}

bool names(const Json& out, const std::string& id) {
  const auto ids = causes_of(out);
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// 8 devices take 1 x 4 x 8 sequences of 8192 tokens in 1.1 s: 29 789 tokens/s each, 155 % of 989.
TEST(ModelTrain, WhatMayBeWrongDependsOnWhatWasRead) {
  const Words common{"--device", "h100-80gb-sxm", "--sequence", "8192", "--devices", "8"};
  const auto causes = [&](Words reading) {
    reading.insert(reading.end(), common.begin(), common.end());
    return train_json("llama-3.1-8b", reading);
  };
  const Json passes = causes({"--step-time", "1.1s", "--micro-batch", "1", "--accumulation", "4"});
  EXPECT_NEAR(passes["mfu"], 32 * 8192 / 1.1 / 8 * (kLayers + kAttention + kHead) / 989.4e12,
              0.001);
  EXPECT_EQ(causes_of(passes).front(), "time_of_one_pass");
  EXPECT_TRUE(names(passes, "sequences_of_all_devices"));
  EXPECT_TRUE(names(passes, "fewer_sequences"));
  EXPECT_FALSE(names(passes, "several_devices"));
  for (const Json& cause : passes["causes"]) {
    EXPECT_FALSE(says(cause["text"], "derived from a sparse peak")) << cause;
    if (cause["id"] == "fewer_sequences") {
      EXPECT_TRUE(says(cause["text"], ": 20 fit")) << cause;
    }
  }
  // 32 sequences in all: 13 devices are what they need.
  const Json whole = causes({"--step-time", "1.1s", "--global-batch", "32"});
  EXPECT_FALSE(names(whole, "time_of_one_pass"));
  ASSERT_TRUE(names(whole, "several_devices"));
  EXPECT_TRUE(says(whole["causes"][1]["text"], "13 or more")) << whole["causes"];
  const Json tokens = causes({"--tokens-per-s", "238000"});
  EXPECT_EQ(causes_of(tokens).front(), "several_devices");
  EXPECT_TRUE(says(tokens["causes"][0]["text"], "more devices than the 8 said: 13 or more"));
  const Json hours = causes({"--device-hours", "10", "--train-tokens", "1.1e9"});
  EXPECT_EQ(causes_of(hours).front(), "hours_of_nodes");
  // A ratio is over a peak that somebody chose.
  const Json ratio = causes({"--mfu", "155%"});
  EXPECT_FALSE(names(ratio, "several_devices"));
  EXPECT_FALSE(names(ratio, "fewer_sequences"));
  const Json& texts = ratio["causes"];
  EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const Json& cause) {
    return says(cause["text"], "derived from a sparse peak");
  }));
}

TEST(ModelTrain, MoreThanThePeakIsImpossibleAndNeverClipped) {
  const Words reading{"--tokens-per-s", "66670", "--device", "h100-80gb-sxm", "--sequence", "8192"};
  const Json out = train_json("llama-3.1-8b", reading);
  EXPECT_NEAR(out["mfu"], 3.47, 0.005);
  EXPECT_EQ(out["impossible"], true);
  EXPECT_EQ(causes_of(out).front(), "several_devices");
  EXPECT_TRUE(says(out["causes"][0]["text"], "4 or more"));
  Words strict = reading;
  strict.emplace_back("--strict");
  const auto run = train("llama-3.1-8b", strict);
  EXPECT_EQ(run.status, 1);
  EXPECT_TRUE(says(run.err, "347 % of its peak (MFU), which cannot be")) << run.err;
  EXPECT_TRUE(says(run.out, "This reading cannot be right")) << run.out;
  // A percent too much is too much: a rated peak is never reached.
  EXPECT_EQ(train_json("llama-3.1-8b", {"--mfu", "101%", "--device", "h100-80gb-sxm", "--sequence",
                                        "8192"})["impossible"],
            true);
  EXPECT_EQ(train_json("llama-3.1-8b", {"--mfu", "100%", "--device", "h100-80gb-sxm", "--sequence",
                                        "8192"})["impossible"],
            false);
}

TEST(ModelTrain, TheCauseThatFitsIsNamed) {
  // The A100's peak for an H100's reading.
  const Json other = train_json("llama-3.1-8b", {"--tokens-per-s", "6667", "--device",
                                                 "a100-80gb-sxm", "--sequence", "8192"});
  EXPECT_GT(other["mfu"].get<double>(), 1);
  EXPECT_TRUE(names(other, "wrong_device_peak"));
  EXPECT_TRUE(names(other, "shorter_sequences"));
  // Every query with every key at 128 Ki tokens is nearly twice the work.
  const Json full =
      train_json("llama-3.1-8b", {"--tokens-per-s", "4000", "--device", "h100-80gb-sxm",
                                  "--sequence", "131072", "--attention", "full"});
  EXPECT_EQ(full["impossible"], true);
  EXPECT_TRUE(names(full, "convention"));
  // What is recomputed may be less.
  const Json again = train_json("llama-3.1-8b", {"--mfu", "80%", "--device", "h100-80gb-sxm",
                                                 "--sequence", "8192", "--recompute", "full"});
  EXPECT_EQ(again["impossible"], true);
  EXPECT_EQ(causes_of(again).front(), "less_recomputed");
}

TEST(ModelTrain, WithoutAPeakThereIsNoRatio) {
  const Json out = train_json("llama-3.1-8b", {"--tokens-per-s", "6667", "--sequence", "8192"});
  EXPECT_TRUE(out["mfu"].is_null());
  EXPECT_TRUE(out["impossible"].is_null());
  EXPECT_EQ(out["peak_reason"], "neither --device nor --peak-flops was given");
  EXPECT_DOUBLE_EQ(out["achieved_flop_per_s"], 6667 * (kLayers + kAttention + kHead));
  const Json plain = train_json("llama-3.1-8b", {"--sequence", "8192"});
  EXPECT_TRUE(plain["tokens_per_s"].is_null());
}

TEST(ModelTrain, ThePageShowsBothSidesOfARatio) {
  const auto run = train(
      "llama-3.1-8b", {"--tokens-per-s", "6667", "--device", "h100-80gb-sxm", "--sequence", "8192",
                       "--recompute", "full", "--train-tokens", "15e12", "--global-batch", "512"});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* part :
       {"sequences of 8 192 tokens", "exact: 3 x forward", "attention over causal pairs",
        "MFU           34.7 % = 343 TFLOP/s / 989 TFLOP/s", "HFU           45.5 % = 451 TFLOP/s",
        "bf16 dense, datasheet", "1.5e13 tokens", "6667 tokens/s, from --tokens-per-s 6667"})
    EXPECT_TRUE(says(run.out, part)) << part << '\n' << run.out;
}

TEST(ModelTrain, ASequenceBeyondTheModelsContext) {
  const Words beyond{"--sequence", "131073"};
  const auto run = train("llama-3.1-8b", beyond);
  EXPECT_EQ(run.status, 0);
  const std::string warning =
      "--sequence: 131073 tokens are more than the 131072 of the context that llama-3.1-8b states";
  EXPECT_TRUE(says(run.err, "roofline: warning: " + warning)) << run.err;
  EXPECT_EQ(train_json("llama-3.1-8b", beyond)["warnings"], Json::array({warning}));
  EXPECT_EQ(train("llama-3.1-8b", {"--sequence", "131072"}).err, "");
  // GPT-2's table of positions has 1024 rows.
  const std::string gpt2 =
      std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/models/configs/gpt2.json";
  EXPECT_EQ(train(gpt2, {"--sequence", "1024"}).status, 0);
  const auto refused = train(gpt2, {"--sequence", "1025"});
  EXPECT_EQ(refused.status, 2);
  EXPECT_TRUE(says(refused.err, "--sequence: 1025 tokens are more than the 1024 positions"))
      << refused.err;
}

TEST(ModelTrain, AStatedPeakThatIsTheSparseOneIsWarnedOfInJsonToo) {
  const Words sparse{"--sequence",    "8192",         "--device",
                     "h100-80gb-sxm", "--peak-flops", "1979TFLOP/s"};
  const Json warnings = train_json("llama-3.1-8b", sparse)["warnings"];
  ASSERT_EQ(warnings.size(), 1);
  EXPECT_TRUE(says(warnings[0].get<std::string>(), "sparsity"));
  EXPECT_TRUE(says(train("llama-3.1-8b", sparse).err, warnings[0].get<std::string>()));
}

TEST(ModelTrain, APeakOfAnotherTypeIsNoPeak) {
  const Json out = train_json(
      "llama-3.1-8b", {"--sequence", "8192", "--dtype", "fp8", "--peak-flops", "bf16=312TFLOP/s"});
  EXPECT_EQ(out["peak_reason"], "--peak-flops gives that of bf16 alone, and no device was given");
}

TEST(ModelTrain, WhatDoesNotFitIsRefusedByName) {
  const auto refused = [](Words arguments, const std::string& part, int status = 2) {
    const auto run = train("llama-3.1-8b", arguments);
    EXPECT_EQ(run.status, status) << run.err;
    EXPECT_TRUE(says(run.err, part)) << run.err;
    EXPECT_EQ(run.out, "");
    arguments.emplace_back("--json");
    if (status != 2) return;
    EXPECT_TRUE(says(train("llama-3.1-8b", arguments).out, "{\n  \"refused\": "));
  };
  refused({"--sequence", "8192", "--arithmetic", "fp8"}, "the type is --dtype");
  refused({"--sequence", "8192", "--sweep-batch", "1,2"}, "--sweep-batch says nothing");
  refused({"--sequence", "8192", "--kv", "fp8"}, "--kv says nothing of --phase train");
  refused({"--sequence", "8192", "--context", "4096"}, "--sequence; leave it out");
  refused({"--sequence", "8192", "--device", "h100-80gb-sxm", "--sparse"}, "over the dense peak");
  refused({"--sequence", "8192", "--mfu", "45%"}, "--mfu needs a peak");
  refused({"--sequence", "8192", "--mfu", "45", "--peak-flops", "1PFLOP/s"}, "45% or 0.45");
  refused({"--sequence", "8192", "--tokens-per-s", "1", "--step-time", "1s"},
          "--tokens-per-s and --step-time both say how fast it was");
  refused({"--sequence", "8192", "--step-time", "1s"}, "--step-time needs --global-batch");
  refused({"--convention", "6n", "--step-time", "1s", "--global-batch", "4"}, "needs --sequence");
  refused({"--convention", "6n", "--device-hours", "5"}, "--device-hours needs --train-tokens");
  refused({"--sequence", "8192", "--tokens-per-s", "0"}, "must be above 0");
  refused({"--sequence", "8192", "--convention", "8n"}, "use exact, 6n, palm, korthikanti");
  refused({"--sequence", "8192", "--convention", "korthikanti"}, "Llama has fewer KV heads");
  refused({}, "needs the tokens of a sequence (--sequence)");
  refused({"--sequence", "8192", "--device", "a100-80gb-sxm", "--dtype", "fp4"}, "fp4", 3);
  refused({"--sequence", "8192", "--device", "h900"}, "not in the catalogue", 3);
  const auto elsewhere = roofline({"model", "llama-3.1-8b", "--tokens-per-s", "5"});
  EXPECT_EQ(elsewhere.status, 2);
  EXPECT_TRUE(says(elsewhere.err, "--tokens-per-s is for --phase train")) << elsewhere.err;
}

/// 2 sequences of 4096 tokens in each of 8 passes, 4 s: 65,536 tokens a step and 16,384 a second.
TEST(ModelTrain, B042_PassesThatAreAccumulatedAreOneStep) {
  const Words step{"--sequence",   "4096",       "--convention",  "6n", "--step-time", "4s",
                   "--peak-flops", "989TFLOP/s", "--micro-batch", "2"};
  Words accumulated = step;
  accumulated.insert(accumulated.end(), {"--accumulation", "8"});
  const Json whole = train_json("llama-3.1-8b", accumulated);
  EXPECT_EQ(whole["global_batch_sequences"], 16);
  EXPECT_DOUBLE_EQ(whole["tokens_per_s"].get<double>(), 16'384);
  EXPECT_NEAR(whole["achieved_flop_per_s"].get<double>(), 789.4e12, 0.5e12);
  EXPECT_NEAR(whole["mfu"].get<double>(), 0.798, 0.0005);
  EXPECT_NEAR(train_json("llama-3.1-8b", step)["mfu"].get<double>(), 0.0997, 0.0001);
  accumulated.insert(accumulated.end(), {"--devices", "4"});
  EXPECT_EQ(train_json("llama-3.1-8b", accumulated)["global_batch_sequences"], 64);
}

TEST(ModelTrain, B046_WhatIsNoTransformerHasNoMfu) {
  const auto run =
      train("-", {"--sequence", "2048", "--tokens-per-s", "1000", "--device", "h100-80gb-sxm"},
            {.input = R"({"model_type": "rwkv7", "hidden_size": 2560})"});
  EXPECT_EQ(run.status, 2);
  EXPECT_TRUE(says(run.err, "the architecture 'rwkv7' is not modelled")) << run.err;
}

}  // namespace
}  // namespace roofline::test
