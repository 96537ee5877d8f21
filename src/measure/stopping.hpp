// When a point has been sampled enough: rules that look at what there is and say how it ends. Add a
// rule by adding a class and its place in rules_for().
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "measure/sampling_plan.hpp"
#include "roofline/sample_summary.hpp"

namespace roofline::measure {

/// A point's sampling so far.
struct SamplingState {
  const Counted& counted;
  std::size_t turns = 0;  ///< begun
  Seconds spent;          ///< in samples
};

class StoppingRule {
 public:
  StoppingRule() = default;
  StoppingRule(const StoppingRule&) = delete;
  StoppingRule& operator=(const StoppingRule&) = delete;
  virtual ~StoppingRule() = default;
  /// How the point ends; nothing to go on.
  [[nodiscard]] virtual std::optional<MeasurementEnd> decide(const SamplingState& state) const = 0;
};

/// Converged: the interval of the median is narrow, relative to it, over several turns.
class NarrowInterval final : public StoppingRule {
 public:
  NarrowInterval(double target, double confidence, std::size_t min_samples, std::size_t min_turns)
      : target_(target),
        confidence_(confidence),
        min_samples_(min_samples),
        min_turns_(min_turns) {}
  [[nodiscard]] std::optional<MeasurementEnd> decide(const SamplingState& state) const override;

 private:
  double target_;
  double confidence_;
  std::size_t min_samples_;
  std::size_t min_turns_;
};

/// Out of time: once `budget` is spent and `min_samples` count (kFewestSamples where samples of
/// `sample` are so long that they don't fit), or when patience with disturbed ones is at an end.
class TimeSpent final : public StoppingRule {
 public:
  TimeSpent(Seconds budget, std::size_t min_samples, Seconds sample);
  [[nodiscard]] std::optional<MeasurementEnd> decide(const SamplingState& state) const override;

 private:
  Seconds budget_;
  std::size_t enough_ = 0;
  Seconds patience_;
};

/// The first rule that decides, decides.
using StoppingRules = std::vector<std::unique_ptr<StoppingRule>>;
[[nodiscard]] std::optional<MeasurementEnd> decide(const StoppingRules& rules,
                                                   const SamplingState& state);

/// The rules of a plan for a point of which one sample takes `sample`.
[[nodiscard]] StoppingRules rules_for(const SamplingPlan& plan, Seconds sample);

}  // namespace roofline::measure
