// Text that is no configuration: one sentence that names the file, no crash.
#include <gtest/gtest.h>

#include "model/support.hpp"

namespace roofline::model::test {
namespace {

void expect_sentence(const std::string& text, const std::string& part) {
  const std::string why = refusal_of_text(text);
  EXPECT_TRUE(says(why, part)) << why;
  EXPECT_TRUE(why.starts_with("config.json")) << why;
  EXPECT_FALSE(says(why, "\n")) << why;
  EXPECT_LT(why.size(), 800U) << why;
}

TEST(Hostile, EveryCutOfARealFileIsRefused) {
  const std::string whole = config("llama-3.1-8b").dump();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const std::string why = refusal_of_text(whole.substr(0, size));
    EXPECT_TRUE(why.starts_with("config.json")) << size << ": " << why;
  }
  expect_sentence(whole.substr(0, 100), "the JSON ends too early");
  expect_sentence("", "is empty");
  expect_sentence(" \n ", "is empty");
}

TEST(Hostile, NestingHasAnEnd) {
  const std::size_t deep = 1'000'000;
  expect_sentence(std::string(deep, '['), "nested more than");
  std::string objects;
  for (int i = 0; i < 1000; ++i) objects += R"({"a":)";
  expect_sentence(objects, "nested more than");
  expect_sentence(
      R"({"model_type": "llama", "x": )" + std::string(100, '[') + std::string(100, ']') + "}",
      "nested more than");
}

TEST(Hostile, NumbersOutOfReason) {
  expect_sentence(R"({"model_type": "llama", "hidden_size": 1e999})", "beyond the range");
  for (const char* value : {"-1", "4096.5", "1e3", "\"4096\"", "true", "[4096]", "{}",
                            "18446744073709551616", "99999999999999999999999"}) {
    Json model = small();
    std::string text = model.dump();
    text.replace(text.find("\"hidden_size\":8"), 15, std::string("\"hidden_size\":") + value);
    expect_sentence(text, "'hidden_size' must be a whole number");
  }
  expect_sentence(with(small(), "hidden_size", 0).dump(),
                  "'hidden_size' must be a whole number above 0");
  expect_sentence(with(small(), "hidden_size", nullptr).dump(), "'hidden_size' is missing or null");
  expect_sentence(with(small(), "hidden_size", 5'000'000'000).dump(), "beyond which no model is");
  expect_sentence(with(small(), "num_hidden_layers", 100'000).dump(),
                  "no model has more than 65536 layers");
}

TEST(Hostile, CountsBeyond64BitsAreRefused) {
  Json model = small();
  for (const char* key : {"hidden_size", "intermediate_size", "vocab_size"})
    model[key] = 4'000'000'000;
  model["num_hidden_layers"] = 60'000;
  const std::string why = refusal(model);
  EXPECT_TRUE(says(why, "does not fit 64 bits")) << why;
}

TEST(Hostile, NanAndInfinityAreNotJson) {
  for (const char* value : {"NaN", "Infinity", "-Infinity", "nan"}) {
    expect_sentence(R"({"model_type": "llama", "rope_theta": )" + std::string(value) + "}",
                    "no NaN or Infinity");
  }
}

TEST(Hostile, AKeyStandsOnce) {
  expect_sentence(R"({"model_type": "llama", "hidden_size": 8, "hidden_size": 16})",
                  "key 'hidden_size' is there twice");
}

TEST(Hostile, WrongTypesAreNamed) {
  expect_sentence("[]", "the file must be an object, but is a list");
  expect_sentence("7", "the file must be an object, but is 7");
  expect_sentence("{}", "'model_type' is missing");
  expect_sentence(with(small(), "model_type", 7).dump(), "'model_type' must be a text, but is 7");
  expect_sentence(with(small(), "tie_word_embeddings", "yes").dump(),
                  "'tie_word_embeddings' must be true or false");
  expect_sentence(with(small(), "text_config", 3).dump(), "'text_config' must be an object");
  expect_sentence(with(small(), "torch_dtype", 16).dump(), "'torch_dtype' must be a text");
  expect_sentence(with(small(), "quantization_config", "fp8").dump(),
                  "'quantization_config' must be an object");
  expect_sentence(with(small("qwen3"), "layer_types", "full").dump(),
                  "'layer_types' must be a list of texts");
  expect_sentence(with(small("qwen3_moe"), "num_experts", {1}).dump(),
                  "'num_experts' must be a whole number");
}

TEST(Hostile, WhatAFileSaysNeitherBreaksNorSteersTheTerminal) {
  expect_sentence(with(small(), "model_type", "lla\nma\x1b[31m").dump(), "is not modelled");
  expect_sentence(with(small(), "num_\n_experts", 3).dump(), "is not known");
  expect_sentence(with(small(), std::string(5000, 'k') + "_layers", 3).dump(), "is not known");
}

TEST(Hostile, ListsAsLongAsTheyLikeToBe) {
  Json model = small("llama4");
  model["num_local_experts"] = 4;
  model["num_experts_per_tok"] = 1;
  model["intermediate_size_mlp"] = 6;
  model["moe_layers"] = Json::array();
  for (int i = 0; i < 50'000; ++i) model["moe_layers"].push_back(i);
  EXPECT_EQ(layer_count(read(model)), 2U);
  model["num_hidden_layers"] = 65'536;
  EXPECT_EQ(layer_count(read(model)), 65'536U);
}

}  // namespace
}  // namespace roofline::model::test
