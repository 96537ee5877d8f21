#include "roofline/printable.hpp"

namespace roofline {

std::string printable(std::string_view text, char stand_in) {
  std::string out(text);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto byte = static_cast<unsigned char>(out[i]);
    if (byte < 0x20 || byte == 0x7F) out[i] = stand_in;
    if (byte != 0xC2 || i + 1 == out.size()) continue;
    const auto next = static_cast<unsigned char>(out[i + 1]);
    if (next >= 0x80 && next < 0xA0) out[i] = out[i + 1] = stand_in;
  }
  return out;
}

}  // namespace roofline
