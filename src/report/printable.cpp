#include "report/printable.hpp"

namespace roofline::report {

std::string printable(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = ' ';
  }
  // U+0080 to U+009F are control characters too; some terminals obey them.
  for (std::size_t i = 0; i + 1 < out.size(); ++i) {
    const auto next = static_cast<unsigned char>(out[i + 1]);
    if (static_cast<unsigned char>(out[i]) == 0xC2 && next >= 0x80 && next < 0xA0) {
      out[i] = out[i + 1] = ' ';
    }
  }
  return out;
}

}  // namespace roofline::report
