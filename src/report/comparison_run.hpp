// A run as a comparison has it: what is said of the whole report, and its points reduced while they
// are read. Knows nothing of other runs.
#pragma once

#include <string_view>
#include <vector>

#include "report/comparison_point.hpp"
#include "report/json_reader.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

struct ComparedRun {
  Report head;  ///< without points
  std::vector<RunPoint> points;
};

[[nodiscard]] ComparedRun compared_run(const Report& report);
/// The same of a text, of whose points no two are there as a whole for long. Throws what
/// read_report() does.
[[nodiscard]] ComparedRun read_run(std::string_view text, std::string_view name,
                                   const ReadOptions& options = {});

}  // namespace roofline::report
