// The other names that a bundled configuration answers to. Knows no family and counts nothing.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofline::model {

/// `roofline.names` of a configuration; none where it has none. Throws InputError for malformed
/// text.
[[nodiscard]] std::vector<std::string> known_names(std::string_view text, std::string_view file);

}  // namespace roofline::model
