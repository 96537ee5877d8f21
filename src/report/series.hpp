// Which figures of a report a dashboard may keep, under names that stay the same from run to run.
// Knows no format.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/columns.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Why the figure of a point is not one to compare: not measured, wrong, impossible, or spoilt
/// while it was taken. Nothing for one that is.
[[nodiscard]] std::optional<std::string> unfit(const Record& record);

/// Measured, and nobody has looked whether its result is right: imported, or without a reference.
/// Such a figure counts as others do, and is marked wherever it is shown.
[[nodiscard]] bool is_unverified(const Record& record);

struct Figure {
  std::string_view key;  ///< of columns.hpp: `achieved_flop_per_s`
  Unit unit = Unit::second;
  double value = 0;           ///< in the base SI unit
  std::optional<double> low;  ///< of the interval of the median, where there is one
  std::optional<double> high;
};

/// One point that is fit, with what it has; the first figure is the one that tells most of it: a
/// rate of work for products and peaks, of bytes for what moves data, the time for empty calls.
struct Series {
  std::string name;  ///< `NVIDIA A100-SXM4-80GB/gemm/bf16/4096x4096x4096`, unique in the report
  const Record* record = nullptr;
  std::string device;  ///< what the hardware calls itself
  std::vector<Figure> figures;
};

struct LeftOut {
  std::string name;
  const Record* record = nullptr;
  std::string device;
  std::string reason;
  bool named_twice = false;  ///< another point has its name
};

struct AllSeries {
  std::vector<Series> fit;
  std::vector<LeftOut> left_out;
};

/// In the order of the points. The pointers are into `report`.
[[nodiscard]] AllSeries series_of(const Report& report);

}  // namespace roofline::report
