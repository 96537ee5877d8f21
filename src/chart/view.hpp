// A report as charts look at it: the points and roofs of each of its devices, without copying them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::chart {

/// One device of one report. Everything points into the report.
struct View {
  const Report* report = nullptr;
  std::string source = {};  ///< tells the report from the others: its file, or its number
  std::string device_id = {};
  std::string device_name = {};
  const Facts* facts = nullptr;  ///< of the device; nothing where the environment says all
  std::vector<const Record*> points = {};
  std::vector<const RoofEntry*> roofs = {};

  [[nodiscard]] std::string text(std::string_view fact) const;
  [[nodiscard]] double number(std::string_view fact) const;  ///< 0 where it is unknown
  [[nodiscard]] bool flag(std::string_view fact) const;
};

/// Of every report its devices, in their order. `files`: where each report is from, if anywhere.
[[nodiscard]] std::vector<View> views_of(std::span<const Report> reports,
                                         std::span<const std::string> files);

/// Of each view which device it is, and which run where they are of several: no two alike.
[[nodiscard]] std::vector<std::string> view_titles(std::span<const View> all);
/// What all pictures say of the devices and of the runs.
[[nodiscard]] std::string figure_title(std::span<const View> views);
[[nodiscard]] std::string figure_subtitle(std::span<const Report> reports);
/// That a device is simulated or replayed, that a run was cut short.
[[nodiscard]] std::vector<std::string> figure_warnings(std::span<const View> views);

}  // namespace roofline::chart
