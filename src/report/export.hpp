// A report in the words of other programs: boards, gates, spreadsheets. A format is one file and
// one row of export_formats(); each is a pure function of the report.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/series.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Which way is better: some boards take one of them a file.
enum class Better { bigger, smaller };

struct ExportOptions {
  Better direction = Better::bigger;
  std::vector<const Column*> columns = {};  ///< of CSV; empty for all
};

struct Exported {
  std::string text;
  std::vector<LeftOut> left_out;  ///< points that the text has no figure of, each with its reason
  bool refused_as_empty = false;  ///< no point has a figure, and the board takes no such text
};

struct ExportFormat {
  std::string_view name;  ///< `github-benchmark`
  std::string_view description;
  Exported (*render)(const Report& report, const ExportOptions& options);
};

[[nodiscard]] std::span<const ExportFormat> export_formats();
/// Nothing where there is none of that name.
[[nodiscard]] const ExportFormat* find_export_format(std::string_view name);

/// github-action-benchmark's custom tools: a list of {name, unit, value, range, extra}. Rates for
/// Better::bigger; times for smaller.
[[nodiscard]] Exported to_github_benchmark(const Report& report, const ExportOptions& options);
/// Bencher Metric Format: name -> measure -> {value, lower_value, upper_value}.
[[nodiscard]] Exported to_bencher(const Report& report, const ExportOptions& options);
/// Prometheus text exposition 0.0.4, for the textfile collector: gauges without timestamps.
[[nodiscard]] Exported to_prometheus(const Report& report, const ExportOptions& options);
/// OpenMetrics 1.0.
[[nodiscard]] Exported to_openmetrics(const Report& report, const ExportOptions& options);
/// JUnit XML: a point is a test case; what is wrong a failure, what did not run an error or
/// skipped.
[[nodiscard]] Exported to_junit(const Report& report, const ExportOptions& options);
/// Markdown for $GITHUB_STEP_SUMMARY, below its limit of 1 MiB.
[[nodiscard]] Exported to_step_summary(const Report& report, const ExportOptions& options);
/// RFC 4180, a row a point, base SI units.
[[nodiscard]] Exported to_csv(const Report& report, const ExportOptions& options);

}  // namespace roofline::report
