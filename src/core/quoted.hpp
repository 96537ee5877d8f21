// A piece of input as it appears in an error: in quotes, on one line, and not longer than a person
// reads. Internal to the core.
#pragma once

#include <string>
#include <string_view>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline {

[[nodiscard]] inline std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::size_t length = text.size();
  if (length > kLongest) {
    length = kLongest;
    // Not in the middle of a UTF-8 sequence.
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  }
  return "'" + printable(text.substr(0, length), '?') + (length < text.size() ? "...'" : "'");
}

/// One sentence: the option or key, what was given, and what is wrong with it and would be right.
[[noreturn]] inline void refuse(std::string_view what, std::string_view text,
                                const std::string& why) {
  throw InputError(std::string(what) + ": " + quoted(text) + " " + why);
}

}  // namespace roofline
