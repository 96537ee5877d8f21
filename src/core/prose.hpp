// Figures inside sentences: three significant digits, an SI prefix, a point as decimal mark.
// Internal to the core; tables and reports have formats of their own.
#pragma once

#include <string>

#include "roofline/units.hpp"

namespace roofline::prose {

[[nodiscard]] std::string number(double value);
/// `35 %` of 0.35.
[[nodiscard]] std::string percent(double ratio);
[[nodiscard]] std::string text(Performance value);
[[nodiscard]] std::string text(Bandwidth value);
[[nodiscard]] std::string text(Bytes value);
[[nodiscard]] std::string text(Seconds value);
[[nodiscard]] std::string text(Frequency value);
[[nodiscard]] std::string text(Intensity value);

}  // namespace roofline::prose
