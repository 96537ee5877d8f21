#include "report/selection.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "roofline/error.hpp"

namespace roofline::report {
namespace {

const Column& column_of(std::string_view key, std::string_view option) {
  const Column* const found = find_column(key);
  if (found == nullptr) {
    throw InputError(std::string(option) + ": there is no column '" + std::string(key) +
                     "'; roofline columns lists them");
  }
  return *found;
}

std::string text_of(const Cell& cell) {
  if (const auto* const text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* const flag = std::get_if<bool>(&cell)) return std::string(flag_word(*flag));
  return {};
}

std::string_view trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

std::vector<std::string_view> parts_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t comma = text.find(',');
    out.push_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) return out;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace

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
    if (text.starts_with(sign.text)) return sign;
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

std::vector<const Column*> parse_columns(std::string_view text, std::string_view option) {
  std::vector<const Column*> out;
  for (const std::string_view key : parts_of(text)) {
    const Column* const column = &column_of(key, option);
    if (std::find(out.begin(), out.end(), column) != out.end()) {
      throw InputError(std::string(option) + ": '" + std::string(key) +
                       "' is there twice; name each column once");
    }
    out.push_back(column);
  }
  return out;
}

Filter::Filter(std::string_view text, std::string_view option) {
  for (const std::string_view part : parts_of(text)) conditions_.push_back(condition(part, option));
}

Filter::Condition Filter::condition(std::string_view text, std::string_view option) {
  const std::size_t at = text.find_first_of("!<>=");
  const auto sign = at == std::string_view::npos ? std::nullopt : leading_relation(text.substr(at));
  if (!sign) {
    throw InputError(std::string(option) + ": '" + std::string(text) +
                     "' is no condition; write it as dtype=bf16 or of_ceiling>=60%");
  }
  Condition out;
  out.column = &column_of(trimmed(text.substr(0, at)), option);
  out.relation = sign->relation;
  out.text = std::string(trimmed(text.substr(at + sign->text.size())));
  if (!has_numbers(out.column->unit)) {
    if (out.relation != Relation::equal && out.relation != Relation::unequal) {
      throw InputError(std::string(option) + ": '" + std::string(text) +
                       "': " + std::string(out.column->key) + " is no number; use = or !=");
    }
    if (out.column->unit == Unit::flag) {
      const auto flag = parse_flag(out.text);
      if (!flag) {
        throw InputError(std::string(option) + ": '" + std::string(text) + "': '" + out.text +
                         "' is neither yes nor no (nor true or false), and " +
                         std::string(out.column->key) + " has nothing else");
      }
      out.text = flag_word(*flag);
    }
    return out;
  }
  const auto number = parse_share(out.text);
  if (!number) {
    throw InputError(std::string(option) + ": '" + std::string(text) + "': '" + out.text +
                     "' is no number; " + std::string(out.column->key) +
                     " has numbers in base SI units, as 1e-3 or 60%");
  }
  out.number = *number;
  return out;
}

bool Filter::holds(const Condition& condition, const Record& record) {
  const Cell cell = condition.column->get(record);
  const bool unequal = condition.relation == Relation::unequal;
  if (std::holds_alternative<std::monostate>(cell)) return unequal;
  if (!has_numbers(condition.column->unit))
    return matches(condition.text, text_of(cell)) != unequal;
  const auto number = number_of(cell);
  return number && compare(*number, condition.relation, condition.number);
}

bool Filter::admits(const Record& record) const {
  return std::all_of(conditions_.begin(), conditions_.end(),
                     [&](const Condition& condition) { return holds(condition, record); });
}

bool Filter::asks_for(std::string_view key) const {
  return std::any_of(conditions_.begin(), conditions_.end(),
                     [&](const Condition& condition) { return condition.column->key == key; });
}

void sort_points(std::vector<Record>& points, std::string_view key, std::string_view option) {
  const bool descending = key.starts_with('-');
  const Column& column = column_of(descending ? key.substr(1) : key, option);
  // Once for each point, not once for each comparison.
  std::vector<std::pair<Cell, std::size_t>> order;
  order.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) order.emplace_back(column.get(points[i]), i);
  const auto known = [](const Cell& cell) { return !std::holds_alternative<std::monostate>(cell); };
  std::stable_sort(order.begin(), order.end(), [&](const auto& a, const auto& b) {
    if (!known(a.first) || !known(b.first)) return known(a.first) && !known(b.first);
    return descending ? b.first < a.first : a.first < b.first;
  });
  // Each cycle of places in turn, so that no more than one point is anywhere twice.
  for (std::size_t start = 0; start < order.size(); ++start) {
    if (order[start].second == start) continue;
    Record first = std::move(points[start]);
    std::size_t to = start;
    for (std::size_t from = order[to].second; from != start; from = order[to].second) {
      points[to] = std::move(points[from]);
      order[to].second = to;
      to = from;
    }
    points[to] = std::move(first);
    order[to].second = to;
  }
}

}  // namespace roofline::report
