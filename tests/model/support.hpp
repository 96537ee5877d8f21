// Configurations for tests: the files of tests/data/models, and small ones made from a few keys.
#pragma once

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "model/config_reader.hpp"
#include "model/kv_cache.hpp"
#include "model/parameters.hpp"
#include "roofline/error.hpp"

namespace roofline::model::test {

using Json = nlohmann::ordered_json;

inline std::string read_data(const std::string& name) {
  const std::string path = std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/models/" + name;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline Json data(const std::string& name) { return Json::parse(read_data(name)); }
/// A real configuration by its name, to be altered.
inline Json config(const std::string& name) { return data("configs/" + name + ".json"); }

/// One of the relatives, of which no file is kept.
inline Json relative(const std::string& name) { return data("relatives.json")[name]["config"]; }

inline Architecture read(const Json& config) { return read_config(config.dump(), "config.json"); }
inline Parameters count(const Json& config) { return count_parameters(read(config)); }
inline std::uint64_t total(const Json& config) { return count(config).total.value(); }
inline std::uint64_t kv_bf16(const Json& config) {
  return kv_byte_per_token(read(config), DType::bf16).value();
}

inline std::string refusal_of_text(const std::string& text) {
  try {
    static_cast<void>(count_parameters(read_config(text, "config.json")));
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}
inline std::string refusal(const Json& config) { return refusal_of_text(config.dump()); }

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Small enough to be counted by hand: 2 layers of 8, 2 heads of 4 over 1, MLP 6, vocabulary 10.
inline Json small(const std::string& model_type = "llama") {
  return {{"model_type", model_type}, {"hidden_size", 8},         {"num_hidden_layers", 2},
          {"num_attention_heads", 2}, {"num_key_value_heads", 1}, {"head_dim", 4},
          {"intermediate_size", 6},   {"vocab_size", 10},         {"max_position_embeddings", 64},
          {"torch_dtype", "bfloat16"}};
}

inline Json with(Json config, const std::string& key, const Json& value) {
  config[key] = value;
  return config;
}

}  // namespace roofline::model::test
