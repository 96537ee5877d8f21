#include "roofline/printable.hpp"

#include <algorithm>

namespace roofline {

std::size_t steering_size(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto within = [](unsigned value, unsigned first, unsigned last) {
    return value >= first && value <= last;
  };
  if (text.empty()) return 0;
  if (byte(0) < 0x20 || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2) return within(byte(1), 0x80, 0x9F) ? 2 : 0;
  if (byte(0) != 0xE2) return 0;
  const bool turns =
      byte(1) == 0x80 && (within(byte(2), 0x8E, 0x8F) || within(byte(2), 0xA8, 0xAE));
  const bool isolates = byte(1) == 0x81 && within(byte(2), 0xA6, 0xA9);
  return turns || isolates ? 3 : 0;
}

std::string printable(std::string_view text, char stand_in) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t size = steering_size(text.substr(i));
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(i), size, stand_in);
  }
  return out;
}

}  // namespace roofline
