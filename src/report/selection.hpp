// Which points of a report are shown, in which order, with which columns; all by the keys of
// columns.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/columns.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// `id,time_median_s`: the columns in that order. Throws InputError for a key that no column has,
/// beginning with `option`.
[[nodiscard]] std::vector<const Column*> parse_columns(std::string_view text,
                                                       std::string_view option);

enum class Relation { equal, unequal, less, at_most, more, at_least };
struct RelationSign {
  Relation relation;
  std::string_view text;
};
/// The sign that `text` begins with.
[[nodiscard]] std::optional<RelationSign> leading_relation(std::string_view text);
[[nodiscard]] bool compare(double left, Relation relation, double right);
/// `0.6` or `60%`.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);
/// `yes`, `no`, as tables have it, or `true`, `false`, as JSON does.
[[nodiscard]] std::optional<bool> parse_flag(std::string_view text);
[[nodiscard]] std::string_view flag_word(bool flag);

/// Conditions, all of which must hold: `dtype=bf16,of_ceiling>=60%`. Of text `=` and `!=`, where
/// `*` stands for any characters; of numbers also `<`, `<=`, `>` and `>=`, in base SI units or with
/// `%`. What a point doesn't know fulfils nothing but `!=`.
class Filter {
 public:
  /// Throws InputError that begins with `option`.
  Filter(std::string_view text, std::string_view option);
  [[nodiscard]] bool admits(const Record& record) const;
  /// Whether a condition is about this column.
  [[nodiscard]] bool asks_for(std::string_view key) const;

 private:
  struct Condition {
    const Column* column = nullptr;
    Relation relation = Relation::equal;
    std::string text;
    double number = 0;  ///< where the column has numbers
  };
  static Condition condition(std::string_view text, std::string_view option);
  static bool holds(const Condition& condition, const Record& record);

  std::vector<Condition> conditions_;
};

/// `time_median_s` in ascending, `-time_median_s` in descending order; what is unknown comes last,
/// what is equal stays in its order. Throws InputError that begins with `option`.
void sort_points(std::vector<Record>& points, std::string_view key, std::string_view option);

/// Whether `text` is `pattern`, in which `*` stands for any characters.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

}  // namespace roofline::report
