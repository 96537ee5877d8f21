// What bounds a step under the roofs of a device: arithmetic and traffic of all operations at once,
// or one operation after another. Knows no device by name.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "model/step_plan.hpp"
#include "roofline/dtype.hpp"
#include "roofline/units.hpp"

namespace roofline::model {

/// DType's last is int32.
inline constexpr std::size_t kArithmeticTypes = static_cast<std::size_t>(DType::int32) + 1;

/// Peaks by the type of the arithmetic; one that is not set is not there.
class Peaks {
 public:
  void set(DType type, Performance peak) { peaks_[index(type)] = peak; }
  /// 0 where there is none.
  [[nodiscard]] Performance of(DType type) const { return peaks_[index(type)]; }

 private:
  static std::size_t index(DType type) { return static_cast<std::size_t>(type); }
  std::array<Performance, kArithmeticTypes> peaks_{};
};

struct StepRoofs {
  Peaks peaks;
  Bandwidth bandwidth;
};

/// Arithmetic by the type that it is done in. What is done in one type is summed before it is
/// divided by its peak, as MFU divides it: a sum of quotients may lie a rounding below, and a
/// ceiling then above 1.
class WorkByType {
 public:
  void add(DType type, Flops work) {
    Flops& sum = work_[static_cast<std::size_t>(type)];
    sum = sum + work;
  }
  [[nodiscard]] Seconds time(const Peaks& peaks) const {
    Seconds out;
    for (std::size_t i = 0; i < work_.size(); ++i)
      if (work_[i] > Flops{}) out = out + work_[i] / peaks.of(static_cast<DType>(i));
    return out;
  }
  friend WorkByType operator-(const WorkByType& a, const WorkByType& b) {
    WorkByType out;
    for (std::size_t i = 0; i < out.work_.size(); ++i) out.work_[i] = a.work_[i] - b.work_[i];
    return out;
  }

 private:
  std::array<Flops, kArithmeticTypes> work_{};
};

/// One operation of a step.
struct OperationBound {
  const Operation* operation = nullptr;
  OperationCost cost;
  Bytes traffic;  ///< what the account counts of it
  Seconds compute;
  Seconds memory;
  [[nodiscard]] Flops executed() const { return cost.work + cost.repeated; }
  [[nodiscard]] Seconds time() const { return compute < memory ? memory : compute; }
  [[nodiscard]] bool memory_bound() const { return compute < memory; }
};

struct StepBounds {
  Flops work;      ///< by the plan's convention, as MFU counts it
  Flops executed;  ///< of all operations, repeated work included
  Bytes traffic;
  Seconds compute;  ///< all arithmetic at its peaks
  Seconds memory;   ///< all traffic at the bandwidth
  Seconds serial;   ///< each operation bound by what binds it, one after another
  double launches = 0;

  /// No step is faster: max(compute, memory).
  [[nodiscard]] Seconds floor() const { return compute < memory ? memory : compute; }
  [[nodiscard]] bool memory_bound() const { return compute < memory; }
};

/// Throws InputError where an operation computes in a type that has no peak.
void require_peaks(const StepPlan& plan, const Peaks& peaks);

/// The step must be valid, and the peaks there.
[[nodiscard]] StepBounds bound(const StepPlan& plan, std::span<const Requests> step,
                               const StepRoofs& roofs);
/// The same, operation by operation.
[[nodiscard]] std::vector<OperationBound> bound_operations(const StepPlan& plan,
                                                           std::span<const Requests> step,
                                                           const StepRoofs& roofs);

/// What a step takes that hides nothing behind anything else: for each operation its arithmetic,
/// its traffic and its launches, one after another. With the roofs that were measured and the time
/// of an empty call it is the upper end of a bracket whose lower end is the floor.
[[nodiscard]] Seconds without_overlap(const StepPlan& plan, std::span<const Requests> step,
                                      const StepRoofs& roofs, Seconds launch);

/// Work over peak x floor: the highest MFU that the step can show. `peak` is that of the type of
/// the plan's products. At most 1 where the convention counts no more than is executed; one that
/// counts more shows more than the device does.
[[nodiscard]] double mfu_ceiling(const StepBounds& bounds, Performance peak);

/// Token rows that make the product of one matrix compute-bound, its activations counted:
/// r b_w K N / (2 K N - r (b_a K + b_o N)). Nothing for what is no product, and where no number of
/// rows does: the matrix is so small that its activations alone keep it left of the ridge.
[[nodiscard]] std::optional<double> rows_to_ridge(const Operation& operation,
                                                  const StepTypes& types, Intensity ridge);

/// Executed work over all steps, by class; and the traffic that the account counts.
struct ByClass {
  std::array<Flops, kStepClasses> work{};
  std::array<Bytes, kStepClasses> traffic{};
};
[[nodiscard]] ByClass by_class(const StepPlan& plan, std::span<const OperationBound> operations);

}  // namespace roofline::model
