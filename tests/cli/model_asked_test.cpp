// What roofline model makes of what was asked, and of what was not: assumptions, sizes, words, and
// configurations whose weights nobody can tell.
#include <gtest/gtest.h>

#include <algorithm>

#include "cli/advise_call.hpp"

namespace roofline::test {
namespace {

Run model_run(const Arguments& arguments, const std::string& config = "") {
  return roofline(joined({{"model"}, arguments}), {.input = config});
}

void expect_refusal(const Arguments& arguments, const std::string& part,
                    const std::string& config = "") {
  const auto run = model_run(arguments, config);
  EXPECT_EQ(run.status, 2) << run.out;
  EXPECT_TRUE(contains(run.err, part)) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

const Arguments kOnA100 = joined({{"llama-3.1-8b"}, kA100});

TEST(ModelAsked, ABatchThatNobodyStatedIsNamed) {
  const auto assumed = model_run(kOnA100);
  EXPECT_TRUE(contains(assumed.out, "batch        1 assumed; --batch states it")) << assumed.out;
  const auto stated = model_run(joined({kOnA100, {"--batch", "1"}}));
  EXPECT_FALSE(contains(stated.out, "--batch states it"));
  const auto origin = [](const Arguments& more) {
    return Json::parse(model_run(joined({kOnA100, {"--json"}, more})).out)["batch_origin"];
  };
  EXPECT_EQ(origin({}), "default");
  EXPECT_EQ(origin({"--batch", "1"}), "user");
  // A sweep of batches states them, one of contexts does not.
  EXPECT_FALSE(
      contains(model_run(joined({kOnA100, {"--sweep-batch", "1,2"}})).out, "--batch states it"));
  EXPECT_TRUE(contains(model_run(joined({kOnA100, {"--sweep-context", "1024,2048"}})).out,
                       "--batch states it"));
}

// ---- what a model has positions for ----

const char* const kOf1024 =
    R"({"model_type": "gpt2", "n_embd": 768, "n_layer": 12, "n_head": 12, "n_positions": 1024,
        "n_ctx": 1024, "vocab_size": 50257, "torch_dtype": "float16"})";

Run of_1024(const Arguments& more) {
  return model_run(joined({{"-", "--peak-flops", "fp16=312TFLOP/s", "--arithmetic", "fp16",
                            "--bandwidth", "2039GB/s"},
                           more}),
                   kOf1024);
}

TEST(ModelAsked, TheTokenThatADecodeStepAddsHasAPositionToo) {
  EXPECT_TRUE(contains(of_1024({"--context", "1024"}).err, "a sequence of 1025 tokens is longer"));
  EXPECT_EQ(of_1024({"--context", "1023"}).err, "");
  EXPECT_EQ(of_1024({"--phase", "prefill", "--context", "1024"}).err, "");
  // The same step as a chunk.
  const Arguments chunk{"--phase", "chunk", "--tokens", "1", "--context"};
  EXPECT_TRUE(contains(of_1024(joined({chunk, {"1024"}})).err, "a sequence of 1025 tokens"));
  EXPECT_EQ(of_1024(joined({chunk, {"1023"}})).err, "");
}

TEST(ModelAsked, APromptThatRidesAlongIsNotLongerEither) {
  // Half of 500 went before it.
  EXPECT_TRUE(contains(of_1024({"--context", "500", "--riding-chunk", "2000"}).err,
                       "a sequence of 2250 tokens is longer"));
  EXPECT_EQ(of_1024({"--context", "500", "--riding-chunk", "774"}).err, "");
}

TEST(ModelAsked, NoDefaultOutgrowsTheModel) {
  const auto context = [](const Arguments& more) {
    const auto run = of_1024(joined({{"--json"}, more}));
    EXPECT_EQ(run.err, "");
    return Json::parse(run.out)["context_tokens"];
  };
  EXPECT_EQ(context({"--batch", "1"}), 1023);
  EXPECT_EQ(context({"--phase", "prefill"}), 1024);
  EXPECT_EQ(context({"--phase", "chunk"}), 512);
  EXPECT_EQ(context({"--phase", "chunk", "--tokens", "24"}), 1000);
  EXPECT_EQ(context({"--phase", "chunk", "--tokens", "1024"}), 0);
}

// A chunk of all tokens that a model can hold is a prefill of them.
TEST(ModelAsked, AFirstChunkHasNothingCached) {
  const Arguments call{"llama-2-7b", "--device", "a100-80gb-sxm", "--phase"};
  const auto chunk = model_run(joined({call, {"chunk", "--tokens", "4096"}}));
  EXPECT_EQ(chunk.err, "");
  EXPECT_TRUE(contains(chunk.out, "last chunk of 4 096 tokens of 1 prompt, nothing cached"));
  EXPECT_TRUE(contains(chunk.out, "context      nothing cached assumed; --context states it"));
  const auto step = [&](const Arguments& more) {
    return Json::parse(model_run(joined({call, more, {"--json"}})).out)["step"];
  };
  const Json whole = step({"prefill", "--context", "4096"});
  const Json first = step({"chunk", "--tokens", "4096"});
  EXPECT_EQ(first["work_flop"], whole["work_flop"]);
  EXPECT_EQ(first["traffic_byte"]["total"], whole["traffic_byte"]["total"]);
  const auto over = model_run(joined({call, {"chunk", "--tokens", "5000"}}));
  EXPECT_TRUE(contains(over.err, "a sequence of 5000 tokens is longer than the 4096")) << over.err;
}

// ---- sizes of memory ----

TEST(ModelAsked, BytesOfMemoryNeedAUnit) {
  expect_refusal(joined({kOnA100, {"--memory", "80"}}), "--memory: '80' needs a unit");
  expect_refusal(joined({kOnA100, {"--memory", "80GiB", "--reserve", "2"}}),
                 "--reserve: '2' needs a unit");
  const auto capacity = [](const std::string& reserve) {
    const auto run = model_run(joined(
        {kOnA100, {"--json", "--context", "4096", "--memory", "80GiB", "--reserve", reserve}}));
    return Json::parse(run.out)["memory"]["capacity"]["batch"];
  };
  // (0.9 x 80 GiB - 16 060 522 496 B) / 536 870 912 B = 114.1; less 2 GB 110.4.
  EXPECT_EQ(capacity("0"), 114);
  EXPECT_EQ(capacity("2GB"), 110);
}

// ---- weights that nobody can tell ----

const char* const kUnknown =
    R"({"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
        "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 14336,
        "vocab_size": 128256, "torch_dtype": "bfloat16",
        "quantization_config": {"quant_method": "hqq", "bits": 4}})";

