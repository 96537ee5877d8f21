// Text from a file, a device or a person, made fit to be shown: it must not steer a terminal or
// break a line. Does not know where the text came from, nor what it is shown on.
#pragma once

#include <string>
#include <string_view>

namespace roofline {

/// `text` with `stand_in` for each byte of a control character: C0 (0x00 to 0x1F, line breaks and
/// tabs among them), DEL, and C1 (U+0080 to U+009F, which some terminals obey) as UTF-8 writes it.
/// All other bytes stay as they are, malformed UTF-8 too, and so does the length.
[[nodiscard]] std::string printable(std::string_view text, char stand_in = ' ');

}  // namespace roofline
