// The first diagnosis: a table of failure modes, each a symptom on the fields of records with its
// hypothesis, the counter that would confirm it and the remedy. Which of the two teams of the
// flowchart a point goes to is its Verdict and that verdict's lever (placement.hpp); this is what
// to ask there. Pure functions of a report; knows no hardware and reads no counter.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/hypothesis.hpp"
#include "roofline/record.hpp"

namespace roofline {

/// That a symptom shows, and how well it fits.
struct Symptom {
  double score = 0;                      ///< 0 .. 1
  std::string evidence;                  ///< one clause with the actual numbers
  std::vector<std::string> points = {};  ///< of a report's symptom: where it shows
  std::string device = {};               ///< of a symptom of one device among others: its id
};

/// Where a failure mode is looked for. `below_*`: only on points more than 30 % under their
/// ceiling; `whole_report`: on what one device showed; `across_devices`: on what several did.
enum class Scope {
  below_memory_roof,
  below_compute_roof,
  below_any_roof,
  any_point,
  whole_report,
  across_devices,
};

using PointSymptom = std::optional<Symptom> (*)(const Record& point, const Report& report);
using ReportSymptom = std::optional<Symptom> (*)(const Report& report);
using DevicesSymptom = std::vector<Symptom> (*)(const Report& report);

struct FailureMode {
  std::string_view id;
  Scope scope;
  std::variant<PointSymptom, ReportSymptom, DevicesSymptom> symptom;
  std::string_view hypothesis;
  std::string_view gpu_counter;  ///< Nsight Compute metrics
  std::string_view cpu_counter;  ///< perf events, likwid groups, or facts of the report itself
  std::string_view remedy;
};

/// Every row, in the order of the seed's flowchart: is the figure right, is it where the model says
/// it must be, what holds it below the memory roof, the compute roof, what does the whole sweep
/// say.
[[nodiscard]] std::span<const FailureMode> failure_modes();

/// More than 30 % under its ceiling, measured, and not itself a roof.
[[nodiscard]] bool below_its_roof(const Record& point);

/// What may explain one point, likeliest first. At least one for every point below its roof.
[[nodiscard]] std::vector<Hypothesis> hypotheses_for(const Record& point, const Report& report);
/// What the points of one device say together, likeliest first.
[[nodiscard]] std::vector<Finding> findings_for(const Report& report);
/// What the points of several devices say, each finding about one of them, likeliest first. Nothing
/// of a report of one device.
[[nodiscard]] std::vector<Finding> findings_across(const Report& report);

/// Fills `hypotheses` of every point and `findings`, anew, each device for itself and then what
/// they show beside each other. Call it when the points are placed.
void diagnose(Report& report);

}  // namespace roofline