TEST(ModelAsked, UnknownWeightsAreSaidOnceAndNotOfThoseThatWereStated) {
  const Arguments step = joined({{"-"}, kA100});
  expect_refusal(step, "the method 'hqq' is not known in this form", kUnknown);
  const auto refused = model_run(step, kUnknown).err;
  EXPECT_TRUE(contains(refused, "name their type by --weights\n")) << refused;
  EXPECT_EQ(refused.find("--weights"), refused.rfind("--weights"));
  EXPECT_EQ(model_run(joined({step, {"--weights", "int4-g64"}}), kUnknown).err, "");
  const auto judged = roofline(
      joined({{"advise"}, step, {"--weights", "int4-g64", "--mfu", "0.1%"}}), {.input = kUnknown});
  EXPECT_EQ(judged.status, 0);
  EXPECT_EQ(judged.err, "");
}

// ---- words ----

TEST(ModelAsked, EveryWordThatCanBeChosenIsListed) {
  expect_refusal(joined({kOnA100, {"--phase", "mixed"}}), "train");
  expect_refusal(joined({kOnA100, {"--convention", "6n"}}), "--phase train");
  expect_refusal(joined({kOnA100, {"--convention", "korthikanti"}}), "--phase train");
}

// ---- types ----

TEST(ModelAsked, ProductsOfAnotherTypeAreNamed) {
  const auto run = model_run(
      {"deepseek-v3", "--device", "h200-141gb-sxm", "--tensor-parallel", "8", "--context", "4096"});
  EXPECT_TRUE(contains(run.out, "fp8_e4m3 arithmetic (router, lm_head in bf16)")) << run.out;
}

