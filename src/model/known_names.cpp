#include "model/known_names.hpp"

#include <nlohmann/json.hpp>

#include "model/config_node.hpp"

namespace roofline::model {

std::vector<std::string> known_names(std::string_view text, std::string_view file) {
  const nlohmann::json document = parse_config(text, file);
  const auto own = ConfigNode(document, "", file).object("roofline");
  if (!own) return {};
  return own->texts("names").value_or(std::vector<std::string>{});
}

}  // namespace roofline::model
