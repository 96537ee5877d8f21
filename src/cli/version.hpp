// The one version of the program, from the build.
#pragma once

#include <string>

namespace roofline::cli {

[[nodiscard]] std::string version();       ///< `0.1.0`
[[nodiscard]] std::string version_line();  ///< `roofline 0.1.0 (report schema 1)`

}  // namespace roofline::cli
