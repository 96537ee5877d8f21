// JSON text of schema version 1 back into a Report. What is written again is the same text. Strict
// about the values that it knows, silent about keys that it does not know.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "report/json_points.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// What of the points is kept. All of it is read and checked.
enum class Reading {
  all,
  figures,  ///< without the samples that they were made of
};

struct ReadOptions {
  Reading keep = Reading::all;
  /// Told now and then that all before a place has been read; it may still be looked at again, for
  /// the sentence that says what is wrong with it.
  std::function<void(std::size_t)> passed = {};
  // For tests of what else only large reports do.
  unsigned threads = 0;   ///< 0: as many as help
  std::size_t chunk = 0;  ///< bytes that a thread reads at a time; 0: as suits the text
};

/// `name` is what errors call the text: its path. Throws InputError with one sentence that names it
/// and the JSON pointer (or the line) of the fault: malformed, truncated, NaN or Infinity, a wrong
/// type, a missing key, a schema version from the future.
[[nodiscard]] Report read_report(std::string_view text, std::string_view name,
                                 const ReadOptions& options = {});

/// A report without its points, which go to `points`.
[[nodiscard]] Report read_report(std::string_view text, std::string_view name, PointTaker& points,
                                 const ReadOptions& options = {});

/// One point of a report, as point_json() writes it.
[[nodiscard]] Record read_record(std::string_view text, std::string_view name);

}  // namespace roofline::report
