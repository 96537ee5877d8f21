// roofline model as a person calls it: by name, by file, by folder and by pipe; JSON, refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using Json = nlohmann::ordered_json;

const std::string model_data = std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/models/configs/";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

Json model_json_of(const std::vector<std::string>& arguments, const RunOptions& options = {}) {
  std::vector<std::string> all{"model", "--json"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const auto run = roofline(all, options);
  EXPECT_EQ(run.status, 0) << run.err;
  return Json::parse(run.out);
}

TEST(ModelCommand, ABundledModelByAnyOfItsNames) {
  for (const char* name : {"llama-3.1-8b", "Llama-3.1-8B", "meta-llama/Llama-3.1-8B-Instruct"}) {
    const Json out = model_json_of({name});
    EXPECT_EQ(out["model"]["name"], "llama-3.1-8b");
    EXPECT_EQ(out["model"]["parameters"]["total"], 8'030'261'248);
    EXPECT_EQ(out["model"]["parameters"]["active"], 8'030'261'248);
    EXPECT_EQ(out["model"]["parameters"]["active_without_input_embedding"], 7'504'924'672);
    EXPECT_EQ(out["model"]["parameters"]["matmul_resident"], 7'504'658'432);
    EXPECT_EQ(out["model"]["parameters"]["matmul_active"], 7'504'658'432);
    EXPECT_EQ(out["kv_byte_per_token"], 131'072);
    EXPECT_EQ(out["weights"]["byte"], 16'060'522'496);
    EXPECT_EQ(out["model"]["attention"], "GQA");
    EXPECT_EQ(out["model"]["family"], "Llama");
    EXPECT_EQ(out["kv"]["sequence"]["tokens"], 131'072);
    EXPECT_EQ(out["kv"]["sequence"]["byte_in_full"], 17'179'869'184);
    EXPECT_EQ(out["warnings"], Json::array());
  }
}

TEST(ModelCommand, AFileAFolderAndAPipeSayTheSame) {
  const TemporaryFolder folder;
  std::filesystem::copy_file(model_data + "qwen3-8b.json", folder.path("config.json"));
  const std::uint64_t total = 8'190'735'360;
  EXPECT_EQ(model_json_of({model_data + "qwen3-8b.json"})["model"]["parameters"]["total"], total);
  EXPECT_EQ(model_json_of({folder.path("")})["model"]["parameters"]["total"], total);
  EXPECT_EQ(
      model_json_of({"-"}, {.input = folder.read("config.json")})["model"]["parameters"]["total"],
      total);
  EXPECT_EQ(model_json_of({"config.json"},
                          {.directory = folder.path("")})["model"]["parameters"]["total"],
            total);
}

TEST(ModelCommand, OwnModelsComeBeforeTheBundledOnes) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.path("models"));
  std::filesystem::copy_file(model_data + "gpt2.json", folder.path("models/llama-3.1-8b.json"));
  std::filesystem::copy_file(model_data + "yi-34b.json", folder.path("models/mine.json"));
  const std::vector<std::string> own{"--config-dir", folder.path("")};
  EXPECT_EQ(model_json_of({"llama-3.1-8b", own[0], own[1]})["model"]["family"], "GPT-2");
  EXPECT_EQ(model_json_of({"mine", own[0], own[1]})["model"]["parameters"]["total"],
            34'388'917'248);
  EXPECT_EQ(model_json_of({"qwen3-8b", own[0], own[1]})["model"]["family"], "Qwen 3");
  EXPECT_EQ(model_json_of({"llama-3.1-8b"})["model"]["family"], "Llama");
}

TEST(ModelCommand, QuantisedClassesHaveMatricesThatAreMultiplied) {
  EXPECT_EQ(
      model_json_of({"llama-3.1-8b", "--weights", "int4-g128"})["weights"]["quantised"]["classes"],
      Json::array({"qkv", "attention_output", "mlp", "lm_head"}));
  const Json v3 = model_json_of({"deepseek-v3"});
  EXPECT_EQ(v3["weights"]["quantised"]["classes"],
            Json::array({"qkv", "attention_output", "mlp", "experts", "shared_experts"}));
}

TEST(ModelCommand, TypesAndContextsOnDemand) {
  const Json out =
      model_json_of({"llama-3.1-8b", "--kv", "fp8", "--weights", "int4-g128", "--context", "4096"});
  EXPECT_EQ(out["kv_byte_per_token"], 65'536);
  EXPECT_EQ(out["kv"]["type"], "fp8_e4m3");
  EXPECT_EQ(out["kv"]["sequence"]["tokens"], 4096);
  EXPECT_EQ(out["kv"]["sequence"]["origin"], "user");
  EXPECT_EQ(out["kv"]["sequence"]["byte_in_full"], 65'536 * 4096);
  EXPECT_EQ(out["weights"]["quantised"]["format"], "int4-g128");
  const std::uint64_t matrices = 7'504'658'432;
  EXPECT_EQ(out["weights"]["byte"],
            matrices / 2 + matrices / 128 * 2 + matrices / 256 + (8'030'261'248 - matrices) * 2);
  EXPECT_EQ(model_json_of({"llama-3.1-8b", "--weights", "fp8"})["weights"]["byte"],
            matrices + (8'030'261'248 - matrices) * 2);
  // 32 bits in the file are served from a cache of 16.
  EXPECT_EQ(model_json_of({model_data + "olmo-2-7b.json"})["kv_byte_per_token"], 524'288);
  EXPECT_EQ(model_json_of({model_data + "olmo-2-7b.json"})["weights"]["byte"], 29'194'469'376);
}

TEST(ModelCommand, WindowsAndTowersStandApart) {
  const Json oss = model_json_of({"gpt-oss-20b"});
  EXPECT_EQ(oss["kv"]["byte_per_token"], 49'152);
  EXPECT_EQ(oss["kv"]["byte_per_token_beyond_windows"], 24'576);
  EXPECT_LT(oss["kv"]["sequence"]["byte_in_windows"], oss["kv"]["sequence"]["byte_in_full"]);
  const Json gemma = model_json_of({"gemma-3-27b"});
  EXPECT_EQ(gemma["model"]["parameters"]["total"], 27'432'406'640);
  EXPECT_EQ(gemma["model"]["parameters"]["text"], 27'009'346'304);
  EXPECT_EQ(gemma["model"]["parameters"]["vision"], 423'060'336);
  EXPECT_EQ(gemma["model"]["parameters"]["active_without_input_embedding"], 27'009'346'304);
  EXPECT_EQ(gemma["weights"]["byte_by_class"]["vision"], 2 * 423'060'336);
  std::uint64_t bytes = 0;
  for (const Json& part : gemma["weights"]["byte_by_class"]) bytes += part.get<std::uint64_t>();
  EXPECT_EQ(bytes, gemma["weights"]["byte"]);
  const Json bloom = model_json_of({model_data + "bloom-560m.json"});
  EXPECT_TRUE(bloom["model"]["context_tokens"].is_null());
  EXPECT_TRUE(bloom["kv"]["sequence"].is_null());
}

TEST(ModelCommand, B041_EveryDigitOfAnOddCount) {
  const TemporaryFolder folder;
  // Embedding and head 2 x 4099 x 4099; in 2 layers four projections of 64 x 4099, an MLP of
  // 3 x 8 x 4099 and two norms; a final norm: 35,919,537.
  const std::string odd = folder.write("odd.json", R"({"model_type": "llama", "hidden_size": 4099,
    "num_hidden_layers": 2, "num_attention_heads": 1, "head_dim": 64, "intermediate_size": 8,
    "vocab_size": 4099, "torch_dtype": "bfloat16"})");
  const auto run = roofline({"model", odd, "--json"});
  EXPECT_TRUE(contains(run.out, "\"total\": 35919537,")) << run.out;
  EXPECT_TRUE(
      contains(roofline({"model", "deepseek-v3", "--json"}).out, "\"total\": 671026419200,"));
}

void expect_model_refused(const std::vector<std::string>& arguments, const std::string& part) {
  std::vector<std::string> all{"model"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  const auto plain = roofline(all);
  EXPECT_EQ(plain.status, 2);
  EXPECT_EQ(plain.out, "");
  EXPECT_TRUE(contains(plain.err, part)) << plain.err;
  EXPECT_EQ(std::count(plain.err.begin(), plain.err.end(), '\n'), 1) << plain.err;
  all.emplace_back("--json");
  const auto run = roofline(all);
  EXPECT_EQ(run.status, 2);
  EXPECT_EQ(run.err, plain.err);
  const Json out = Json::parse(run.out);
  EXPECT_EQ(out.size(), 1U);
  EXPECT_TRUE(contains(out["refused"], part)) << run.out;
}

TEST(ModelCommand, ARefusalIsAResultToo) {
  expect_model_refused({model_data + "mamba-2.8b-hf.json"}, "state-space or recurrent model");
  expect_model_refused({model_data + "snowflake-arctic-embed-m.json"}, "is an encoder");
  expect_model_refused({"llama-3.1-8v"}, "did you mean llama-3.1-8b?");
  expect_model_refused({"meta-llama/Llama-3.1-9B"}, "did you mean llama-3.1-8b?");
  expect_model_refused({"nothing-like-it"}, "give a config.json");
  expect_model_refused({"llama-3.1-8b", "--kv", "fp7"}, "unknown dtype 'fp7'");
  expect_model_refused({"llama-3.1-8b", "--weights", "q4"}, "--weights: 'q4'");
  expect_model_refused({"llama-3.1-8b", "--context", "many"}, "--context");
  const TemporaryFolder folder;
  expect_model_refused({folder.write("cut.json", R"({"model_type": "llama", )")}, "ends too early");
}

TEST(ModelCommand, AFileThatIsNotThereIsStatus4) {
  for (const char* path : {"/nonexistent/config.json", "./no.json"}) {
    const auto run = roofline({"model", path});
    EXPECT_EQ(run.status, 4) << run.err;
    EXPECT_TRUE(contains(run.err, path)) << run.err;
  }
}

TEST(ModelCommand, WarningsGoToBothAndTheResultStaysPure) {
  const auto run = roofline({"model", model_data + "glm-4.5.json", "--json"});
  EXPECT_EQ(run.status, 0);
  EXPECT_TRUE(contains(run.err, "warning: the layers that predict further tokens (1)")) << run.err;
  EXPECT_EQ(Json::parse(run.out)["warnings"].size(), 1U);
  const auto unknown =
      roofline({"model", "-"}, {.input = R"({"model_type": "llama", "hidden_size": 8,
    "num_hidden_layers": 1, "num_attention_heads": 1, "intermediate_size": 8, "vocab_size": 8,
    "dtype": "bfloat16", "quantization_config": {"quant_method": "secret"}})"});
  EXPECT_EQ(unknown.status, 0) << unknown.err;
  EXPECT_TRUE(contains(unknown.err, "'secret'"));
  EXPECT_TRUE(contains(unknown.out, "unknown"));
}

TEST(ModelCommand, ThePageNamesWhatItCounts) {
  const auto run = roofline({"model", "deepseek-v3"});
  EXPECT_EQ(run.status, 0) << run.err;
  for (const char* part :
       {"DeepSeek V3, 61 layers of 7168", "671 026 419 200", "37 552 297 472", "36 625 618 432",
        "MLA 128 heads, cached latent 512 + 64", "8 of 256 experts of 2048 and shared 2048",
        "70 272 B a token", "fp8_e4m3"})
    EXPECT_TRUE(contains(run.out, part)) << part << '\n' << run.out;
}

}  // namespace
}  // namespace roofline::test
