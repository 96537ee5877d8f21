#include "model/quantized_types.hpp"

#include <algorithm>
#include <iterator>

namespace roofline::model {
namespace {

using Type = std::optional<DType>;
using Warnings = std::vector<std::string>;

/// As compressed-tensors writes a type; nothing where none is like that.
Type type_of(const ConfigNode& scheme) {
  const std::uint64_t bits = scheme.size("num_bits").value_or(0);
  const std::string kind = scheme.text("type").value_or("int");
  if (kind == "float" && bits == 8) return DType::fp8_e4m3;
  if (kind == "float" && bits == 4) return DType::fp4;
  if (kind == "int" && bits == 8) return DType::int8;
  if (kind == "int" && bits == 4) return DType::int4;
  return std::nullopt;
}

/// Sixteen bits are what everything has that is not quantised.
bool is_plain(const ConfigNode& scheme) { return scheme.size("num_bits").value_or(0) == 16; }

constexpr const char* kCacheStays = "the KV cache is counted in 16 bits; --kv names its type";
constexpr const char* kActivationsStay =
    "products are computed as if activations stayed in 16 bits; --arithmetic names their type";

void warn(const ConfigNode& config, std::string_view key, const char* instead, Warnings& warnings) {
  warnings.push_back("'" + config.path_of(key) + "' states a type that is not known: " + instead);
}

/// Both kinds of FP8 quantise activations before each product, by scales that are stored or found.
Type of_fp8(const ConfigNode& config, const WeightFormat& format, Warnings& warnings) {
  const std::string scheme = config.text("activation_scheme").value_or("dynamic");
  if (scheme == "dynamic" || scheme == "static") return find_dtype(format.name);
  warn(config, "activation_scheme", kActivationsStay, warnings);
  return std::nullopt;
}

/// FP8 and NVFP4 of ModelOpt.
Type of_weights(const ConfigNode&, const WeightFormat& format, Warnings&) {
  return format.bits == 4 ? DType::fp4 : find_dtype(format.name);
}

/// Of the one group of a compressed-tensors file.
Type of_inputs(const ConfigNode& config, const WeightFormat&, Warnings& warnings) {
  const auto groups = config.object("config_groups");
  if (!groups || groups->keys().empty()) return std::nullopt;
  const auto group = groups->object(groups->keys().front());
  const auto inputs = group ? group->object("input_activations") : std::nullopt;
  if (!inputs || is_plain(*inputs)) return std::nullopt;
  const Type out = type_of(*inputs);
  if (!out) warn(*group, "input_activations", kActivationsStay, warnings);
  return out;
}

/// The others store weights alone in few bits.
struct TypedMethod {
  std::string_view name;
  Type (*arithmetic)(const ConfigNode& config, const WeightFormat& format, Warnings& warnings);
};
constexpr TypedMethod kTypedMethods[] = {
    {"fp8", of_fp8},          {"fbgemm_fp8", of_fp8},       {"nvfp4", of_weights},
    {"modelopt", of_weights}, {"modelopt_fp4", of_weights}, {"compressed-tensors", of_inputs},
};

}  // namespace

std::optional<DType> stated_cache(const ConfigNode& quantization,
                                  std::vector<std::string>& warnings) {
  constexpr const char* kScheme = "kv_cache_scheme";         // compressed-tensors
  constexpr const char* kAlgorithm = "kv_cache_quant_algo";  // ModelOpt
  if (const auto scheme = quantization.object(kScheme)) {
    if (is_plain(*scheme)) return std::nullopt;
    const Type out = type_of(*scheme);
    if (!out) warn(quantization, kScheme, kCacheStays, warnings);
    return out;
  }
  const auto algorithm = quantization.text(kAlgorithm);
  if (!algorithm) return std::nullopt;
  if (*algorithm == "FP8") return DType::fp8_e4m3;
  if (*algorithm == "INT8") return DType::int8;
  warn(quantization, kAlgorithm, kCacheStays, warnings);
  return std::nullopt;
}

std::optional<DType> stated_arithmetic(std::string_view method, const ConfigNode& quantization,
                                       const WeightFormat& format,
                                       std::vector<std::string>& warnings) {
  const auto* const found =
      std::find_if(std::begin(kTypedMethods), std::end(kTypedMethods),
                   [&](const TypedMethod& entry) { return entry.name == method; });
  if (found == std::end(kTypedMethods)) return std::nullopt;
  return found->arithmetic(quantization, format, warnings);
}

}  // namespace roofline::model
