#include "chart/charts.hpp"

#include <algorithm>

namespace roofline::chart {
namespace {

constexpr ChartKind kKinds[] = {
    {"roofline", "points under their roofs", roofline_chart},
    {"bandwidth", "streams against their working set, past the caches", bandwidth_chart},
    {"sweep", "what was reached against one swept size, with its ceiling (--axis)", sweep_chart},
    {"decode", "projections along the roof, joined by their rows", decode_chart},
    {"gap", "what lies between each point and its ceiling, and whose it is", gap_chart},
};

}  // namespace

std::span<const ChartKind> chart_kinds() { return kKinds; }

const ChartKind* find_chart_kind(std::string_view name) {
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const ChartKind& kind) { return kind.name == name; });
  return found != std::end(kKinds) ? found : nullptr;
}

}  // namespace roofline::chart
