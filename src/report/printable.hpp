// Text from a file or a device, made fit to be shown: it must not steer a terminal or break a line.
#pragma once

#include <string>
#include <string_view>

namespace roofline::report {

/// Control characters, line breaks among them, become spaces.
[[nodiscard]] std::string printable(std::string_view text);

}  // namespace roofline::report
