#include "model/config_unread.hpp"

#include <algorithm>

#include "model/config_keys.hpp"

namespace roofline::model {
namespace {

[[noreturn]] void refuse_key(const ConfigNode& config, const Family& family,
                             const std::string& key) {
  std::string why = "is not known for " + std::string(family.name) + " and may change the count";
  if (key.starts_with("index_"))
    why = "tells of attention to chosen tokens, and sparse attention is not modelled";
  if (key.find("lora_rank") != std::string::npos)
    why = "tells of an unsupported attention variant: " + std::string(family.name) +
          " has no latent attention";
  config.refuse(key, why + "; set it to null where it does not apply");
}

}  // namespace

void judge_unread(const ConfigNode& config, const Family& family,
                  std::vector<std::string>& warnings) {
  for (const std::string& key : config.unread()) {
    const auto& idle = family.idle_keys;
    if (keys::changes_no_count(key) || std::find(idle.begin(), idle.end(), key) != idle.end())
      continue;
    if (key == "vision_config") {
      warnings.emplace_back("the part that 'vision_config' describes is left out of all counts");
      continue;
    }
    if (keys::may_change_a_count(key)) refuse_key(config, family, key);
    warnings.push_back("the key " + in_quotes(key) +
                       " is not known and was taken to change no count");
  }
}

}  // namespace roofline::model
