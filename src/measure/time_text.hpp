// Times in the reasons that points are given.
#pragma once

#include <charconv>
#include <string>

#include "roofline/units.hpp"

namespace roofline::measure {

/// `3.20 s`
[[nodiscard]] inline std::string time_text(Seconds time) {
  char text[64];
  char* const end =
      std::to_chars(text, text + sizeof text, in_second(time), std::chars_format::fixed, 2).ptr;
  return std::string(&text[0], end) + " s";
}

}  // namespace roofline::measure
