// Which family a configuration belongs to, or why it is not counted. Reads no sizes.
#pragma once

#include <string>

#include "model/config_node.hpp"
#include "model/family.hpp"

namespace roofline::model {

struct ChosenFamily {
  const Family* family;
  std::string model_type;
};

/// `config` is the text model's, which may be `root` itself. Throws InputError for what is no
/// decoder transformer, and for model types that no family answers to.
[[nodiscard]] ChosenFamily choose_family(const ConfigNode& root, const ConfigNode& config);

/// Throws InputError where `architectures` names a model without a vocabulary head.
void require_language_model(const ConfigNode& root);

}  // namespace roofline::model
