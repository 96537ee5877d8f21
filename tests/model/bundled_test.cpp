// The models that the binary carries: each counts, as its published configuration does, and no two
// answer to one name.
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "embedded/embedded.hpp"
#include "model/known_names.hpp"
#include "model/support.hpp"

namespace roofline::model::test {
namespace {

std::string stem(std::string_view path) { return std::filesystem::path(path).stem().string(); }

/// Where the names of tests/data differ.
std::string truth_name(const std::string& name) {
  if (name == "mistral-7b" || name == "mixtral-8x7b") return name + "-v0.1";
  if (name == "qwen2.5-7b") return name + "-instruct";
  return name == "gemma-3-27b" ? name + "-it" : name;
}

TEST(Bundled, EveryModelCountsAsItsConfigurationDoes) {
  std::size_t models = 0;
  for (const embedded::File& file : embedded::files_below("models/")) {
    ++models;
    const std::string name = stem(file.path);
    const Json truth = data("truth.json")[truth_name(name)];
    const Architecture model = read_config(file.text, name);
    EXPECT_EQ(count_parameters(model).total.value(), truth["total_params"]) << name;
    EXPECT_EQ(count_parameters(model).active.value(), truth["active_params"]) << name;
    EXPECT_EQ(kv_byte_per_token(model, DType::bf16).value(), truth["kv_bytes_per_token_bf16"])
        << name;
    EXPECT_EQ(model.context.value_or(0), truth["context_length"]) << name;
    EXPECT_TRUE(model.weights.type_stated) << name;
    EXPECT_TRUE(model.weights.unknown.empty()) << name;
  }
  EXPECT_GE(models, 12U);
}

TEST(Bundled, NoTwoAnswerToOneName) {
  std::set<std::string> seen;
  for (const embedded::File& file : embedded::files_below("models/")) {
    EXPECT_TRUE(seen.insert(stem(file.path)).second) << file.path;
    const auto names = known_names(file.text, file.path);
    EXPECT_FALSE(names.empty()) << file.path;
    for (const std::string& name : names) EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_TRUE(says(std::string(file.text), "\"source\": \"")) << file.path;
  }
}

}  // namespace
}  // namespace roofline::model::test
