// Text from a file, a device or a person, made fit to be shown: it must not steer a terminal or
// break a line. Does not know where the text came from, nor what it is shown on.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline {

/// Bytes of the character at the front of UTF-8 text that steers what shows it rather than being
/// shown; 0 where none is: C0 (0x00 to 0x1F, line breaks and tabs among them), DEL, C1 (U+0080 to
/// U+009F, which some terminals obey), line and paragraph separators, and the marks that turn the
/// direction of what follows (U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069).
[[nodiscard]] std::size_t steering_size(std::string_view text);

/// `text` with `stand_in` for each byte of a character that steers. All other bytes stay as they
/// are, malformed UTF-8 too, and so does the length.
[[nodiscard]] std::string printable(std::string_view text, char stand_in = ' ');

}  // namespace roofline
