// What checks of kernels share: the device under test, how long they may go on, and what they found
// of one kernel.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "arrays.hpp"
#include "backend/comparison.hpp"
#include "backend/cuda/context.hpp"
#include "backend/cuda/launcher.hpp"
#include "kernels/cuda/matvec_launch.hpp"

namespace roofline::selftest {

using Clock = std::chrono::steady_clock;

/// Operands of streams: random, the same for all kernels of a type, made when first asked for and
/// again in a new context.
class Operands {
 public:
  Operands(cuda::Context& context, u64 n) : context_(context), n_(n) {}
  /// `which`: 0 or 1.
  template <class T>
  [[nodiscard]] const Input<T>& get(unsigned which);

 private:
  template <class T>
  [[nodiscard]] std::optional<Input<T>>& slot(unsigned which);

  cuda::Context& context_;
  u64 n_;
  unsigned generation_ = 0;
  std::optional<Input<float>> fp32_[2];
  std::optional<Input<double>> fp64_[2];
};

struct Bench {
  cuda::Context& context;
  Operands& operands;
  cuda::MatvecDevice device;   ///< sm_count and shared memory
  double clock_max_hz = 0;     ///< 0: unknown
  bool all_sizes = true;       ///< false: only those that emulators and sanitizers have time for
  Clock::time_point deadline;  ///< after it, the cases beyond the small sizes are left out
};

/// What was found of one kernel.
class Findings {
 public:
  /// `what`: `n 4099, 3 blocks of 256`, for the sentence about what went wrong.
  void begin_case(std::string what);
  void judge(const backend::Comparison& comparison);
  void judge(bool right, const std::string& otherwise);
  /// Brings the output back, and judges its guards.
  void take(Output& output);
  void left_out() { ++left_out_; }

  [[nodiscard]] bool right() const { return fault_.empty() && cases_ != 0; }
  /// The first fault, one sentence with its case; empty when there is none.
  [[nodiscard]] const std::string& fault() const { return fault_; }
  void set_fault(const std::string& what);
  [[nodiscard]] unsigned cases() const { return cases_; }
  [[nodiscard]] unsigned cases_left_out() const { return left_out_; }
  [[nodiscard]] const backend::Comparison& comparison() const { return comparison_; }

 private:
  std::string case_;
  std::string fault_;
  unsigned cases_ = 0;
  unsigned left_out_ = 0;
  backend::Comparison comparison_;
};

/// Elements of the largest stream.
[[nodiscard]] u64 most_elements(bool all_sizes);

// One for each kind of kernel; `kernel` is of that kind. They throw CudaError where the device
// fails.
void check_stream(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);
void check_matvec(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);
void check_matvec_reduce(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);
void check_elementwise(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);
void check_fill(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);
void check_probe(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);
void check_peak(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);

/// By its family.
void check_kernel(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings);

}  // namespace roofline::selftest
