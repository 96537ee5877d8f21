// How a point looks and what is said of it: colours by type, shapes by family, what sets it apart,
// its short name and its tooltip; and the legend that explains all that occurs.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chart/figure.hpp"
#include "chart/view.hpp"

namespace roofline::chart {

/// Colours of the types that occur. The usual types have theirs in every picture; a rarer one takes
/// what is left.
class TypeHues {
 public:
  explicit TypeHues(std::span<const View> views);
  [[nodiscard]] Hue of(DType dtype) const;

 private:
  std::map<DType, Hue> hues_;
};

[[nodiscard]] Shape shape_of(const Workload& workload);
[[nodiscard]] std::string_view family_name(Shape shape);
[[nodiscard]] Standing standing_of(const Record& record);
[[nodiscard]] std::string_view standing_text(Standing standing);

/// False of a workload without arithmetic; true where the work is not known.
[[nodiscard]] bool has_work(const Record& record);
/// Of its ceiling, what the time of an empty call leaves: nothing where that is not known.
[[nodiscard]] std::optional<double> share_of_ceiling(const Record& record);
/// FLOP/s that were measured; of a point that never ran, what arithmetic and the overhead of its
/// call allow, if `attainable`.
[[nodiscard]] std::optional<double> rate_of(const Record& record, bool attainable);
/// Byte/s, likewise.
[[nodiscard]] std::optional<double> bandwidth_of(const Record& record, bool attainable);

/// What differs between the points of a picture: `T=8` where all projections share their weights'
/// shape, else `T=8 4096x14336`; with the type of the weights where there are several.
class ShortNames {
 public:
  explicit ShortNames(std::span<const View> views);
  [[nodiscard]] std::string of(const Record& record) const;
  /// The shape that all projections share, for the legend; empty where they do not.
  [[nodiscard]] const std::string& weights() const { return weights_; }

 private:
  std::string weights_;
  bool stored_types_ = false;  ///< weights are stored in other types than they are computed in
};

/// Id, figures with units, verdict.
[[nodiscard]] std::string tip_of(const Record& record);

/// Shape, colour, standing, label and tooltip; the place is left to the caller, who also scales the
/// interval: `rate` per second of its median time.
[[nodiscard]] Mark make_mark(const Record& record, const TypeHues& hues, const ShortNames& names);
/// The interval of the median as that of a rate: `rate` is what the median time comes to.
void set_interval(Mark& mark, double rate);

/// Families, types, kinds of lines and standings, each only where it occurs.
[[nodiscard]] std::vector<LegendSection> legend_of(const Figure& figure, const TypeHues& hues,
                                                   const ShortNames& names);

}  // namespace roofline::chart
