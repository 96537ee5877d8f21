// An observed figure held against the roofs of its step, what a kernel and what each lever could
// gain: worked out once, for page and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/advise_causes.hpp"
#include "cli/advise_levers.hpp"
#include "cli/advise_options.hpp"
#include "cli/advise_scope.hpp"
#include "model/advice.hpp"

namespace roofline::cli {

/// What one roof makes of the reading.
struct RoofView {
  std::string label;  ///< `datasheet`, `sustained`, `measured`, `given`
  DeploymentRoofs roofs;
  model::StepRoofs values;   ///< the peaks of the first view; a bandwidth of its own
  model::StepBounds bounds;  ///< of the scope, which may be one operation
  double mfu_ceiling = 0;
  double tokens_per_s = 0;  ///< at the floor
  model::Held held;
  bool above_rating = false;  ///< its bandwidth is more than the device's memory sustains
  /// The reading passes it and can be: the memory sustains more than was stated, so that nothing is
  /// to be judged by it.
  bool refuted = false;
};

/// A reading as every other figure.
struct ObservedStep {
  GivenReading given;
  Seconds time;
  double tokens_per_s = 0;  ///< of the devices that share the step
  double mfu = 0;
  Bandwidth traffic;
  Performance rate;
};

/// What the same reading would mean, had it been taken over the 2:4 sparse peak.
struct SparseCheck {
  Performance sparse_peak;
  double dense_mfu = 0;
  bool refuted = false;  ///< it would be above the ceiling
};

/// Of those that count against a kernel, in one regime.
struct BestLever {
  std::string name;  ///< empty: none gains anything
  double gain = 1;
  std::uint64_t batch = 0;
};

struct KernelAdvice {
  double share = 1;
  bool share_stated = false;
  model::Range of_roof;
  bool of_roof_stated = false;
  std::string roof;  ///< that `of_roof` is a part of
  model::Range gain;
  BestLever best_fixed;
  BestLever best_capacity;
  model::KernelJudgement judgement;
  std::string reason;  ///< of an answer that is neither yes nor no
  /// Settings refute it only with a larger batch, and nobody said that there are requests for one.
  bool rests_on_larger_batch = false;

  [[nodiscard]] const BestLever& best() const {
    return best_fixed.gain < best_capacity.gain ? best_capacity : best_fixed;
  }
};

struct AdviseSheet {
  Deployment deployment;
  Scope scope;
  DType arithmetic = DType::bf16;  ///< of the scope
  Performance peak;                ///< dense, in that type: what MFU is a part of
  double tokens = 0;               ///< of a step, as tokens/s count them
  Flops model_work;  ///< of the scope, this device's share of the model's: less than an operation
                     ///< executes that each device does whole
  ObservedStep observed;
  std::vector<RoofView> views;  ///< the rated one first
  std::optional<SparseCheck> sparse;
  std::vector<ImpossibleCause> causes;  ///< only of a reading above its roof
  std::string misfit;                   ///< why the batch does not fit; empty: nothing says so
  std::optional<LeverTable> levers;     ///< of a step that fits
  std::string levers_reason;            ///< why there are none
  std::optional<KernelAdvice> kernel;   ///< of a step that can be
  std::string kernel_reason;            ///< why there is none
  std::string judgement;                ///< of the reading, in words
  std::vector<std::string> refuted;     ///< roofs that the reading refutes, one sentence each
  std::vector<std::string> notes;       ///< those among them

  [[nodiscard]] const RoofView& rated() const { return views.front(); }
  /// The view with the lowest ceiling, of those that the reading does not refute.
  [[nodiscard]] const RoofView& lowest() const;
  [[nodiscard]] bool above_ceiling() const { return rated().held.impossible; }
  /// Of a batch that does not fit no figure was measured, whatever it is.
  [[nodiscard]] bool impossible() const { return above_ceiling() || !misfit.empty(); }
};

/// Throws InputError, NotAvailable, FileError.
[[nodiscard]] AdviseSheet make_advice(const AdviseOptions& options);

/// The reading under one convention and account, as the roofs of the sheet see it.
struct ReconciledRow {
  std::string convention;
  std::string account;
  Flops work;
  Bytes traffic;
  Seconds observed;
  struct View {
    std::string label;
    double mfu_ceiling = 0;
    double of_ceiling = 0;
  };
  std::vector<View> views;
  double mfu = 0;
  bool own = false;  ///< that of the sheet
};
[[nodiscard]] std::vector<ReconciledRow> reconcile(const AdviseSheet& sheet);

}  // namespace roofline::cli
