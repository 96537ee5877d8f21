// What becomes of keys that no rule asked for. Knows their names alone.
#pragma once

#include <string>
#include <vector>

#include "model/config_node.hpp"
#include "model/family.hpp"

namespace roofline::model {

/// Call it when all is read. Passes over what is known to change no count, throws InputError for
/// what may change one, and adds a warning for the rest.
void judge_unread(const ConfigNode& config, const Family& family,
                  std::vector<std::string>& warnings);

}  // namespace roofline::model
