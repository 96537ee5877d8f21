#include "report/selection.hpp"

#include <algorithm>
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

}  // namespace

std::vector<const Column*> parse_columns(std::string_view text, std::string_view option) {
  std::vector<const Column*> out;
  for (const std::string_view key : separated(text)) {
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
  for (const std::string_view part : separated(text))
    conditions_.push_back(condition(part, option));
}

Filter::Condition Filter::condition(std::string_view text, std::string_view option) {
  const std::size_t at = text.find_first_of("!<>=");
  const auto sign = at == std::string_view::npos ? std::nullopt : leading_relation(text.substr(at));
  if (!sign) {
    throw InputError(std::string(option) + ": '" + std::string(text) +
                     "' is no condition; write it as dtype=bf16 or of_ceiling>=60%");
  }
  const std::string_view word = trimmed(text.substr(0, at));
  const auto figure = find_figure(word);
  Condition out;
  out.column = figure ? figure->column : &column_of(word, option);
  out.relation = sign->relation;
  try {
    out.value = read_value(figure.value_or(AskedFigure{out.column, false}), out.relation,
                           trimmed(text.substr(at + sign->text.size())));
  } catch (const InputError& error) {
    throw InputError(std::string(option) + ": '" + std::string(text) + "': " + error.what());
  }
  return out;
}

bool Filter::holds(const Condition& condition, const Record& record) {
  const Cell cell = condition.column->get(record);
  const bool unequal = condition.relation == Relation::unequal;
  if (std::holds_alternative<std::monostate>(cell)) return unequal;
  if (!has_numbers(condition.column->unit))
    return matches(condition.value.word, text_of(cell)) != unequal;
  const auto number = number_of(cell);
  return number && compare(*number, condition.relation, condition.value.number);
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