// Norms and look-ups have no arithmetic that is counted, and so no type of it.
TEST(ModelAsked, WhatComputesNothingHasNoTypeOfArithmetic) {
  const auto run =
      model_run({"deepseek-v3", "--json", "--device", "h200-141gb-sxm", "--context", "4096"});
  std::size_t idle = 0;
  const Json out = Json::parse(run.out);
  for (const Json& one : out["step"]["operations"]) {
    ASSERT_TRUE(one.contains("arithmetic"));
    EXPECT_EQ(one["arithmetic"].is_null(), one["work_flop"] == 0) << one;
    idle += one["arithmetic"].is_null() ? 1 : 0;
    if (one["name"] == "lm_head") {
      EXPECT_EQ(one["arithmetic"], "bf16");
    }
    if (one["name"] == "expert_down") {
      EXPECT_EQ(one["arithmetic"], "fp8_e4m3");
    }
  }
  EXPECT_GE(idle, 3U);
}

TEST(ModelAsked, TheLineOfConventionsIsAsWideAsThePage) {
  const Arguments call{"deepseek-v3", "--device", "h200-141gb-sxm", "--tensor-parallel", "8"};
  const auto longest = [](const std::string& text) {
    std::size_t out = 0;
    std::size_t begin = text.find('\n') + 1;
    for (std::size_t end = text.find('\n', begin); end > begin; end = text.find('\n', begin)) {
      out = std::max(out, end - begin);
      begin = end + 1;
    }
    return out;
  };
  for (const std::string& text :
       {model_run(call).out, model_run(joined({call, {"--sweep-batch", "1,8"}})).out,
        page(joined({call, {"--mfu", "0.5%", "--batch", "8"}}))}) {
    EXPECT_TRUE(contains(text, "MLA cheapest\n\n")) << text;
    EXPECT_LE(longest(text), 100U) << text;
    EXPECT_GT(longest(text), 60U);
  }
}

// Each of two devices has the router's 0.13 MFLOP a layer for itself: too little to be seen in
// three digits. What MLA has each of 8 do once more is to be seen.
TEST(ModelAsked, AnHfuThatReadsLikeMfuIsNotShown) {
  const auto shown = [](const Arguments& call) {
    return model_run(joined({call, {"--context", "4096"}})).out;
  };
  const auto little =
      shown({"mixtral-8x7b", "--device", "h100-80gb-sxm", "--tensor-parallel", "2"});
  EXPECT_TRUE(contains(little, "\nMFU          at most 0.")) << little;
  EXPECT_FALSE(contains(little, "\nHFU")) << little;
  const auto seen = shown({"deepseek-v3", "--device", "h200-141gb-sxm", "--tensor-parallel", "8"});
  EXPECT_TRUE(contains(seen, "\nHFU")) << seen;
}

// ---- what the account of all weights is of experts ----

// 2 of 8 experts are expected of one token: 32 x 2 x 3 x 4096 x 14336 of them, and all the rest.
TEST(ModelAsked, AllWeightsAreOfExpertsThoseThatAreRead) {
  const auto run = model_run({"mixtral-8x7b", "--account", "all-weights", "--json", "--context",
                              "1", "--peak-flops", "312TFLOP/s", "--bandwidth", "2TB/s"});
  const double kv_read = 131'072;
  const double active = 12'879'925'248.0;
  EXPECT_NEAR(Json::parse(run.out)["step"]["traffic_byte"]["total"].get<double>(),
              2 * active + kv_read, 1);
}

}  // namespace
}  // namespace roofline::test
