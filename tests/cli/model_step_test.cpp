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

/// A report, and the same as if another device had shown it.
class Measured {
 public:
  Measured() {
    const std::string script =
        std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/scripts/quiet.script";
    EXPECT_EQ(roofline({"run", "--suite", "quick", "--backend", "scripted:" + script, "-o",
                        folder_.path("toy.json")})
                  .status,
              0);
  }
  [[nodiscard]] std::string toy() const { return folder_.path("toy.json"); }
  [[nodiscard]] std::string on(const std::string& device) const {
    Json report = Json::parse(folder_.read("toy.json"));
    report["device"]["name"] = device;
    return folder_.write("other.json", report.dump());
  }

 private:
  TemporaryFolder folder_;
};

TEST(ModelStep, RoofsOfAnotherMachineAreNamed) {
  const Measured measured;
  const auto other = roofline(model(flagship({"--measured", measured.toy(), "--json"})));
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_TRUE(mentions(other.err, "--measured: " + measured.toy() + " was measured on 'scripted"))
      << other.err;
  EXPECT_TRUE(mentions(other.err, "which is not a100-80gb-sxm")) << other.err;
  const Json out = Json::parse(other.out);
  ASSERT_EQ(out["warnings"].size(), 1U);
  EXPECT_EQ("roofline: warning: " + out["warnings"][0].get<std::string>() + "\n", other.err);
  EXPECT_TRUE(mentions(out["measured"]["device"]["name"].get<std::string>(), "scripted"));
  // The driver's name of that very device, and one that it shares with nothing else.
  const auto same =
      roofline(model(flagship({"--measured", measured.on("NVIDIA A100-SXM4-80GB"), "--json"})));
  EXPECT_EQ(same.err, "");
  EXPECT_TRUE(Json::parse(same.out)["warnings"].empty());
  const auto near = roofline(model(flagship({"--measured", measured.on("NVIDIA A100-SXM4-40GB")})));
  EXPECT_TRUE(mentions(near.err, "NVIDIA A100-SXM4-40GB")) << near.err;
  // No device, nothing to contradict.
  const auto alone = roofline(model({"llama-3.1-8b", "--peak-flops", "312TFLOP/s", "--bandwidth",
                                     "2TB/s", "--context", "4096", "--measured", measured.toy()}));
  EXPECT_EQ(alone.err, "");
  EXPECT_TRUE(mentions(alone.out, "measured on scripted")) << alone.out;
}

