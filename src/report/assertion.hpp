// What CI demands of a report, a sentence each: `gemm[dtype=bf16].of_ceiling >= 0.6`,
// `read.bandwidth >= 90% of datasheet`. Parsed, then asked of every point that it speaks of.
//
// clang-format off
//   assertion = points "." figure relation value
//   points    = ( "*" | kind | stream | id, in which * stands for any characters ) [ "[" filter "]" ]
//   figure    = a column, or bandwidth, achieved, time
//   relation  = ">=" | "<=" | ">" | "<" | "=" | "!="
//   value     = number [ unit ] | number "%" [ "of" ( "datasheet" | "measured" | "ceiling" ) ] | word
// clang-format on
#pragma once

#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "report/selection.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// One sentence, and where in the text it went wrong.
class AssertionError : public std::runtime_error {
 public:
  AssertionError(const std::string& what, std::size_t position)
      : std::runtime_error(what), position_(position) {}
  [[nodiscard]] std::size_t position() const { return position_; }

 private:
  std::size_t position_;
};

enum class Reference { none, datasheet, measured, ceiling };

struct Assertion {
  std::string text;    ///< as written
  std::string points;  ///< `gemm`, `read`, `stream/*/read`, `*`
  std::optional<Filter> filter;
  const Column* column = nullptr;
  Relation relation = Relation::equal;
  double number = 0;  ///< base SI unit; a share of the reference where there is one
  std::string word;   ///< of a column of text
  Reference reference = Reference::none;
};

/// Throws AssertionError.
[[nodiscard]] Assertion parse_assertion(std::string_view text);

struct Answer {
  bool holds = false;
  std::size_t points = 0;  ///< that it speaks of
  /// What was seen: of one that holds the point that comes nearest to failing, else each that
  /// fails.
  std::vector<std::string> said;
};

/// It holds when it holds for every point it speaks of, and fails when it speaks of none, when one
/// of them has no figure to compare (series.hpp), or what it is held against is not known.
[[nodiscard]] Answer ask(const Assertion& assertion, const Report& report);

}  // namespace roofline::report
