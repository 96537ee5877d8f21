// Which points of a report are shown, in which order, with which columns; all by the keys of
// columns.hpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/asked.hpp"
#include "report/columns.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// `id,time_median_s`: the columns in that order. Throws InputError for a key that no column has,
/// beginning with `option`.
[[nodiscard]] std::vector<const Column*> parse_columns(std::string_view text,
                                                       std::string_view option);

/// Conditions, all of which must hold: `dtype=bf16,of_ceiling>=60%`. Of text `=` and `!=`, where
/// `*` stands for any characters; of numbers also `<`, `<=`, `>` and `>=`, as asked.hpp reads them.
/// What a point doesn't know fulfils nothing but `!=`.
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
    AskedValue value;
  };
  static Condition condition(std::string_view text, std::string_view option);
  static bool holds(const Condition& condition, const Record& record);

  std::vector<Condition> conditions_;
};

/// `time_median_s` in ascending, `-time_median_s` in descending order; what is unknown comes last,
/// what is equal stays in its order. Throws InputError that begins with `option`.
void sort_points(std::vector<Record>& points, std::string_view key, std::string_view option);

}  // namespace roofline::report
