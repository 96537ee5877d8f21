// Which roofs of a device a roofline chart shows: of the many that a report knows, those that its
// points are held against and those that stand behind them.
#pragma once

#include <string>
#include <vector>

#include "chart/look.hpp"
#include "chart/view.hpp"

namespace roofline::chart {

struct MemoryCeiling {
  Boundary level = Boundary::dram;
  double byte_per_s = 0;
  bool measured = false;
  std::string label = {};  ///< `DRAM read 47.8 GB/s, measured`
  std::string brief = {};  ///< `DRAM 47.8 GB/s`
  /// Of the measured mixes of reads and writes of that level; the same where there is one.
  double slowest = 0;
  double fastest = 0;
  std::string mixes = {};  ///< each of them with its figure
};

struct ComputeCeiling {
  double flop_per_s = 0;
  bool measured = false;
  bool held_against = false;  ///< points have their ceiling from it
  Hue hue = kInk;
  std::string type = {};    ///< `bf16`
  std::string figure = {};  ///< `312 TFLOP/s`
  std::string origin = {};  ///< `datasheet`, `best GEMM`
};

struct Ceilings {
  /// By level from DRAM inwards; of each the measured one before the rated one.
  std::vector<MemoryCeiling> memory = {};
  std::vector<ComputeCeiling> compute = {};  ///< from low to high
  std::string unknown = {};                  ///< what theory says nothing of; empty where it does

  /// The line that ridges are told on: the outermost level's, measured where it was. 0 for none.
  [[nodiscard]] double base() const { return memory.empty() ? 0 : memory.front().byte_per_s; }
  [[nodiscard]] double top() const { return compute.empty() ? 0 : compute.back().flop_per_s; }
  [[nodiscard]] double steepest() const;
};

/// The peaks are those of the points that are drawn: measured ones, all where `attainable`.
[[nodiscard]] Ceilings ceilings_of(const View& view, const TypeHues& hues, bool attainable);

/// `DRAM`, `L2`, `link`.
[[nodiscard]] std::string level_name(Boundary level);

}  // namespace roofline::chart