/// Every way to hold a device against what a report shows.
TEST(ModelStep, RoofsOfAnotherMachineAreNamedWhereverTheyAreGiven) {
  const Measured measured;
  const std::string from = "measured:" + measured.toy();
  for (const Arguments& call :
       {Arguments{"explain", "--gemm", "64x4096x4096", "--dtype", "bf16", "--bandwidth", from},
        Arguments{"explain", "--gemm", "64x4096x4096", "--dtype", "bf16", "--peak-flops", from},
        Arguments{"advise", "llama-3.1-8b", "--mfu", "0.05%", "--bandwidth", from},
        Arguments{"advise", "llama-3.1-8b", "--mfu", "0.05%", "--measured", measured.toy()}}) {
    Arguments with = call;
    with.insert(with.end(), {"--device", "a100-80gb-sxm"});
    const auto run = roofline(with);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(mentions(run.err, "which is not a100-80gb-sxm")) << call[0] << "\n" << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
  const TemporaryFolder folder;
  const std::string table =
      folder.write("k.csv", "name,flop,bytes,time_us,dtype\nproduct,1e9,1e6,100,bf16\n");
  const auto run =
      roofline({"import", "csv", table, "--device", "a100-80gb-sxm", "--bandwidth", from});
  EXPECT_TRUE(mentions(run.err, "which is not a100-80gb-sxm")) << run.err;
}

/// 512 tokens are nobody's choice: they are named as what they are.
TEST(ModelStep, ADefaultChunkIsSaid) {
  const Arguments call{"llama-3.1-8b", "--device", "a100-80gb-sxm", "--phase", "chunk"};
  const auto page = roofline(model(call));
  EXPECT_TRUE(mentions(page.out, "chunk        512 tokens assumed; --tokens states it"))
      << page.out;
  EXPECT_TRUE(mentions(page.out, "context      4 096 tokens assumed; --context states it"))
      << page.out;
  const Json out = json_of(call);
  EXPECT_EQ(out["chunk_tokens"], 512);
  EXPECT_EQ(out["chunk_origin"], "default");
  Arguments stated = call;
  stated.insert(stated.end(), {"--tokens", "512"});
  EXPECT_FALSE(mentions(roofline(model(stated)).out, "--tokens states it"));
  EXPECT_EQ(json_of(stated)["chunk_origin"], "user");
  Arguments swept = call;
  swept.insert(swept.end(), {"--sweep-batch", "1,2"});
  const auto sweep = roofline(model(swept));
  for (const char* part : {"last chunk of 512 tokens of each prompt", "--tokens states it",
                           "--context states it", "prompt tokens/s"})
    EXPECT_TRUE(mentions(sweep.out, part)) << sweep.out;
  EXPECT_EQ(json_of(swept)["chunk_origin"], "default");
  EXPECT_TRUE(json_of(kFlagship)["chunk_tokens"].is_null());
}

/// The last chunk of a prompt asks for one row of logits, one from its middle for none.
TEST(ModelStep, AChunkMeetsTheHeadWhereItEndsItsPrompt) {
  const Json last = json_of({"llama-3.1-8b", "--device", "a100-80gb-sxm", "--phase", "chunk",
                             "--batch", "3", "--context", "4096", "--tokens", "512"});
  EXPECT_EQ(last["requests"][0]["logits_rows"], 1);
  EXPECT_EQ(last["step"]["executed_flop_by_class"]["lm_head"], 3ULL * 2 * 525'336'576);
  const Json riding = json_of(flagship({"--riding-chunk", "512"}));
  EXPECT_EQ(riding["requests"][1]["logits_rows"], 0);
  EXPECT_EQ(riding["requests"][1]["cached_tokens"], 2048);
  EXPECT_EQ(riding["step"]["executed_flop_by_class"]["lm_head"], 24ULL * 2 * 525'336'576);
  const auto page = roofline(model(flagship({"--riding-chunk", "512"})));
  EXPECT_TRUE(mentions(page.out, "a chunk of 512 tokens from the middle of a prompt riding along"))
      << page.out;
}

/// Tokens that sequences are given, and tokens of prompts that pass, each under a key of its own.
TEST(ModelStep, TokensPerSecondHaveOneMeaning) {
  const auto rates = [](const Json& out) {
    const double floor = out["step"]["floor_s"];
    const auto tokens = [&](const char* key) {
      return out[key].is_null() ? 0 : out[key].get<double>() * floor;
    };
    return std::pair(tokens("tokens_per_s"), tokens("prompt_tokens_per_s"));
  };
  const auto near = [](std::pair<double, double> found, double decoded, double of_prompts) {
    EXPECT_NEAR(found.first, decoded, 1e-6);
    EXPECT_NEAR(found.second, of_prompts, 1e-6);
  };
  const auto with = [](const Arguments& more) {
    Arguments out{"llama-3.1-8b", "--device", "a100-80gb-sxm", "--batch", "3", "--context", "1000"};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  };
  near(rates(json_of(with({}))), 3, 0);
  near(rates(json_of(with({"--riding-chunk", "64"}))), 3, 64);
  near(rates(json_of(with({"--phase", "prefill"}))), 0, 3000);
  near(rates(json_of(with({"--phase", "chunk", "--tokens", "100"}))), 0, 300);
  EXPECT_TRUE(json_of(with({}))["prompt_tokens_per_s"].is_null());
  EXPECT_TRUE(json_of(with({"--phase", "prefill"}))["tokens_per_s"].is_null());
  const Json swept = json_of({"llama-3.1-8b", "--device", "a100-80gb-sxm", "--phase", "prefill",
                              "--context", "1000", "--sweep-batch", "3"});
  EXPECT_TRUE(swept["steps"][0]["tokens_per_s"].is_null());
  EXPECT_EQ(swept["steps"][0]["prompt_tokens_per_s"],
            json_of(with({"--phase", "prefill"}))["prompt_tokens_per_s"]);
  const auto page = roofline(model(with({"--riding-chunk", "64"})));
  EXPECT_TRUE(mentions(page.out, "prompt tokens/s ride along")) << page.out;
}

/// 16.06 GB of weights and chunks that make 4608 tokens of 4096: 0.9 x 80 GiB - 2 GB - 16.06 GB =
/// 59.25 GB hold 98 caches of 4608 x 131 072 B, and 110 of 4096.
TEST(ModelStep, ASweepOfChunksHoldsWhatTheyAdd) {
  const Json out =
      json_of({"llama-3.1-8b", "--device", "a100-80gb-sxm", "--memory", "80GiB", "--phase", "chunk",
               "--tokens", "512", "--context", "4096", "--sweep-batch", "98,99,110"});
  EXPECT_TRUE(out["steps"][0]["fits_memory"].get<bool>());
  EXPECT_FALSE(out["steps"][1]["fits_memory"].get<bool>());
  EXPECT_FALSE(out["steps"][2]["fits_memory"].get<bool>());
}

/// 24 GiB of GDDR6 are 22.5 with ECC, as an L4 comes; where no driver was asked the page says what
/// ECC would take.
TEST(ModelStep, MemoryThatEccTakesPartOf) {
  const Json l4 = json_of({"llama-3.1-8b", "--device", "l4", "--context", "4096"});
  EXPECT_EQ(l4["memory"]["byte"], 23'034ULL << 20);
  EXPECT_EQ(l4["memory"]["source"], "as a driver reports it with ECC on");
  // 0.9 x 23 034 MiB - 2 GB - 16.06 GB = 3.677 GB: 6 caches of 0.537 GB, where 24 GiB would hold 9.
  EXPECT_EQ(l4["memory"]["capacity"]["batch"], 6);
  const auto l40 = roofline(model({"llama-3.1-8b", "--device", "l40", "--context", "4096"}));
  EXPECT_TRUE(mentions(l40.out, "48 GiB (nameplate, GiB; ECC,")) << l40.out;
  EXPECT_EQ(json_of({"llama-3.1-8b", "--device", "rtx-a6000"})["memory"]["source"],
            "as a driver reports it with ECC off");
  EXPECT_EQ(json_of({"llama-3.1-8b", "--device", "h200-141gb-sxm"})["memory"]["source"],
            "as a driver reports it");
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

/// Mistral 7B states 32768 tokens, of which one decodes; the longest of a sweep may pass them.
TEST(ModelStep, ASweepThatOutgrowsTheModelSaysSo) {
  const Arguments call{"mistral-7b", "--device", "a100-80gb-sxm", "--sweep-context", "65536,1024"};
  const auto run = roofline(model(call));
  EXPECT_TRUE(mentions(run.err, "65537 tokens is longer than the 32768 tokens that the model"))
      << run.err;
  EXPECT_EQ(json_of(call)["warnings"].size(), 1U);
  EXPECT_EQ(
      roofline(model({"mistral-7b", "--device", "a100-80gb-sxm", "--sweep-context", "32767,1024"}))
          .err,
      "");
}

/// PaLM's 2N has norms and an embedding in it that are no products: a little more than is executed.
TEST(ModelStep, HowMuchAConventionCountsBeyondWhatRuns) {
  const auto run = roofline(model(flagship({"--convention", "palm"})));
  EXPECT_TRUE(mentions(run.out, " more than the 412 GFLOP that are executed")) << run.out;
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
      {{"llama-3.1-8b", "--device", "t4"}, 3, "it can in fp16: add --arithmetic fp16"},
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

/// Whatever the status, who reads JSON finds the reason.
TEST(ModelStep, RefusalsAreJsonToo) {
  const std::vector<Refused> cases{
      {flagship({"--usable", "95"}), 2, "write 95% or 0.95"},
      {flagship({"--weights", "fp8", "--arithmetic", "fp8"}), 3, "no FP8 instruction before sm_89"},
      {flagship({"--measured", "nowhere.json"}), 4, "nowhere.json"},
  };
  for (const Refused& one : cases) {
    std::vector<std::string> arguments = model(one.arguments);
    arguments.emplace_back("--json");
    const auto run = roofline(arguments);
    EXPECT_EQ(run.status, one.status) << run.err;
    const auto out = nlohmann::json::parse(run.out);
    EXPECT_TRUE(mentions(out["refused"], one.reason)) << run.out;
  }
}

TEST(ModelStep, ABandwidthAboveTheRatingIsWarnedOf) {
  const auto run = roofline(model(flagship({"--bandwidth", "3TB/s"})));
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(mentions(run.err, "147 % of the rated 2039 GB/s")) << run.err;
}

}  // namespace
}  // namespace roofline::test
