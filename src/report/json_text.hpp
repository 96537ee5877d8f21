// From a JSON tree to text. Knows nothing of what the tree means.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace roofline::report {

/// JSON pointers of the NaN and infinite numbers in a tree.
[[nodiscard]] std::vector<std::string> find_non_finite(const nlohmann::ordered_json& value);
/// NaN and infinity become null.
void drop_non_finite(nlohmann::ordered_json& value);

}  // namespace roofline::report
