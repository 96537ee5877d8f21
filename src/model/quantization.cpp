#include "model/quantization.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>

#include "model/quantized_types.hpp"
#include "roofline/printable.hpp"

namespace roofline::model {
namespace {

using Result = std::optional<WeightFormat>;
using enum TensorClass;

/// -1 and nothing mean the whole row.
std::uint64_t group_size(const ConfigNode& config, std::string_view key, std::uint64_t otherwise) {
  const double stated = config.number(key).value_or(static_cast<double>(otherwise));
  if (stated == -1) return 0;
  if (!(stated >= 1 && stated <= 65'536) || stated != std::floor(stated))
    config.refuse(key, "must be a whole number from 1 to 65536, or -1 for whole rows");
  return static_cast<std::uint64_t>(stated);
}

unsigned bits_of(const ConfigNode& config, std::string_view key) {
  const std::uint64_t bits = config.size(key).value_or(0);
  if (bits < 1 || bits > 16) config.refuse(key, "must be a whole number from 1 to 16");
  return static_cast<unsigned>(bits);
}

std::string int_name(unsigned bits, std::uint64_t group) {
  return "int" + std::to_string(bits) + (group > 0 ? "-g" + std::to_string(group) : "");
}

Result fp8(const ConfigNode& config) {
  const std::string fmt = config.text("fmt").value_or("e4m3");
  WeightFormat out{.name = fmt.find("e5m2") != std::string::npos ? "fp8_e5m2" : "fp8_e4m3",
                   .bits = 8,
                   .scale_bits = 32,
                   .group_rows = 0};
  if (const auto block = config.sizes("weight_block_size"); block) {
    if (block->size() != 2 || (*block)[0] == 0 || (*block)[1] == 0)
      config.refuse("weight_block_size", "must be two whole numbers above 0, such as [128, 128]");
    out.group_rows = (*block)[0];
    out.group_columns = (*block)[1];
  }
  return out;
}

Result fp8_by_row(const ConfigNode&) {
  return WeightFormat{.name = "fp8_e4m3", .bits = 8, .scale_bits = 32, .group_rows = 1};
}

Result mxfp4(const ConfigNode&) { return parse_weight_format("mxfp4", "mxfp4"); }
Result nvfp4(const ConfigNode&) { return parse_weight_format("nvfp4", "nvfp4"); }

/// GPTQ and AWQ keep a 16-bit scale and a packed zero for each group of inputs.
Result grouped_integers(const ConfigNode& config) {
  const bool short_names = config.has("w_bit");
  const unsigned bits = bits_of(config, short_names ? "w_bit" : "bits");
  const std::uint64_t group = group_size(config, short_names ? "q_group_size" : "group_size", 128);
  return WeightFormat{.name = int_name(bits, group),
                      .bits = bits,
                      .scale_bits = 16,
                      .zero_bits = bits,
                      .group_rows = 1,
                      .group_columns = group};
}

Result bitsandbytes(const ConfigNode& config) {
  if (config.flag("load_in_8bit").value_or(false))
    return WeightFormat{.name = "int8", .bits = 8, .scale_bits = 32, .group_rows = 1};
  if (!config.flag("load_in_4bit").value_or(false)) return std::nullopt;
  // Scales that are quantised themselves take 8 bits, and a 32-bit one for 256 of them.
  const bool twice = config.flag("bnb_4bit_use_double_quant").value_or(false);
  if (twice) return std::nullopt;
  return WeightFormat{.name = config.text("bnb_4bit_quant_type").value_or("fp4") + "-g64",
                      .bits = 4,
                      .scale_bits = 32,
                      .group_rows = 1,
                      .group_columns = 64};
}

Result modelopt(const ConfigNode& config) {
  const std::string algorithm = config.text("quant_algo").value_or("");
  if (algorithm == "NVFP4") return nvfp4(config);
  if (algorithm == "FP8")
    return WeightFormat{.name = "fp8_e4m3", .bits = 8, .scale_bits = 32, .group_rows = 0};
  return std::nullopt;
}

/// The one group of weights of a compressed-tensors file.
Result compressed_tensors(const ConfigNode& config) {
  const auto groups = config.object("config_groups");
  if (!groups || groups->keys().size() != 1) return std::nullopt;
  const auto group = groups->object(groups->keys().front());
  const auto weights = group ? group->object("weights") : std::nullopt;
  if (!weights) return std::nullopt;
  const unsigned bits = bits_of(*weights, "num_bits");
  const bool integers = weights->text("type").value_or("int") == "int";
  const std::string strategy = weights->text("strategy").value_or("tensor");
  if (strategy == "tensor_group") return bits == 4 && !integers ? nvfp4(config) : std::nullopt;
  WeightFormat out{.name = (integers ? "int" : "fp") + std::to_string(bits),
                   .bits = bits,
                   .scale_bits = 16,
                   .zero_bits = weights->flag("symmetric").value_or(true) ? 0 : bits};
  if (strategy == "group") {
    out.group_columns = group_size(*weights, "group_size", 128);
    if (integers) out.name = int_name(bits, out.group_columns);
  } else if (strategy == "tensor") {
    out.group_rows = 0;
  } else if (strategy != "channel") {
    return std::nullopt;
  }
  return out;
}

struct Method {
  std::string_view name;
  Result (*read)(const ConfigNode& config);
};
constexpr Method kMethods[] = {
    {"fp8", fp8},
    {"fbgemm_fp8", fp8_by_row},
    {"mxfp4", mxfp4},
    {"nvfp4", nvfp4},
    {"gptq", grouped_integers},
    {"awq", grouped_integers},
    {"bitsandbytes", bitsandbytes},
    {"modelopt", modelopt},
    {"modelopt_fp4", nvfp4},
    {"compressed-tensors", compressed_tensors},
};

bool has(std::string_view text, std::string_view word) {
  return text.find(word) != std::string_view::npos;
}

bool has_digit(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Which classes an exclusion such as `model.layers.*.self_attn` leaves alone.
class Exclusions {
 public:
  explicit Exclusions(std::vector<std::string>& warnings) : warnings_(warnings) {}

  void add(const std::string& pattern) {
    if (has(pattern, "layers.") && has_digit(pattern)) {
      ++of_single_layers_;
      return;
    }
    const bool expert = has(pattern, "expert");
    if (has(pattern, "shared_expert")) {
      leave({shared_experts});
    } else if (expert) {
      leave({experts});
    } else if (has(pattern, "attn") || has(pattern, "attention")) {
      attention(pattern);
    } else if (has(pattern, "gate_proj") || has(pattern, "up_proj") || has(pattern, "down_proj") ||
               pattern.ends_with("mlp") || pattern.ends_with("mlp.*")) {
      leave({mlp, experts, shared_experts});
    } else if (!concerns_none(pattern)) {
      warnings_.push_back("quantization_config leaves out '" +
                          printable(pattern.substr(0, 60), '?') +
                          "', which is not understood; such matrices are counted as quantised");
    }
  }

  [[nodiscard]] std::vector<TensorClass> classes() const {
    std::vector<TensorClass> out;
    for (const TensorClass kind : {qkv, attention_output, mlp, experts, shared_experts}) {
      if (std::find(left_.begin(), left_.end(), kind) == left_.end()) out.push_back(kind);
    }
    if (of_single_layers_ > 0)
      warnings_.push_back("quantization_config leaves out " + std::to_string(of_single_layers_) +
                          " parts of single layers; they are counted as quantised");
    return out;
  }

 private:
  void leave(std::initializer_list<TensorClass> kinds) {
    left_.insert(left_.end(), kinds.begin(), kinds.end());
  }
  void attention(std::string_view pattern) {
    const bool output = has(pattern, "o_proj");
    const bool inputs = has(pattern, "q_") || has(pattern, "k_") || has(pattern, "v_") ||
                        has(pattern, "kv_") || has(pattern, "qkv");
    if (output || !inputs) leave({attention_output});
    if (inputs || !output) leave({qkv});
  }
  /// Heads, embeddings, norms and routers stay as they are without being told.
  [[nodiscard]] static bool concerns_none(std::string_view pattern) {
    constexpr std::string_view words[] = {"lm_head",     "embed",  "norm",     "router",
                                          "gate",        "vision", "visual",   "correction_bias",
                                          "multi_modal", "mtp",    "projector"};
    return std::any_of(std::begin(words), std::end(words),
                       [&](std::string_view word) { return has(pattern, word); });
  }

  std::vector<TensorClass> left_;
  std::size_t of_single_layers_ = 0;
  std::vector<std::string>& warnings_;
};

}  // namespace

void read_quantization(const ConfigNode& quantization, StoredWeights& weights,
                       std::vector<std::string>& warnings) {
  std::string method = quantization.text("quant_method").value_or("");
  if (method.empty() && quantization.has("quant_algo")) method = "modelopt";
  weights.method = printable(method.substr(0, 60), '?');
  weights.cache = stated_cache(quantization, warnings);
  const auto* const known = std::find_if(std::begin(kMethods), std::end(kMethods),
                                         [&](const Method& entry) { return entry.name == method; });
  const Result format = known == std::end(kMethods) ? std::nullopt : known->read(quantization);
  if (!format) {
    weights.unknown =
        "quantization_config: " +
        (method.empty() ? "'quant_method' is missing"
                        : "the method '" + weights.method + "' is not known in this form") +
        ", so the bytes of the weights cannot be told; "
        "name their type by --weights";
    warnings.push_back(weights.unknown);
    return;
  }
  weights.quantised = format;
  weights.arithmetic = stated_arithmetic(method, quantization, *format, warnings);
  Exclusions exclusions(warnings);
  for (const char* key :
       {"modules_to_not_convert", "ignored_layers", "ignore", "exclude_modules"}) {
    for (const std::string& pattern : quantization.texts(key).value_or(std::vector<std::string>{}))
      exclusions.add(pattern);
  }
  weights.classes = exclusions.classes();
  if (quantization.flag("lm_head").value_or(false)) weights.classes.push_back(lm_head);
}

}  // namespace roofline::model
