// Operations that are placed by arithmetic alone, as the points of reports: what a chart shows
// where nothing was run.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "cli/roof_options.hpp"
#include "roofline/record.hpp"

namespace roofline::cli {

struct AnalyticOptions {
  RoofOptions roofs;
  std::vector<std::string> gemm;         ///< MxNxK
  std::vector<std::string> matvec;       ///< D_INxD_OUT, and after a colon the rows as an axis
  std::vector<std::string> stream;       ///< KIND
  std::vector<std::string> elementwise;  ///< elements
  std::vector<std::string> intensity;    ///< of bare kernels
  std::string dtype;                     ///< a list; empty for what each operation has by itself
  std::string weights;                   ///< of matvecs
  std::string config_dir;
};

void add_analytic_options(CLI::App& app, AnalyticOptions& options);

[[nodiscard]] bool names_operations(const AnalyticOptions& options);

/// A report for each device of --device. Throws as explain does.
[[nodiscard]] std::vector<Report> analytic_reports(const AnalyticOptions& options,
                                                   const Invocation& invocation, Io& io);

}  // namespace roofline::cli
