#include "report/json_out.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

namespace roofline::report {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 2;

/// Fits any double or 64-bit number.
using Digits = std::array<char, 32>;

bool is_plain(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x80 && c != '"' && c != '\\';
}

/// Of a text that is not all plain.
std::string escaped(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// `d.ddde-07` as digits and the place of the point behind them.
struct Decimal {
  std::string_view digits;
  int point = 0;
};
Decimal decimal_of(double magnitude, Digits& buffer) {
  char* const begin = buffer.data();
  char* const end =
      std::to_chars(begin, begin + buffer.size(), magnitude, std::chars_format::scientific).ptr;
  char* const e = std::find(begin, end, 'e');
  int exponent = 0;
  std::from_chars(e[1] == '+' ? e + 2 : e + 1, end, exponent);
  // The first digit takes the place of the point.
  if (e - begin > 1) {
    begin[1] = begin[0];
    return {{begin + 1, static_cast<std::size_t>(e - begin - 1)}, exponent + 1};
  }
  return {{begin, 1}, exponent + 1};
}

void append_exponent(std::string& out, int exponent) {
  out += exponent < 0 ? "e-" : "e+";
  const int magnitude = std::abs(exponent);
  if (magnitude < 10) out += '0';
  Digits buffer{};
  out.append(buffer.data(),
             std::to_chars(buffer.data(), buffer.data() + buffer.size(), magnitude).ptr);
}

}  // namespace

// In the form that reports always had: a number that need not be whole shows it.
void append_number(std::string& out, double value) {
  constexpr int kLongestWhole = 15;
  constexpr int kMostZeros = 4;
  if (std::signbit(value)) out += '-';
  if (value == 0) {
    out += "0.0";
    return;
  }
  Digits buffer{};
  const auto [digits, point] = decimal_of(std::abs(value), buffer);
  const auto count = static_cast<int>(digits.size());
  if (count <= point && point <= kLongestWhole) {
    out += digits;
    out.append(static_cast<std::size_t>(point - count), '0');
    out += ".0";
  } else if (0 < point && point <= kLongestWhole) {
    out += digits.substr(0, static_cast<std::size_t>(point));
    out += '.';
    out += digits.substr(static_cast<std::size_t>(point));
  } else if (-kMostZeros < point && point <= 0) {
    out += "0.";
    out.append(static_cast<std::size_t>(-point), '0');
    out += digits;
  } else {
    out += digits.front();
    if (count > 1) {
      out += '.';
      out += digits.substr(1);
    }
    append_exponent(out, point - 1);
  }
}

void JsonOut::clear() {
  scratch_.clear();
  items_.clear();
  open_.clear();
  non_finite_.clear();
  key_ = {};
}

JsonOut::Span JsonOut::copied(std::string_view text) {
  const auto begin = static_cast<std::uint32_t>(scratch_.size());
  scratch_ += text;
  return {begin, static_cast<std::uint32_t>(text.size())};
}

JsonOut::Span JsonOut::quoted(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) return copied(escaped(text));
  const auto begin = static_cast<std::uint32_t>(scratch_.size());
  scratch_ += '"';
  scratch_ += text;
  scratch_ += '"';
  return {begin, static_cast<std::uint32_t>(text.size() + 2)};
}

void JsonOut::open(Kind kind) {
  open_.push_back(static_cast<std::uint32_t>(items_.size()));
  items_.push_back({.kind = kind, .key = key_});
  key_ = {};
}

void JsonOut::close() {
  const std::uint32_t index = open_.back();
  open_.pop_back();
  const auto end = static_cast<std::uint32_t>(items_.size());
  std::uint32_t width = 2;
  for (std::uint32_t at = index + 1; at != end; at = items_[at].end) {
    const Item& part = items_[at];
    width += part.width + (at == index + 1 ? 0 : 2) + (part.key.size == 0 ? 0 : part.key.size + 2);
  }
  items_[index].end = end;
  items_[index].width = width;
}

void JsonOut::add_scalar(Span text) {
  const auto index = static_cast<std::uint32_t>(items_.size());
  items_.push_back({.key = key_, .text = text, .end = index + 1, .width = text.size});
  key_ = {};
}

