#include "report/grid.hpp"

#include <algorithm>

namespace roofline::report {
namespace {

constexpr std::string_view kGap = "  ";
constexpr std::size_t kMarkWidth = 3;  // two marks and a space

void append_padded(std::string& line, std::string_view text, std::size_t width, bool right) {
  const std::size_t taken = display_width(text);
  const std::size_t fill = width > taken ? width - taken : 0;
  if (right) line.append(fill, ' ');
  line += text;
  if (!right) line.append(fill, ' ');
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

constexpr std::string_view kNoBreakSpace = "\u00a0";

std::string with_plain_spaces(std::string text) {
  for (std::size_t at = 0; (at = text.find(kNoBreakSpace, at)) != std::string::npos; ++at) {
    text.replace(at, kNoBreakSpace.size(), " ");
  }
  return text;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  // Continuation bytes of UTF-8 take no column.
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string unbroken(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ' ') {
      out += kNoBreakSpace;
    } else {
      out += c;
    }
  }
  return out;
}

std::string wrap(std::string_view first, std::string_view text, std::size_t width) {
  const std::string indent(display_width(first), ' ');
  std::string out;
  std::string line(first);
  bool fresh = true;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.empty()) continue;
    if (!fresh && display_width(line) + 1 + display_width(word) > width) {
      out += trimmed(line) + "\n";
      line = indent;
      fresh = true;
    }
    if (!fresh) line += ' ';
    line += word;
    fresh = false;
  }
  return with_plain_spaces(out + trimmed(line) + "\n");
}

std::string painted(std::string text, Paint paint, bool colour) {
  if (!colour || paint == Paint::none || text.empty()) return text;
  std::string_view code;
  switch (paint) {
    case Paint::bold:
      code = "1";
      break;
    case Paint::dim:
      code = "2";
      break;
    case Paint::yellow:
      code = "33";
      break;
    case Paint::red:
      code = "31;1";
      break;
    case Paint::none:
      break;
  }
  // The escape ends before the newline, so that a pager's line stays a line.
  const bool newline = text.back() == '\n';
  if (newline) text.pop_back();
  return "\x1b[" + std::string(code) + "m" + text + "\x1b[0m" + (newline ? "\n" : "");
}

std::vector<std::size_t> Grid::widths() const {
  std::vector<std::size_t> out;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    std::size_t widest =
        std::max(display_width(columns_[i].heading), display_width(columns_[i].unit));
    for (const Row& row : rows_) {
      if (i < row.cells.size()) widest = std::max(widest, display_width(row.cells[i]));
    }
    out.push_back(widest);
  }
  return out;
}

std::size_t width_of_line(const std::vector<std::size_t>& columns) {
  std::size_t out = kMarkWidth;
  for (const std::size_t width : columns) out += width + kGap.size();
  return columns.empty() ? out : out - kGap.size();
}

std::size_t Grid::width() const { return width_of_line(widths()); }

std::string Grid::text(std::size_t width, bool colour) const {
  const std::vector<std::size_t> wide = widths();
  const auto line_of = [&](const std::string& mark, auto&& cell_of, std::size_t cells) {
    std::string line;
    line.reserve(width_of_line(wide) + 1);
    line = mark;
    line.resize(kMarkWidth, ' ');
    for (std::size_t i = 0; i < cells; ++i) {
      if (i != 0) line += kGap;
      append_padded(line, cell_of(i), wide[i], columns_[i].right);
    }
    return line;
  };
  const auto heading = [&](std::size_t i) { return std::string_view(columns_[i].heading); };
  const auto unit = [&](std::size_t i) { return std::string_view(columns_[i].unit); };
  std::string out =
      painted(trimmed(line_of({}, heading, columns_.size())) + "\n", Paint::bold, colour);
  const std::string units = trimmed(line_of({}, unit, columns_.size()));
  if (!units.empty()) out += painted(units + "\n", Paint::dim, colour);
  for (const Row& row : rows_) {
    const auto cell = [&](std::size_t i) { return std::string_view(row.cells[i]); };
    std::string cells = line_of(row.mark, cell, std::min(row.cells.size(), columns_.size()));
    if (row.rest.empty()) {
      out += painted(trimmed(std::move(cells)) + '\n', row.paint, colour);
    } else {
      out += painted(wrap(cells + std::string(kGap), row.rest, width), row.paint, colour);
    }
    for (const std::string& note : row.notes) {
      out += painted(wrap("      ", note, width), row.paint, colour);
    }
  }
  return out;
}

}  // namespace roofline::report
