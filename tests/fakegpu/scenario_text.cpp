#include "scenario_text.hpp"

#include <charconv>
#include <cmath>

#include "scenario.hpp"

namespace fakegpu {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

using Units = std::vector<std::pair<std::string_view, double>>;

}  // namespace

Line::Line(std::string place, std::string_view text) : place_(std::move(place)) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    if (text[at] == '#') break;
    std::string word;
    std::size_t equals = std::string::npos;
    bool quoted = false;
    for (; at < text.size() && (quoted || !is_blank(text[at])); ++at) {
      if (text[at] == '"') {
        quoted = !quoted;
        continue;
      }
      if (text[at] == '=' && !quoted && equals == std::string::npos) equals = word.size();
      word += text[at];
    }
    if (quoted) fail("a quote is never closed");
    if (equals == std::string::npos || words_.empty()) {
      words_.push_back(word);
    } else {
      options_.emplace_back(word.substr(0, equals), word.substr(equals + 1));
    }
  }
}

std::string Line::next(std::string_view what) {
  if (!has_next()) fail(std::string(what) + " is missing");
  return words_[at_++];
}

void Line::done(bool options_allowed) const {
  if (has_next()) fail("`" + words_[at_] + "` is one word too many");
  if (!options_allowed && !options_.empty()) {
    fail("`" + options_.front().first + "=` means nothing here");
  }
}

void Line::fail(const std::string& why) const { throw ScenarioError(place_ + ": " + why); }

double Line::scaled(std::string_view text, std::string_view what, const Units& units) const {
  double number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  if (status == std::errc{} && std::isfinite(number) && number >= 0) {
    for (const auto& [name, factor] : units) {
      if (name == unit) return number * factor;
    }
  }
  std::string known;
  for (const auto& [name, factor] : units) {
    if (!name.empty()) known += (known.empty() ? "" : ", ") + std::string(name);
  }
  fail("`" + std::string(text) + "` is no " + std::string(what) +
       (known.empty() ? "" : "; units are " + known));
}

double Line::seconds(std::string_view text) const {
  static const Units units{{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};
  return scaled(text, "time", units);
}

std::uint64_t Line::bytes(std::string_view text) const {
  static const Units units{{"B", 1},        {"kB", 1e3},     {"MB", 1e6},    {"GB", 1e9},
                           {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}};
  return static_cast<std::uint64_t>(scaled(text, "number of bytes", units));
}

double Line::rate(std::string_view text) const {
  static const Units units{{"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
  return scaled(text, "bandwidth", units);
}

unsigned Line::kilohertz(std::string_view text) const {
  static const Units units{{"kHz", 1}, {"MHz", 1e3}, {"GHz", 1e6}, {"", 1}};
  return static_cast<unsigned>(scaled(text, "frequency", units));
}

double Line::ratio(std::string_view text) const {
  static const Units units{{"", 1}, {"%", 0.01}, {"x", 1}};
  return scaled(text, "ratio", units);
}

std::uint64_t Line::whole(std::string_view text) const {
  std::uint64_t number = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (status != std::errc{} || end != text.data() + text.size()) {
    fail("`" + std::string(text) + "` is no whole number");
  }
  return number;
}

bool Line::flag(std::string_view text) const {
  if (text != "on" && text != "off") fail("`" + std::string(text) + "` is neither on nor off");
  return text == "on";
}

}  // namespace fakegpu
