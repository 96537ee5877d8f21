// Charts of series: points joined in the order of x, with what bounds them. Used by the bandwidth
// and the sweep chart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chart/axis.hpp"
#include "chart/charts.hpp"
#include "chart/look.hpp"

namespace roofline::chart {

/// Points that differ in x alone, by a name for people.
struct Series {
  std::vector<Mark> marks = {};
  std::vector<Position> ceiling = {};  ///< likewise by x; empty where there is none
};
using SeriesByName = std::map<std::string, Series>;

struct SeriesDraft {
  SeriesByName series = {};
  std::vector<Line> roofs =
      {};  ///< horizontal ones, each with its y in front; stretched to the axis
  std::vector<Guide> guides = {};
  std::vector<std::string> notes = {};
};

/// The names of all series, each with a colour of its own as long as there are some.
class SeriesHues {
 public:
  void add(const SeriesByName& series);
  [[nodiscard]] Hue of(const std::string& name) const;
  [[nodiscard]] LegendSection legend(std::string title) const;
  /// What to do about series that share their colours; empty where none do.
  [[nodiscard]] std::string shared_note() const;

 private:
  std::vector<std::string> names_ = {};
};

struct SeriesAxes {
  Axis x = {};
  Axis y = {};
};
/// Logarithmic ones that hold everything; `x` and `y` give titles and units. Nothing to hold is
/// nothing.
[[nodiscard]] std::optional<SeriesAxes> series_axes(const std::vector<SeriesDraft>& drafts, Axis x,
                                                    Axis y);

[[nodiscard]] Panel series_panel(SeriesDraft draft, const SeriesAxes& axes, const SeriesHues& hues);

}  // namespace roofline::chart
