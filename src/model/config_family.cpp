#include "model/config_family.hpp"

namespace roofline::model {
namespace {

[[noreturn]] void refuse_family(const ConfigNode& root, const ConfigNode& config,
                                const std::string& type) {
  std::string known;
  for (const Family& family : families()) {
    for (const std::string_view name : family.model_types) {
      if (!name.empty()) known.append(known.empty() ? "" : ", ").append(name);
    }
  }
  const bool variant =
      config.has("q_lora_rank") || config.has("kv_lora_rank") || config.has("index_topk");
  root.refuse("the architecture " + in_quotes(type) + " is not modelled" +
              (variant ? ", and its keys tell of an unsupported attention variant" : "") +
              "; name the model_type of one that is built alike, of " + known);
}

}  // namespace

ChosenFamily choose_family(const ConfigNode& root, const ConfigNode& config) {
  const std::string outer = root.text("model_type").value_or("");
  std::string type = config.text("model_type").value_or("");
  if (type.empty()) type = outer;
  if (type.empty())
    root.refuse("model_type", R"(is missing; add it, such as "model_type": "llama")");
  for (const std::string& one : {outer, type}) {
    if (find_family(one) != nullptr) continue;
    if (const std::string_view why = why_not_modelled(one); !why.empty())
      root.refuse("the architecture " + in_quotes(one) + " is not modelled: it " +
                  std::string(why));
  }
  if (root.flag("is_encoder_decoder").value_or(false))
    root.refuse("is_encoder_decoder", "is true, and only decoders are modelled");
  const Family* family = find_family(type);
  if (family == nullptr) refuse_family(root, config, type);
  return {family, type};
}

void require_language_model(const ConfigNode& root) {
  for (const std::string& one : root.texts("architectures").value_or(std::vector<std::string>{})) {
    const bool decodes = one.find("LMHead") != std::string::npos ||
                         one.find("CausalLM") != std::string::npos ||
                         one.find("ConditionalGeneration") != std::string::npos;
    if (decodes || !(one.ends_with("Model") || one.find("For") != std::string::npos)) continue;
    root.refuse("architectures", "has " + in_quotes(one) +
                                     ", which has no vocabulary head to decode with; only models "
                                     "such as LlamaForCausalLM are counted");
  }
}

}  // namespace roofline::model
