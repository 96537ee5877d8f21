#include "report/export.hpp"

#include <algorithm>

namespace roofline::report {
namespace {

constexpr ExportFormat kFormats[] = {
    {"github-benchmark",
     "JSON for benchmark-action/github-action-benchmark: customBiggerIsBetter, or with --direction "
     "smaller customSmallerIsBetter",
     to_github_benchmark},
    {"bencher", "JSON for bencher run --adapter json", to_bencher},
    {"prometheus", "text for a Prometheus server or node_exporter's textfile collector",
     to_prometheus},
    {"openmetrics", "the same as OpenMetrics 1.0", to_openmetrics},
    {"junit", "JUnit XML: a test case for each point", to_junit},
    {"step-summary", "Markdown to append to $GITHUB_STEP_SUMMARY", to_step_summary},
    {"csv", "every column of every point; base SI units", to_csv},
};

}  // namespace

std::span<const ExportFormat> export_formats() { return kFormats; }

const ExportFormat* find_export_format(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kFormats), std::end(kFormats),
                   [&](const ExportFormat& format) { return format.name == name; });
  return found == std::end(kFormats) ? nullptr : found;
}

}  // namespace roofline::report
