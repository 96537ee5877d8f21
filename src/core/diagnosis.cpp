#include "roofline/diagnosis.hpp"

#include <algorithm>
#include <optional>

#include "diagnosis_symptoms.hpp"

namespace roofline {
namespace {

bool asked_of(Scope scope, const Record& point) {
  switch (scope) {
    case Scope::any_point:
      return true;
    case Scope::below_any_roof:
      return below_its_roof(point);
    case Scope::below_memory_roof:
      return below_its_roof(point) && symptom::memory_side(point);
    case Scope::below_compute_roof:
      return below_its_roof(point) && !symptom::memory_side(point);
    case Scope::whole_report:
    case Scope::across_devices:
      break;
  }
  return false;
}

Hypothesis hypothesis_of(const FailureMode& mode, Symptom&& seen, bool on_cpu) {
  return {std::string(mode.id),     std::string(mode.hypothesis),
          std::move(seen.evidence), std::string(on_cpu ? mode.cpu_counter : mode.gpu_counter),
          std::string(mode.remedy), std::clamp(seen.score, 0.0, 1.0)};
}

/// Equal scores keep the order of the table.
template <class Ranked>
void likeliest_first(std::vector<Ranked>& all) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Ranked& a, const Ranked& b) { return a.score > b.score; });
}

}  // namespace

bool below_its_roof(const Record& point) {
  if (!std::holds_alternative<Measured>(point.outcome) || !point.assessment) return false;
  const Assessment& found = *point.assessment;
  return !found.impossible && found.of_ceiling && *found.of_ceiling < kAtRoof * (1 - kRounding);
}

std::vector<Hypothesis> hypotheses_for(const Record& point, const Report& report) {
  std::vector<Hypothesis> out;
  if (!std::holds_alternative<Measured>(point.outcome) || !point.assessment) return out;
  const bool on_cpu = symptom::is_cpu(point);
  for (const FailureMode& mode : failure_modes()) {
    const auto* shows = std::get_if<PointSymptom>(&mode.symptom);
    if (shows == nullptr || !asked_of(mode.scope, point)) continue;
    if (auto seen = (*shows)(point, report))
      out.push_back(hypothesis_of(mode, std::move(*seen), on_cpu));
  }
  likeliest_first(out);
  return out;
}

std::vector<Finding> findings_for(const Report& report) {
  std::vector<Finding> out;
  const bool on_cpu = std::any_of(report.points.begin(), report.points.end(), symptom::is_cpu);
  for (const FailureMode& mode : failure_modes()) {
    const auto* shows = std::get_if<ReportSymptom>(&mode.symptom);
    if (shows == nullptr) continue;
    if (auto seen = (*shows)(report)) {
      std::vector<std::string> points = std::move(seen->points);
      out.push_back({hypothesis_of(mode, std::move(*seen), on_cpu), std::move(points), {}});
    }
  }
  likeliest_first(out);
  return out;
}

std::vector<Finding> findings_across(const Report& report) {
  std::vector<Finding> out;
  if (!of_several_devices(report)) return out;
  for (const FailureMode& mode : failure_modes()) {
    const auto* shows = std::get_if<DevicesSymptom>(&mode.symptom);
    if (shows == nullptr) continue;
    for (Symptom& seen : (*shows)(report)) {
      std::vector<std::string> points = std::move(seen.points);
      std::string device = std::move(seen.device);
      // Only GPUs come in several equal ones here.
      out.push_back(
          {hypothesis_of(mode, std::move(seen), false), std::move(points), std::move(device)});
    }
  }
  likeliest_first(out);
  return out;
}

void diagnose(Report& report) {
  if (!of_several_devices(report)) {
    // A single device may have facts of its own beside the environment's.
    std::optional<Report> alone;
    if (!report.devices.empty()) alone = only_device(report, report.devices.front());
    const Report& own = alone ? *alone : report;
    for (Record& point : report.points) point.hypotheses = hypotheses_for(point, own);
    report.findings = findings_for(own);
    return;
  }
  report.findings.clear();
  std::vector<Finding> findings = findings_across(report);
  for (const ReportedDevice& device : report.devices) {
    const Report own = only_device(report, device);
    for (Record& point : report.points) {
      if (point.device_id == device.id) point.hypotheses = hypotheses_for(point, own);
    }
    for (Finding& finding : findings_for(own)) {
      finding.device = device.id;
      findings.push_back(std::move(finding));
    }
  }
  likeliest_first(findings);
  report.findings = std::move(findings);
}

}  // namespace roofline
