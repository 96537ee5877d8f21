#include "chart/svg_text.hpp"

#include <algorithm>
#include <functional>

#include "chart/svg_pen.hpp"
#include "report/markup.hpp"

namespace roofline::chart {
namespace {

/// Bold letters over the plain ones that text_width() knows.
constexpr double kBoldWidth = 1.15;

bool inside_character(const std::string& text, std::size_t at) {
  return at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U;
}

/// `kept` bytes of it, or a few less: never half a character.
std::string without_middle(const std::string& text, std::size_t kept) {
  std::size_t head = kept / 2;
  std::size_t tail = text.size() - (kept - head);
  while (head > 0 && inside_character(text, head)) --head;
  while (inside_character(text, tail)) ++tail;
  return text.substr(0, head) + "\xE2\x80\xA6" + text.substr(tail);
}

/// The longest form of a text that passes; what is shorter than one that passes does too.
std::string longest(const std::string& text, const std::function<bool(const std::string&)>& fits) {
  if (fits(text)) return text;
  std::size_t good = 0;
  std::size_t bad = text.size();
  while (good + 1 < bad) {
    const std::size_t middle = good + (bad - good) / 2;
    (fits(without_middle(text, middle)) ? good : bad) = middle;
  }
  return without_middle(text, good);
}

double width_within(std::string_view text, const TextRoom& room) {
  return text_width(text, room.size) * (room.bold ? kBoldWidth : 1);
}

/// The pieces of a word that each fit into a line.
std::vector<std::string> pieces_of(const std::string& word, const TextRoom& room) {
  if (width_within(word, room) <= room.width) return {word};
  std::vector<std::string> out{""};
  for (std::size_t at = 0; at < word.size();) {
    std::size_t end = at + 1;
    while (inside_character(word, end)) ++end;
    const std::string character = word.substr(at, end - at);
    if (!out.back().empty() && width_within(out.back() + character, room) > room.width)
      out.emplace_back();
    out.back() += character;
    at = end;
  }
  return out;
}

std::vector<std::string> wrapped(const std::string& text, const TextRoom& room) {
  std::vector<std::string> out;
  std::string line;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t space = std::min(text.find(' ', at), text.size());
    for (std::string& piece : pieces_of(text.substr(at, space - at), room)) {
      const std::string longer = line.empty() ? piece : line + " " + piece;
      if (!line.empty() && width_within(longer, room) > room.width) {
        out.push_back(std::move(line));
        line = std::move(piece);
      } else {
        line = longer;
      }
    }
    at = space + 1;
  }
  if (!line.empty()) out.push_back(std::move(line));
  return out;
}

}  // namespace

std::string shortened(const std::string& text, double width, double size) {
  return longest(text, [&](const std::string& one) { return text_width(one, size) <= width; });
}

std::vector<std::string> lines_within(const std::string& text, const TextRoom& room) {
  return wrapped(
      longest(text,
              [&](const std::string& one) { return wrapped(one, room).size() <= room.lines; }),
      room);
}

std::string text_block(const std::string& text, const TextRoom& room, std::string_view classes,
                       double advance, Position& start) {
  std::string out;
  for (const std::string& line : lines_within(text, room)) {
    out += text_element(start, line, classes);
    start.y += advance;
  }
  if (wrapped(text, room).size() <= room.lines) return out;
  return "<g><title>" + report::escaped(text) + "</title>\n" + out + "</g>\n";
}

}  // namespace roofline::chart
