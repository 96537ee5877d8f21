#include "report/markup.hpp"

#include <cstdint>

#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

bool continues(unsigned char byte) { return (byte & 0xC0U) == 0x80U; }

/// How many bytes the character at the front has; 0 where it is none that XML can hold.
std::size_t character_size(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return 0;
  for (std::size_t i = 1; i < size; ++i) {
    if (!continues(byte(i))) return 0;
  }
  std::uint32_t point = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) point = (point << 6U) | (byte(i) & 0x3FU);
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = point >= 0xD800 && point <= 0xDFFF;
  const bool noncharacter = (point & 0xFFFEU) == 0xFFFE;
  if (point < kSmallest[size] || point > 0x10FFFF || surrogate || noncharacter) return 0;
  return size;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t size = character_size(text);
    const std::string_view character = text.substr(0, size == 0 ? 1 : size);
    text.remove_prefix(character.size());
    if (size == 0) {
      out += kReplacement;
    } else if (character == "&") {
      out += "&amp;";
    } else if (character == "<") {
      out += "&lt;";
    } else if (character == ">") {
      out += "&gt;";
    } else if (character == "\"") {
      out += "&quot;";
    } else if (character == "'") {
      out += "&#39;";
    } else if (character == "\n") {
      out += "&#10;";
    } else if (steering_size(character) != 0) {
      out += ' ';
    } else {
      out += character;
    }
  }
  return out;
}

std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size() + json.size() / 64);
  // None of these stands outside of a string in JSON.
  for (const char c : json) {
    if (c == '<') {
      out += "\\u003c";
    } else if (c == '>') {
      out += "\\u003e";
    } else if (c == '&') {
      out += "\\u0026";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace roofline::report
