// Bytes of weights: types, formats with scales, what a quantised configuration leaves alone.
#include <gtest/gtest.h>

#include "model/support.hpp"

namespace roofline::model::test {
namespace {

std::uint64_t bytes(const Architecture& model, const StoredWeights& weights) {
  const auto out = weight_bytes(model, weights);
  return out ? out->total.value() : 0;
}
std::uint64_t stored_bytes(const Json& config) {
  const Architecture model = read(config);
  return bytes(model, model.weights);
}
std::uint64_t scales(const Architecture& model) {
  Count out;
  for (const Tensor& tensor : tensors(model)) {
    if (tensor.use != Use::multiplied || !is_quantised(model.weights, tensor.kind)) continue;
    out +=
        group_count(*model.weights.quantised, tensor.rows, tensor.columns) * Count{tensor.copies};
  }
  return out.value();
}

TEST(StoredWeights, X24_BytesPerQuantisedWeight) {
  const auto per_weight = [](const char* format) {
    return bytes_per_weight(parse_weight_format(format, "--weights"));
  };
  EXPECT_NEAR(per_weight("int4-g128"), 0.5195, 0.00005);
  EXPECT_DOUBLE_EQ(per_weight("mxfp4"), 0.53125);
  EXPECT_DOUBLE_EQ(per_weight("nvfp4"), 0.5625);
  EXPECT_NEAR(per_weight("int8-g128"), 1.0156, 0.00005);
  EXPECT_DOUBLE_EQ(per_weight("fp8"), 1.0);
  EXPECT_DOUBLE_EQ(per_weight("BF16"), 2.0);
}

TEST(StoredWeights, UnknownFormatsAreRefused) {
  for (const char* text :
       {"int4-g0", "int4-g", "int4-g-1", "int5-g128", "q4_k_m", "", "int4-g1e9"}) {
    try {
      static_cast<void>(parse_weight_format(text, "--weights"));
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_TRUE(says(error.what(), "--weights: '")) << error.what();
    }
  }
}

TEST(StoredWeights, S23_GibibytesOfLlama31_8B) {
  // 8.03e9 parameters of 2 bytes.
  EXPECT_NEAR(static_cast<double>(stored_bytes(config("llama-3.1-8b"))) / (1U << 30U), 14.957,
              0.0015);
}

TEST(StoredWeights, P06_TheFootprintHoldsEmbeddingAndHead) {
  EXPECT_EQ(stored_bytes(config("llama-3.1-8b")), 16'060'522'496U);
}

TEST(ConfigCases, P05_Llama31_8BIsNotTied) {
  const Json model = config("llama-3.1-8b");
  EXPECT_FALSE(read(model).tied);
  EXPECT_EQ(total(model), 8'030'261'248);
  EXPECT_EQ(total(with(model, "tie_word_embeddings", true)), 7'504'924'672);
}

TEST(ConfigCases, B215_BothNamesOfTheTypeAreRead) {
  Json model = config("llama-3.1-8b");
  EXPECT_EQ(stored_bytes(model), 16'060'522'496U);
  model.erase("torch_dtype");
  const Architecture unstated = read(model);
  EXPECT_FALSE(unstated.weights.type_stated);
  ASSERT_EQ(unstated.warnings.size(), 1U);
  EXPECT_TRUE(says(unstated.warnings[0], "dtype")) << unstated.warnings[0];
  EXPECT_EQ(bytes(unstated, unstated.weights), 16'060'522'496U);
  model["dtype"] = "bfloat16";
  EXPECT_EQ(stored_bytes(model), 16'060'522'496U);
  EXPECT_TRUE(read(model).warnings.empty());
  EXPECT_EQ(stored_bytes(with(model, "dtype", "float32")), 2 * 16'060'522'496U);
  EXPECT_TRUE(says(refusal(with(model, "dtype", "float7")), "'dtype' is 'float7'"));
}

TEST(ConfigCases, B217_FourBitsCarryTheirScales) {
  Json model = config("llama-3.1-8b");
  model["quantization_config"] = {{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}};
  Architecture read_back = read(model);
  const double gptq = bytes_per_weight(*read_back.weights.quantised);
  EXPECT_GE(gptq, 0.51);
  EXPECT_LE(gptq, 0.53);
  EXPECT_TRUE(says(read_back.weights.quantised->name, "g128"));
  // Layers' matrices in 4 bits and scales; embedding, head and norms in 16.
  const std::uint64_t layers = 7'504'658'432 - 525'336'576;
  EXPECT_EQ(bytes(read_back, read_back.weights),
            layers / 2 + layers / 128 * 2 + layers / 256 + (8'030'261'248 - layers) * 2);
  model["quantization_config"] = {{"quant_method", "nvfp4"}};
  EXPECT_DOUBLE_EQ(bytes_per_weight(*read(model).weights.quantised), 0.5625);
  model["quantization_config"] = {{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}};
  EXPECT_DOUBLE_EQ(bytes_per_weight(*read(model).weights.quantised), 0.5625);
  model["quantization_config"] = {{"quant_method", "secret-sauce"}};
  read_back = read(model);
  EXPECT_FALSE(weight_bytes(read_back, read_back.weights)) << "never silently 16 bits";
  ASSERT_EQ(read_back.warnings.size(), 1U);
  EXPECT_TRUE(says(read_back.warnings[0], "'secret-sauce'")) << read_back.warnings[0];
  EXPECT_EQ(count_parameters(read_back).total.value(), 8'030'261'248);
}

TEST(StoredWeights, P16_CompressedFp8IsOneByteAndItsScales) {
  Json model = config("llama-3.1-8b");
  model["quantization_config"] = Json::parse(R"({"quant_method": "compressed-tensors",
    "config_groups": {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8,
    "strategy": "channel", "symmetric": true, "type": "float"}}}, "ignore": ["lm_head"]})");
  const Architecture fp8 = read(model);
  EXPECT_TRUE(fp8.warnings.empty());
  EXPECT_EQ(fp8.weights.quantised->bits, 8U);
  const std::uint64_t layers = 7'504'658'432 - 525'336'576;
  // A scale of 16 bits for each output: 4096 + 1024 + 1024 + 4096 + 2 x 14336 + 4096 in 32 layers.
  EXPECT_EQ(scales(fp8), 32U * 43'008);
  EXPECT_EQ(bytes(fp8, fp8.weights), layers + 64 * 43'008ULL + (8'030'261'248 - layers) * 2);
}

/// Llama-3.1-8B with this in the one group of a compressed-tensors file.
Json compressed(const char* weights, const char* activations, const char* cache = "null") {
  Json model = config("llama-3.1-8b");
  model["quantization_config"] = {{"quant_method", "compressed-tensors"},
                                  {"kv_cache_scheme", Json::parse(cache)},
                                  {"ignore", {"lm_head"}}};
  model["quantization_config"]["config_groups"]["group_0"] = {
      {"targets", {"Linear"}},
      {"weights", Json::parse(weights)},
      {"input_activations", Json::parse(activations)}};
  return model;
}
constexpr const char* kFloat8 = R"({"num_bits": 8, "type": "float", "strategy": "tensor"})";
constexpr const char* kInt8 = R"({"num_bits": 8, "type": "int", "strategy": "channel"})";
constexpr const char* kInt4 = R"({"num_bits": 4, "type": "int", "strategy": "group"})";

TEST(StoredWeights, ACacheOf8BitsIsStatedByTheFile) {
  const auto cache = [](const Json& model) {
    EXPECT_TRUE(read(model).warnings.empty());
    return read(model).weights.cache;
  };
  EXPECT_EQ(cache(compressed(kFloat8, "null")), std::nullopt);
  EXPECT_EQ(cache(compressed(kFloat8, "null", kFloat8)), DType::fp8_e4m3);
  EXPECT_EQ(cache(compressed(kFloat8, "null", kInt8)), DType::int8);
  Json model = config("llama-3.1-8b");
  model["quantization_config"] = {
      {"quant_method", "modelopt"}, {"quant_algo", "FP8"}, {"kv_cache_quant_algo", "FP8"}};
  EXPECT_EQ(cache(model), DType::fp8_e4m3);
  const Architecture read_back = read(compressed(kFloat8, kFloat8, kFloat8));
  EXPECT_EQ(stored_as(read_back.weights, plain_format(DType::bf16)).cache, DType::fp8_e4m3);
}

TEST(StoredWeights, ProductsAreOfTheTypeThatBothSidesAreQuantisedTo) {
  const auto arithmetic = [](const Json& model) { return read(model).weights.arithmetic; };
  EXPECT_EQ(arithmetic(compressed(kInt8, kInt8)), DType::int8);
  EXPECT_EQ(arithmetic(compressed(kFloat8, kFloat8)), DType::fp8_e4m3);
  EXPECT_EQ(arithmetic(compressed(kInt4, kInt8)), DType::int8) << "W4A8";
  EXPECT_EQ(arithmetic(compressed(kInt4, "null")), std::nullopt) << "W4A16";
  EXPECT_EQ(arithmetic(config("llama-3.1-8b")), std::nullopt);
  EXPECT_EQ(arithmetic(config("deepseek-v3")), DType::fp8_e4m3);
  EXPECT_EQ(arithmetic(config("gpt-oss-20b")), std::nullopt) << "MXFP4 is of weights alone";
  Json model = config("llama-3.1-8b");
  const auto quantised = [&](const Json& how) {
    model["quantization_config"] = how;
    return arithmetic(model);
  };
  EXPECT_EQ(quantised({{"quant_method", "fbgemm_fp8"}}), DType::fp8_e4m3);
  EXPECT_EQ(quantised({{"quant_method", "fp8"}, {"fmt", "e5m2"}}), DType::fp8_e5m2);
  EXPECT_EQ(quantised({{"quant_method", "modelopt"}, {"quant_algo", "FP8"}}), DType::fp8_e4m3);
  EXPECT_EQ(quantised({{"quant_method", "modelopt"}, {"quant_algo", "NVFP4"}}), DType::fp4);
  EXPECT_EQ(quantised({{"quant_method", "awq"}, {"bits", 4}}), std::nullopt);
  const Architecture v3 = read(config("deepseek-v3"));
  EXPECT_EQ(stored_as(v3.weights, plain_format(DType::bf16)).arithmetic, std::nullopt);
}

TEST(StoredWeights, ATypeOfActivationsOrCacheThatIsNotKnownIsWarnedOfByItsKey) {
  const auto warned = [](const Json& model, const std::string& key) {
    const Architecture read_back = read(model);
    ASSERT_EQ(read_back.warnings.size(), 1U);
    EXPECT_TRUE(says(read_back.warnings[0], key)) << read_back.warnings[0];
    EXPECT_EQ(read_back.weights.cache, std::nullopt);
    EXPECT_EQ(read_back.weights.arithmetic, std::nullopt);
  };
  constexpr const char* kOdd = R"({"num_bits": 5, "type": "float"})";
  warned(compressed(kInt8, kOdd), "config_groups.group_0.input_activations'");
  warned(compressed(kInt8, "null", kOdd), "quantization_config.kv_cache_scheme'");
  Json model = config("llama-3.1-8b");
  model["quantization_config"] = {{"quant_method", "fp8"}, {"activation_scheme", "psychic"}};
  warned(model, "quantization_config.activation_scheme'");
  model["quantization_config"] = {
      {"quant_method", "gptq"}, {"bits", 4}, {"kv_cache_quant_algo", "NVFP4"}};
  warned(model, "quantization_config.kv_cache_quant_algo'");
}

TEST(StoredWeights, AnEmptyQuantizationConfigSaysNothing) {
  Json model = config("llama-3.1-8b");
  model["quantization_config"] = Json::object();
  EXPECT_TRUE(read(model).warnings.empty());
  EXPECT_EQ(stored_bytes(model), 16'060'522'496U);
  model["quantization_config"]["bits"] = 4;
  ASSERT_EQ(read(model).warnings.size(), 1U);
  EXPECT_TRUE(says(read(model).warnings[0], "'quant_method' is missing"))
      << read(model).warnings[0];
  EXPECT_FALSE(weight_bytes(read(model), read(model).weights));
}

TEST(StoredWeights, ScalesOfPublishedCheckpoints) {
  // 128 x 128 blocks: the checkpoint holds exactly so many scales beside its parameters.
  EXPECT_EQ(scales(read(config("minimax-m2.5"))), 13'880'064U);
  // 41,540,496 with those of the layer that predicts a further token, which is built as the last
  // layers are: projections 4,280, output 7,168, 257 experts of 3 x 16 x 56.
  EXPECT_EQ(scales(read(config("deepseek-v3"))), 41'540'496U - (4280 + 7168 + 257 * 3 * 16 * 56));
  // The 20B model in MXFP4 experts and bf16 else, as its index of files states.
  EXPECT_EQ(stored_bytes(config("gpt-oss-20b")), 13'761'264'768U);
}

TEST(StoredWeights, AQuantisedConfigurationLeavesHeadEmbeddingAndRouterAlone) {
  const Architecture model = read(config("deepseek-v3"));
  for (const TensorClass kind :
       {TensorClass::lm_head, TensorClass::embedding, TensorClass::router, TensorClass::norms})
    EXPECT_FALSE(is_quantised(model.weights, kind)) << name(kind);
  for (const TensorClass kind : {TensorClass::qkv, TensorClass::attention_output, TensorClass::mlp,
                                 TensorClass::experts, TensorClass::shared_experts})
    EXPECT_TRUE(is_quantised(model.weights, kind)) << name(kind);
  const Architecture oss = read(config("gpt-oss-20b"));
  EXPECT_EQ(oss.weights.classes,
            (std::vector{TensorClass::mlp, TensorClass::experts, TensorClass::shared_experts}));
}

TEST(StoredWeights, ExclusionsByPartAndByLayer) {
  Json model = config("llama-3.1-8b");
  model["quantization_config"] = {{"quant_method", "fp8"},
                                  {"ignored_layers", {"re:.*self_attn.*", "lm_head"}}};
  EXPECT_FALSE(is_quantised(read(model).weights, TensorClass::qkv));
  EXPECT_TRUE(is_quantised(read(model).weights, TensorClass::mlp));
  model["quantization_config"]["ignored_layers"] = {"model.layers.0.mlp", "model.layers.1.mlp"};
  ASSERT_EQ(read(model).warnings.size(), 1U);
  EXPECT_TRUE(says(read(model).warnings[0], "2 parts of single layers"));
  model["quantization_config"]["ignored_layers"] = {"model.surprise"};
  ASSERT_EQ(read(model).warnings.size(), 1U);
  EXPECT_TRUE(says(read(model).warnings[0], "'model.surprise'"));
}

TEST(StoredWeights, AChosenFormatIsThatOfEveryMatrixThatIsMultiplied) {
  const Architecture model = read(config("llama-3.1-8b"));
  const StoredWeights chosen = stored_as(model.weights, plain_format(DType::int8));
  EXPECT_EQ(bytes(model, chosen), 7'504'658'432 + (8'030'261'248 - 7'504'658'432) * 2);
  const Architecture tied = read(config("llama-3.2-1b"));
  EXPECT_EQ(bytes(tied, stored_as(tied.weights, plain_format(DType::int8))),
            1'235'746'816 + (1'235'814'400 - 1'235'746'816) * 2)
      << "a tied matrix is the head";
}

TEST(StoredWeights, OddShapesArePackedMatrixByMatrix) {
  const WeightFormat format{.name = "x", .bits = 4, .scale_bits = 8, .group_columns = 32};
  // 3 x 33 nibbles are 49.5 bytes; each row has two groups.
  EXPECT_EQ(matrix_bytes(format, 3, 33, Count{1}).value(), 50U + 6);
  EXPECT_EQ(matrix_bytes(format, 3, 33, Count{10}).value(), 560U);
  const WeightFormat block{
      .name = "x", .bits = 8, .scale_bits = 32, .group_rows = 128, .group_columns = 128};
  EXPECT_EQ(group_count(block, 129, 257).value(), 2U * 3);
  const WeightFormat whole{.name = "x", .bits = 8, .scale_bits = 32, .group_rows = 0};
  EXPECT_EQ(group_count(whole, 129, 257).value(), 1U);
}

}  // namespace
}  // namespace roofline::model::test
