// Every configuration of tests/data/models gives the counts that its checkpoint or a recount by
// others gives, to the last digit, or the refusal asked for.
#include <gtest/gtest.h>

#include <filesystem>

#include "model/support.hpp"

namespace roofline::model::test {
namespace {

class Truth : public testing::TestWithParam<std::string> {
 protected:
  void expect(const char* key, std::uint64_t counted) const {
    if (!truth_.contains(key) || truth_[key].is_null()) return;
    EXPECT_EQ(counted, truth_[key]) << key;
  }
  Json truth_ = data("truth.json")[GetParam()];
};

std::vector<std::string> names() {
  std::vector<std::string> out;
  const Json all = data("truth.json");  // items() does not keep it
  for (const auto& [name, entry] : all.items()) {
    if (!name.starts_with('_')) out.push_back(name);
  }
  return out;
}

std::string test_name(const testing::TestParamInfo<std::string>& of) {
  std::string out = of.param;
  for (char& c : out) {
    if (c == '-' || c == '.') c = '_';
  }
  return out;
}

TEST_P(Truth, Holds) {
  if (truth_["expect"] == "refuse") {
    EXPECT_TRUE(says(refusal(config(GetParam())), "is not modelled"))
        << refusal(config(GetParam()));
    return;
  }
  const Architecture model = read(config(GetParam()));
  const Parameters counted = count_parameters(model);
  expect("total_params", counted.total.value());
  expect("text_only_params", counted.text.value());
  expect("active_params", counted.active.value());
  expect("active_params_excl_input_embedding", counted.active_without_input_embedding.value());
  expect("input_embedding_params", counted.input_embedding.value());
  expect("kv_bytes_per_token_bf16", kv_byte_per_token(model, DType::bf16).value());
  expect("kv_full_attention_layers_only",
         kv_byte_per_token_beyond_windows(model, DType::bf16).value());
  expect("context_length", model.context.value_or(0));
  expect("attention_layers", attention_layer_count(model));
  EXPECT_EQ(model.tied, truth_["tied_embeddings"]);
  std::uint64_t full = 0;
  std::uint64_t with_experts = 0;
  for (const LayerKind& kind : model.layers) {
    if (kind.layer.attention && kind.layer.attention->span.reach == Reach::full) full += kind.count;
    if (std::holds_alternative<Experts>(kind.layer.feed_forward)) with_experts += kind.count;
  }
  expect("full_layers", full);
  expect("moe_layers", with_experts);
}

INSTANTIATE_TEST_SUITE_P(Configurations, Truth, testing::ValuesIn(names()), test_name);

TEST(TruthTable, HasEveryConfigurationAndNoOther) {
  std::size_t files = 0;
  const std::filesystem::path folder =
      std::filesystem::path(ROOFLINE_SOURCE_DIR) / "tests/data/models/configs";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    ++files;
    EXPECT_TRUE(data("truth.json").contains(entry.path().stem().string())) << entry.path();
  }
  EXPECT_EQ(files, names().size());
  EXPECT_GE(files, 36U);
}

TEST(TruthTable, EveryClassAddsUp) {
  for (const std::string& name : names()) {
    if (data("truth.json")[name]["expect"] == "refuse") continue;
    const Parameters counted = count(config(name));
    Count total;
    Count active;
    for (const ClassParameters& entry : counted.by_class) {
      total += entry.total;
      active += entry.active;
      EXPECT_LE(entry.active, entry.total) << name;
      EXPECT_LE(entry.matmul_active, entry.matmul_resident) << name;
      EXPECT_LE(entry.matmul_resident, entry.total) << name;
    }
    EXPECT_EQ(total, counted.text) << name;
    EXPECT_EQ(active + counted.vision, counted.active) << name;
  }
}

class Relatives : public testing::TestWithParam<std::string> {};

std::vector<std::string> relatives() {
  std::vector<std::string> out;
  const Json all = data("relatives.json");  // items() does not keep it
  for (const auto& [name, entry] : all.items()) {
    if (!name.starts_with('_')) out.push_back(name);
  }
  return out;
}

TEST_P(Relatives, GiveTheCountOfTheirCheckpoint) {
  const Json entry = data("relatives.json")[GetParam()];
  const Architecture model = read(entry["config"]);
  const Parameters counted = count_parameters(model);
  const auto expect = [&](const char* key, std::uint64_t value) {
    if (!entry.contains(key)) return;
    EXPECT_EQ(value, entry[key]) << key;
  };
  expect("total_params", counted.total.value());
  expect("active_params", counted.active.value());
  expect("matmul_params", counted.matmul_resident.value());
  expect("kv_bytes_per_token_bf16", kv_byte_per_token(model, DType::bf16).value());
  ASSERT_TRUE(entry.contains("total_params"));
}

INSTANTIATE_TEST_SUITE_P(Models, Relatives, testing::ValuesIn(relatives()), test_name);

}  // namespace
}  // namespace roofline::model::test
