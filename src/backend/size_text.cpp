#include "backend/size_text.hpp"

#include <array>
#include <charconv>

namespace roofline::backend {

std::string size_text(double bytes) {
  constexpr std::array kUnits{" B", " kB", " MB", " GB", " TB", " PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), bytes,
                                 std::chars_format::fixed, unit == 0 ? 0 : 1);
  return std::string(text.data(), end.ptr) + kUnits[unit];
}

}  // namespace roofline::backend