void JsonOut::add(std::uint64_t value) {
  Digits buffer{};
  const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  add_scalar(copied({buffer.data(), static_cast<std::size_t>(end - buffer.data())}));
}

void JsonOut::add(std::int64_t value) {
  Digits buffer{};
  const char* const end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  add_scalar(copied({buffer.data(), static_cast<std::size_t>(end - buffer.data())}));
}

void JsonOut::add(double value) {
  if (!std::isfinite(value)) {
    non_finite_.push_back(static_cast<std::uint32_t>(items_.size()));
    add(nullptr);
    return;
  }
  const std::size_t begin = scratch_.size();
  append_number(scratch_, value);
  add_scalar(
      {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(scratch_.size() - begin)});
}

void JsonOut::append_flat(std::string& out, std::uint32_t index, std::string_view comma,
                          std::string_view colon) const {
  const Item& value = items_[index];
  if (value.kind == Kind::scalar) {
    out += view(value.text);
    return;
  }
  out += value.kind == Kind::object ? '{' : '[';
  for (std::uint32_t at = index + 1; at != value.end; at = items_[at].end) {
    if (at != index + 1) out += comma;
    if (value.kind == Kind::object) {
      out += view(items_[at].key);
      out += colon;
    }
    append_flat(out, at, comma, colon);
  }
  out += value.kind == Kind::object ? '}' : ']';
}

void JsonOut::append_text(std::string& out, std::uint32_t index, std::size_t depth,
                          std::size_t used) const {
  const Item& value = items_[index];
  const bool outermost = depth == 0;
  const bool empty = value.end == index + 1;
  if (value.kind == Kind::scalar || empty || (!outermost && used + value.width <= kWidth)) {
    append_flat(out, index, ", ", ": ");
    return;
  }
  const std::size_t indent = (depth + 1) * kIndent;
  out += value.kind == Kind::object ? '{' : '[';
  for (std::uint32_t at = index + 1; at != value.end; at = items_[at].end) {
    out += at == index + 1 ? "\n" : ",\n";
    out.append(indent, ' ');
    std::size_t key = 0;
    if (value.kind == Kind::object) {
      out += view(items_[at].key);
      out += ": ";
      key = items_[at].key.size + 2;
    }
    append_text(out, at, depth + 1, indent + key + 1);
  }
  out += '\n';
  out.append(depth * kIndent, ' ');
  out += value.kind == Kind::object ? '}' : ']';
}

void JsonOut::append_text(std::string& out, std::size_t depth, std::size_t used) const {
  append_text(out, 0, depth, used);
}

void JsonOut::append_line(std::string& out) const { append_flat(out, 0, ",", ":"); }

std::string opened_list(const JsonOut& head, std::string_view key) {
  std::string out;
  head.append_text(out);
  out.resize(out.size() - std::string_view("\n}").size());
  return out.append(",\n  \"").append(key).append("\": [");
}

void append_part(std::string& out, const JsonOut& part, bool first) {
  constexpr std::size_t kDepth = 2;
  out += first ? "\n" : ",\n";
  out.append(kDepth * kIndent, ' ');
  part.append_text(out, kDepth, kDepth * kIndent + 1);
}

std::string_view end_of_list(bool empty) { return empty ? "]\n}\n" : "\n  ]\n}\n"; }

std::vector<std::string> JsonOut::non_finite() const {
  std::vector<std::string> out;
  for (const std::uint32_t index : non_finite_) {
    std::string pointer;
    for (std::uint32_t at = 0; at != index;) {
      const bool keyed = items_[at].kind == Kind::object;
      std::uint32_t part = at + 1;
      std::size_t number = 0;
      for (; items_[part].end <= index; part = items_[part].end) ++number;
      const std::string_view key = view(items_[part].key);
      pointer +=
          '/' + (keyed ? std::string(key.substr(1, key.size() - 2)) : std::to_string(number));
      at = part;
    }
    out.push_back(std::move(pointer));
  }
  return out;
}

}  // namespace roofline::report
