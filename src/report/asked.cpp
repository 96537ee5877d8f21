#include "report/asked.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::report {
namespace {

struct ShortWord {
  std::string_view word;
  std::string_view key;
};
constexpr std::array<ShortWord, 3> kShortWords{{{"bandwidth", "achieved_byte_per_s"},
                                                {"achieved", "achieved_flop_per_s"},
                                                {"time", "time_median_s"}}};

/// Above it a share is meant in percent, as nothing is 150 % of what it is a part of.
constexpr double kLargestShare = 1.5;

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string read_word(const Column& column, Relation relation, std::string_view text) {
  const std::string key(column.key);
  if (relation != Relation::equal && relation != Relation::unequal)
    throw InputError(key + " is no number; use = or !=");
  if (column.unit == Unit::flag) {
    const auto flag = parse_flag(text);
    if (!flag) {
      throw InputError(quoted(text) + " is neither yes nor no (nor true or false), and " + key +
                       " has nothing else");
    }
    return std::string(flag_word(*flag));
  }
  if (column.words != nullptr) {
    std::string all;
    bool known = false;
    for (const std::string_view word : column.words()) {
      known = known || matches(text, word);
      all += (all.empty() ? "" : ", ") + std::string(word);
    }
    if (!known) throw InputError(key + " is never " + quoted(text) + "; it is one of " + all);
  }
  return std::string(text);
}

/// As it stands in a sentence that says how the value is written.
std::string_view example_unit(Unit unit) {
  switch (unit) {
    case Unit::flop_per_s:
      return "TFLOP/s";
    case Unit::byte_per_s:
      return "GB/s";
    default:
      return "us";
  }
}

double read_share(const Column& column, std::string_view text) {
  const auto share = parse_share(text);
  if (!share) throw InputError(quoted(text) + " is no number; a share is written as 60% or 0.6");
  if (!text.ends_with('%') && *share > kLargestShare) {
    throw InputError(fmt::format(
        "{} is a share, and {} means {:g} %; write {}% or {:g}, or {:g}% where that is meant",
        column.key, text, *share * 100, text, *share / 100, *share * 100));
  }
  return *share;
}

/// `300W`, `85C`.
double read_with(std::string_view symbol, std::string_view text) {
  std::string_view number = text;
  if (number.ends_with(symbol)) number = trimmed(number.substr(0, number.size() - symbol.size()));
  const auto value = number.ends_with('%') ? std::nullopt : parse_share(number);
  if (!value)
    throw InputError(quoted(text) + " is no number; write for example 80" + std::string(symbol));
  return *value;
}

double read_quantity(const AskedFigure& figure, std::string_view text) {
  const Column& column = *figure.column;
  if (text.ends_with('%')) {
    throw InputError(quoted(text) + ": " + std::string(column.key) + " is no share of anything" +
                     (column.unit == Unit::factor ? "; it says how many times, as in 1.5" : ""));
  }
  if (const auto plain = parse_share(text)) {
    if (!figure.by_short_word || *plain == 0) return *plain;
    throw InputError(std::string(text) + " of what unit? Write for example " + std::string(text) +
                     std::string(example_unit(column.unit)));
  }
  switch (column.unit) {
    case Unit::flop_per_s:
      return parse_performance(text, column.key).si();
    case Unit::byte_per_s:
      return parse_bandwidth(text, column.key).si();
    case Unit::second:
      return in_second(parse_seconds(text, column.key));
    case Unit::flop_per_byte:
      return parse_intensity(text, column.key).si();
    case Unit::flop:
      return parse_count(text, "FLOP", column.key).as_double();
    case Unit::byte:
      return parse_count(text, "B", column.key).as_double();
    case Unit::watt:
      return read_with("W", text);
    case Unit::celsius:
      return read_with("C", text);
    default:
      return parse_number(text, column.key);
  }
}

}  // namespace

std::optional<AskedFigure> find_figure(std::string_view word) {
  for (const ShortWord& one : kShortWords)
    if (one.word == word) return AskedFigure{find_column(one.key), true};
  const Column* const found = find_column(word);
  if (found == nullptr) return std::nullopt;
  return AskedFigure{found, false};
}

std::string short_words() {
  std::string out;
  for (const ShortWord& one : kShortWords) out += (out.empty() ? "" : ", ") + std::string(one.word);
  return out;
}

AskedValue read_value(const AskedFigure& figure, Relation relation, std::string_view text) {
  const Column& column = *figure.column;
  if (!has_numbers(column.unit)) return {0, read_word(column, relation, text)};
  if (text.empty()) throw InputError("the value is missing");
  if (column.unit == Unit::share) return {read_share(column, text), {}};
  return {read_quantity(figure, text), {}};
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char letter) { return letter == ' ' || letter == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> separated(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = text.find(',');
    out.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

std::optional<double> parse_share(std::string_view text) {
  const bool percent = text.ends_with('%');
  if (percent) text.remove_suffix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return percent ? value / 100 : value;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (text == "yes" || text == "true") return true;
  if (text == "no" || text == "false") return false;
  return std::nullopt;
}

std::string_view flag_word(bool flag) { return flag ? "yes" : "no"; }

bool compare(double left, Relation relation, double right) {
  switch (relation) {
    case Relation::equal:
      return left == right;
    case Relation::unequal:
      return left != right;
    case Relation::less:
      return left < right;
    case Relation::at_most:
      return left <= right;
    case Relation::more:
      return left > right;
    case Relation::at_least:
      return left >= right;
  }
  return false;
}

std::optional<RelationSign> leading_relation(std::string_view text) {
  // The longer ones first.
  constexpr std::array<RelationSign, 6> kSigns{{{Relation::unequal, "!="},
                                                {Relation::at_most, "<="},
                                                {Relation::at_least, ">="},
                                                {Relation::equal, "="},
                                                {Relation::less, "<"},
                                                {Relation::more, ">"}}};
  for (const RelationSign& sign : kSigns) {
    if (!text.starts_with(sign.text)) continue;
    const std::string_view next = text.substr(sign.text.size(), 1);
    if (next == "=" || next == "<" || next == ">") return std::nullopt;
    return sign;
  }
  return std::nullopt;
}

bool matches(std::string_view pattern, std::string_view text) {
  // Greedy with one step back, so that many `*` cost no more than one.
  std::size_t at = 0;
  std::size_t in = 0;
  std::size_t star = std::string_view::npos;
  std::size_t resume = 0;
  while (at < text.size()) {
    if (in < pattern.size() && pattern[in] == '*') {
      star = in++;
      resume = at;
    } else if (in < pattern.size() && pattern[in] == text[at]) {
      ++in;
      ++at;
    } else if (star != std::string_view::npos) {
      in = star + 1;
      at = ++resume;
    } else {
      return false;
    }
  }
  while (in < pattern.size() && pattern[in] == '*') ++in;
  return in == pattern.size();
}

}  // namespace roofline::report
