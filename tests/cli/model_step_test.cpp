// roofline model with a device: one step of a deployment as a person asks for it, sweeps, refusals.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using Json = nlohmann::ordered_json;
using Arguments = std::vector<std::string>;

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Arguments model(const Arguments& arguments) {
  Arguments all{"model"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return all;
}

Json json_of(const Arguments& arguments) {
  Arguments all = model(arguments);
  all.emplace_back("--json");
  const auto run = roofline(all);
  EXPECT_EQ(run.status, 0) << run.err;
  return Json::parse(run.out);
}

const Arguments kFlagship{"llama-3.1-8b", "--device",  "a100-80gb-sxm", "--batch",
                          "24",           "--context", "4096"};
Arguments flagship(const Arguments& more) {
  Arguments out = kFlagship;
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(ModelStep, TheFlagshipAsJson) {
  const Json out = json_of(kFlagship);
  EXPECT_EQ(out["account"], "minimal");
  EXPECT_EQ(out["convention"], "exact (causal attention)");
  const Json& step = out["step"];
  // 2 x 24 x 7 504 658 432, and 4097 pairs x 4 x 32 heads x 128 x 32 layers for each of 24.
  EXPECT_EQ(step["work_flop"], 48ULL * 7'504'658'432 + 24ULL * 4097 * 4 * 32 * 128 * 32);
  EXPECT_EQ(step["traffic_byte"]["total"], 15'009'316'864 + 12'884'901'888);
  EXPECT_EQ(step["traffic_byte"]["by_class"]["kv_read"], 12'884'901'888);
  EXPECT_EQ(step["traffic_byte"]["by_class"]["lm_head"], 1'050'673'152);
  EXPECT_NEAR(step["floor_s"].get<double>(), 13.68e-3, 0.005e-3);
  EXPECT_EQ(step["bound"], "memory");
  EXPECT_NEAR(step["mfu_ceiling"].get<double>(), 0.0965, 0.00005);
  EXPECT_NEAR(step["intensity_flop_per_byte"].get<double>(), 14.76, 0.005);
  EXPECT_NEAR(out["tokens_per_s"].get<double>(), 1754, 1);
  EXPECT_NEAR(out["limits"]["half_saturation_batch"].get<double>(), 28.0, 0.05);
  EXPECT_NEAR(out["limits"]["tokens_per_s"].get<double>(), 3798, 1);
  EXPECT_FALSE(out["limits"]["ridge_reachable"].get<bool>());
  EXPECT_TRUE(step["upper_s"].is_null());
  EXPECT_FALSE(step["upper_reason"].get<std::string>().empty());
}

TEST(ModelStep, TheSeedsConvention) {
  // 3.854e11 FLOP over 16.06 + 12.88 GB: 13.3 FLOP/byte, 8.7 %; 6.4 % at 1.5 TB/s.
  const Json rated = json_of(flagship({"--convention", "2n"}));
  EXPECT_EQ(rated["account"], "all-weights");
  EXPECT_NEAR(rated["step"]["intensity_flop_per_byte"].get<double>(), 13.316, 0.001);
  EXPECT_NEAR(rated["step"]["mfu_ceiling"].get<double>(), 0.08703, 0.00002);
  const Json sustained = json_of(flagship({"--convention", "2n", "--bandwidth", "1.5TB/s"}));
  EXPECT_NEAR(sustained["step"]["mfu_ceiling"].get<double>(), 0.06402, 0.00002);
  EXPECT_EQ(sustained["roofs"]["bandwidth"]["origin"], "user");
}

TEST(ModelStep, MemoryAndDeadline) {
  // 0.9 x 80 GiB less 2 GB hold 110 sequences beside 16.06 GB; 20 ms allow (20 ms x 2039 GB/s -
  // 15.0093 GB) / 0.536871 GB = 48.002.
  const Json out = json_of(flagship({"--memory", "80GiB", "--tpot", "20ms"}));
  EXPECT_EQ(out["memory"]["capacity"]["batch"], 110);
  EXPECT_NEAR(out["memory"]["capacity"]["tokens_per_s"].get<double>(), 3028, 1);
  EXPECT_NEAR(out["memory"]["capacity"]["mfu_ceiling"].get<double>(), 0.167, 0.0005);
  EXPECT_EQ(out["deadline"]["batch"], 48);
  EXPECT_EQ(json_of(flagship({"--memory", "16GiB"}))["memory"]["capacity"]["batch"], 0);
  EXPECT_EQ(json_of(flagship({"--tpot", "1ms"}))["deadline"]["batch"], 0);
}

TEST(ModelStep, WhatAPersonSees) {
  const auto run = roofline(model(flagship({"--memory", "80GiB"})));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* part :
       {"decode, batch 24, 4 096 tokens cached each",
        "FLOP exact (causal attention), bytes minimal", "gate_up    28672 x 4096",
        "at most 1754 tokens/s", "at most 9.65 %", "312 TFLOP/s (bf16 dense, datasheet)",
        "kv_read 46.2 %", "110 sequences", "half of it at a batch of 28.0"})
    EXPECT_TRUE(mentions(run.out, part)) << part << "\n" << run.out;
}

/// What a machine measured, as a bracket above the floor: every operation's arithmetic, traffic and
/// launches one after another.
TEST(ModelStep, TheBracketOfMeasuredRoofs) {
  const TemporaryFolder folder;
  const std::string report = folder.path("toy.json");
  const std::string script = std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/scripts/quiet.script";
  ASSERT_EQ(
      roofline({"run", "--suite", "quick", "--backend", "scripted:" + script, "-o", report}).status,
      0);
  const Json out = json_of(flagship({"--measured", report}));
  const Json& step = out["step"];
  const Json& measured = out["measured"];
  const double bandwidth = measured["bandwidth"]["byte_per_s"];
  const double peak = measured["peaks"][0]["flop_per_s"];
  EXPECT_NEAR(bandwidth, 200e9, 2e9);  // the script's, and its noise
  EXPECT_NEAR(peak, 8e12, 0.1e12);
  EXPECT_NEAR(measured["launch_s"].get<double>(), 4e-6, 0.1e-6);
  // 5 products and 2 norms in 32 layers with attention, and what stands around them.
  const double launches = step["launches"];
  EXPECT_GE(launches, 32 * 7);
  EXPECT_NEAR(step["upper_s"].get<double>(),
              step["executed_flop"].get<double>() / peak +
                  step["traffic_byte"]["total"].get<double>() / bandwidth +
                  launches * measured["launch_s"].get<double>(),
              1e-9);
  const auto page = roofline(model(flagship({"--measured", report})));
  EXPECT_TRUE(mentions(page.out, "with nothing overlapped")) << page.out;
}

TEST(ModelStep, PhasesDiffer) {
  // 8192 tokens of one prompt: 2 x 6 979 321 856 a token in the layers, the head on one row, and
  // 8192 x 8193 / 2 pairs.
  const Json prefill = json_of(
      {"llama-3.1-8b", "--device", "a100-80gb-sxm", "--phase", "prefill", "--context", "8192"});
  EXPECT_EQ(prefill["step"]["work_flop"], 8192ULL * 2 * 6'979'321'856 + 2ULL * 525'336'576 +
                                              8192ULL * 8193 / 2 * 4 * 32 * 128 * 32);
  EXPECT_EQ(prefill["step"]["bound"], "compute");
  EXPECT_EQ(prefill["ttft_floor_s"], prefill["step"]["floor_s"]);
  const Json chunk = json_of({"llama-3.1-8b", "--device", "a100-80gb-sxm", "--phase", "chunk",
                              "--context", "4096", "--tokens", "512"});
  EXPECT_EQ(chunk["requests"][0]["cached_tokens"], 4096);
  EXPECT_EQ(chunk["requests"][0]["fresh_tokens"], 512);
  EXPECT_EQ(chunk["step"]["executed_flop_by_class"]["attention"],
            (512ULL * 4096 + 512ULL * 513 / 2) * 4 * 32 * 128 * 32);
  const Json mixed = json_of(flagship({"--riding-chunk", "512"}));
  EXPECT_EQ(mixed["requests"].size(), 2U);
  // Weights are read once for both.
  EXPECT_EQ(mixed["step"]["traffic_byte"]["by_class"]["mlp"],
            json_of(kFlagship)["step"]["traffic_byte"]["by_class"]["mlp"]);
}

TEST(ModelStep, TensorParallelIsOfOneDevice) {
  const Json one = json_of({"llama-3.1-70b", "--device", "h100-80gb-sxm", "--batch", "16"});
  const Json four = json_of(
      {"llama-3.1-70b", "--device", "h100-80gb-sxm", "--batch", "16", "--tensor-parallel", "4"});
  EXPECT_EQ(four["step"]["traffic_byte"]["total"].get<double>() * 4,
            one["step"]["traffic_byte"]["total"].get<double>());
  EXPECT_EQ(four["left_out"].size(), 1U);
  // 16 devices over 8 KV heads: each holds a copy of one.
  const Json sixteen = json_of(
      {"llama-3.1-70b", "--device", "h100-80gb-sxm", "--batch", "16", "--tensor-parallel", "16"});
  EXPECT_EQ(sixteen["step"]["traffic_byte"]["by_class"]["kv_read"].get<double>() * 8,
            one["step"]["traffic_byte"]["by_class"]["kv_read"].get<double>());
}

TEST(ModelStep, WhatDoesNotFitIsSaid) {
  const auto run = roofline(
      model({"llama-3.1-8b", "--device", "a100-80gb-sxm", "--memory", "80GiB", "--batch", "1000"}));
  EXPECT_TRUE(mentions(run.out, "not the 1000 of this step")) << run.out;
  const Json prompts = json_of({"llama-3.1-8b", "--memory", "80GiB", "--phase", "prefill",
                                "--batch", "111", "--context", "4096"});
  EXPECT_EQ(prompts["memory"]["capacity"]["batch"], 110);
  EXPECT_FALSE(prompts["memory"]["fits"].get<bool>());
  const auto long_one = roofline(model({"llama-2-7b", "--batch", "1", "--context", "5000"}));
  EXPECT_TRUE(mentions(long_one.err, "longer than the 4096 tokens that the model states"))
      << long_one.err;
}

/// DeepSeek-V3 is served in fp8, products too; an A100 has no such instruction.
TEST(ModelStep, WhatTheConfigurationStatesIsTheDefault) {
  const Json fp8 = json_of({"deepseek-v3", "--device", "h200-141gb-sxm", "--batch", "8"});
  EXPECT_EQ(fp8["types"]["arithmetic"], "fp8_e4m3");
  EXPECT_EQ(fp8["types"]["attention_arithmetic"], "bf16");
  const auto run = roofline(model({"deepseek-v3", "--device", "a100-80gb-sxm", "--batch", "8"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(mentions(run.err, "bf16 is taken")) << run.err;
  EXPECT_TRUE(mentions(run.out, "bf16 arithmetic")) << run.out;
}

TEST(ModelStep, CountsNeedNoDevice) {
  const Json out = json_of({"llama-3.1-8b", "--batch", "24", "--context", "4096"});
  EXPECT_EQ(out["step"]["traffic_byte"]["total"], 15'009'316'864 + 12'884'901'888);
  EXPECT_FALSE(out["step"].contains("floor_s"));
  EXPECT_TRUE(out["roofs"].is_null());
  EXPECT_TRUE(out["tokens_per_s"].is_null());
}

TEST(ModelStep, TheWalkAlongTheRoof) {
  const Arguments walk{"llama-3.1-8b", "--device",      "a100-80gb-sxm",       "--memory",
                       "80GiB",        "--sweep-batch", "1,8,24,48,96,110,128"};
  const auto run = roofline(model(walk));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_TRUE(mentions(run.out, "*    128"));
  EXPECT_FALSE(mentions(run.out, "*    110"));
  const Json out = json_of(walk);
  const std::vector<std::pair<double, double>> published{{7.62e-3, 131},   {9.47e-3, 845},
                                                         {13.68e-3, 1754}, {20.0e-3, 2400},
                                                         {32.6e-3, 2941},  {36.3e-3, 3028}};
  for (std::size_t i = 0; i < published.size(); ++i) {
    EXPECT_NEAR(out["steps"][i]["floor_s"].get<double>(), published[i].first,
                published[i].first * 0.003);
    EXPECT_NEAR(out["steps"][i]["tokens_per_s"].get<double>(), published[i].second,
                published[i].second * 0.003);
  }
  EXPECT_FALSE(out["steps"][6]["fits_memory"].get<bool>());
}

TEST(ModelStep, ManyStepsAsLines) {
  const auto run =
      roofline(model({"llama-3.1-8b", "--device", "a100-80gb-sxm", "--sweep-batch", "1:100:+1",
                      "--sweep-context", "1000:100000:+1000", "--json-lines"}));
  ASSERT_EQ(run.status, 0) << run.err;
  std::istringstream lines(run.out);
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    const Json one = Json::parse(line);
    EXPECT_GT(one["floor_s"].get<double>(), 0);
    ++count;
  }
  EXPECT_EQ(count, 10'000U);
}

struct Refused {
  Arguments arguments;
  int status;
  std::string reason;
};

TEST(ModelStep, Refusals) {
  const std::vector<Refused> cases{
      {{"llama-3.1-8b", "--phase", "sleep"}, 2, "choose from: decode, prefill, chunk"},
      {{"llama-3.1-8b", "--batch", "0"}, 2, "--batch"},
      {flagship({"--weights", "fp8", "--arithmetic", "fp8"}), 3, "no FP8 instruction before sm_89"},
      {flagship({"--convention", "2n", "--attention", "none"}), 2, "leaves no such choice"},
      {flagship({"--tensor-parallel", "3"}), 2, "cannot be divided among 3 devices"},
      {{"llama-3.1-8b", "--sweep-batch", "1:8:x2"}, 2, "a sweep needs roofs"},
      {{"llama-3.1-8b", "--peak-flops", "312TFLOP/s"}, 3, "--bandwidth states one"},
      {{"llama-3.1-8b", "--weights", "int8", "--arithmetic", "int8", "--peak-flops",
        "bf16=312TFLOP/s", "--peak-flops", "fp8=1PFLOP/s", "--bandwidth", "2TB/s"},
       3,
       "in int8: --peak-flops gives that of bf16 and fp8 alone, and no device was given"},
      {flagship({"--phase", "prefill", "--riding-chunk", "64"}), 2, "--riding-chunk"},
      {flagship({"--phase", "prefill", "--shared-prefix", "64"}), 2, "--shared-prefix"},
      {flagship({"--usable", "1.5"}), 2, "--usable"},
      {flagship({"--arithmetic", "int8"}), 2, "add --weights int8"},
      {flagship({"--shared-prefix", "5000"}), 2, "longer than 4096 tokens"},
      {flagship({"--tokens", "64"}), 2, "--phase chunk"},
      {flagship({"--phase", "prefill", "--tpot", "20ms"}), 2, "--tpot is for a decode batch"},
      {flagship({"--fusion", "products"}), 2, "--account full"},
      {flagship({"--replicated-head"}), 2, "--tensor-parallel"},
      {flagship({"--latent", "absorbed"}), 2, "MLA"},
      {flagship({"--json-lines"}), 2, "--json-lines is for"},
      {flagship({"--sweep-batch", "1:8:x2"}), 2, "--batch and --sweep-batch"},
      {flagship({"--kv", "foo"}), 2, "--kv"},
      {flagship({"--head", "int8"}), 2, "--head"},
      {{"llama-3.1-8b", "--device", "a100"}, 2, "several products"},
      {flagship({"--measured", "nowhere.json"}), 4, "nowhere.json"},
      {flagship({"--measured",
                 std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/reports/kinds.json@elsewhere"}),
       2, "--measured"},
  };
  for (const Refused& one : cases) {
    const auto run = roofline(model(one.arguments));
    EXPECT_EQ(run.status, one.status) << one.reason << "\n" << run.err;
    EXPECT_TRUE(mentions(run.err, one.reason)) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

}  // namespace
}  // namespace roofline::test
