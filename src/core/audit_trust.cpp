#include <algorithm>
#include <cmath>

#include "audit_rules.hpp"
#include "prose.hpp"
#include "roofline/sample_summary.hpp"

namespace roofline::audit_detail {
namespace {

using prose::percent;

std::size_t clean_samples(const Measured& measured) {
  return static_cast<std::size_t>(std::count_if(measured.samples.begin(), measured.samples.end(),
                                                [](const Sample& s) { return s.clean(); }));
}

std::string of_samples(std::size_t part, std::size_t all) {
  return std::to_string(part) + " of " + std::to_string(all) +
         (all == 1 ? " sample is undisturbed" : " samples are undisturbed");
}

}  // namespace

Found end_does_not_fit(const PointView& view) {
  if (view.measured == nullptr || view.measured->samples.empty()) return {};
  const Measured& measured = *view.measured;
  if (!trusted(measured.end)) return {};
  const std::size_t all = measured.samples.size();
  const std::size_t clean = clean_samples(measured);
  if (clean < std::min(kFewestSamples, all)) {
    return {
        {"end is " + std::string(name(measured.end)) + ", and " + of_samples(clean, all), "end"}};
  }
  if (measured.end == MeasurementEnd::unsettled || view.figures.empty()) return {};
  // Only where the samples that count are those that counted.
  const Counted counted = count_samples(measured.samples);
  if (counted.unsettled && counted.times_s.size() == clean) {
    return {{"end is " + std::string(name(measured.end)) +
                 ", and the thirds of its samples differ by more than their noise",
             "end"}};
  }
  return {};
}

Found untrusted_end(const PointView& view) {
  if (view.measured == nullptr || trusted(view.measured->end)) return {};
  const auto& samples = view.measured->samples;
  std::string text = "sampling ended " + std::string(name(view.measured->end));
  if (!samples.empty()) text += "; " + of_samples(clean_samples(*view.measured), samples.size());
  return {{std::move(text), "end"}};
}

Found unsettled(const PointView& view) {
  if (view.measured == nullptr || view.measured->end != MeasurementEnd::unsettled) return {};
  return {{"the rate moved by more than its noise, " + percent(view.measured->noise), "end"}};
}

Found few_samples(const PointView& view) {
  if (view.measured == nullptr || view.measured->samples.empty()) return {};
  const std::size_t clean = clean_samples(*view.measured);
  if (!trusted(view.measured->end) || clean >= kFewestSamples || clean == 0) return {};
  return {{of_samples(clean, view.measured->samples.size()) + ", and " +
               std::to_string(kFewestSamples) + " are the fewest that tell noise",
           "samples"}};
}

Found no_samples(const PointView& view) {
  if (view.measured == nullptr || !view.measured->samples.empty()) return {};
  return {{"time_median_s is " + digits(in_second(view.measured->time_median)) +
               ", and there is no sample to check it by",
           "samples"}};
}

Found unverified(const PointView& view) {
  if (view.measured == nullptr) return {};
  const Verification& verification = view.measured->verification;
  if (verification.state == VerificationState::verified) return {};
  std::string text = "its result is " + std::string(name(verification.state));
  if (!verification.detail.empty()) text += ": " + verification.detail;
  Evidence out{std::move(text), "verification"};
  // A wrong result is no figure at all; the program that measured it would have said so.
  if (verification.state == VerificationState::incorrect) out.severity = Severity::error;
  return {out};
}

Found no_result(const PointView& view) {
  if (const auto* failed = std::get_if<Failed>(&view.point.outcome))
    return {{"failed: " + failed->reason, "outcome"}};
  if (const auto* wrong = std::get_if<Incorrect>(&view.point.outcome))
    return {{"incorrect: " + wrong->verification.detail, "outcome"}};
  return {};
}

Found run_cut_short(const ReportView& whole) {
  const RunInfo& run = whole.report.run;
  if (run.end == RunEnd::completed && !run.interrupted) return {};
  return {{"the run ended " + std::string(name(run.end)) + ", with " +
               std::to_string(whole.report.points.size()) + " points",
           "run.end"}};
}

Found simulated(const DeviceView& device) {
  if (device.text("backend") == "scripted") {
    return {{device.id + " is a script, " + device.text("script") + ": its times are written down",
             "backend"}};
  }
  if (!device.flag("simulated")) return {};
  const std::string because = device.text("simulated_because");
  return {{device.id + " is simulated" + (because.empty() ? "" : ": " + because), "simulated"}};
}

}  // namespace roofline::audit_detail
