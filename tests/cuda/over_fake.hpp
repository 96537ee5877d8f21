// The backend over the simulated driver of tests/fakegpu, which forgets everything between tests.
// Devices are small, so that the kernels, which really run, take milliseconds.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "backend/cuda/cuda_backend.hpp"

namespace roofline::cuda {

/// An A100 with little memory and a small L2. Its rates are an A100's.
inline constexpr const char* kSmallA100 = "device a100-80gb l2=256KiB memory=40MiB sms=8\n";

class OverFake : public testing::Test {
 protected:
  OverFake();
  ~OverFake() override;

  /// From now on the driver is the one that the text of this scenario describes.
  void use(const std::string& scenario);

  [[nodiscard]] static CudaOptions options();
  [[nodiscard]] std::unique_ptr<backend::Backend> backend() { return make_cuda_backend(options()); }

 private:
  void forget();
  std::string scenario_file_;
};

/// A workload as far as the backend takes it, on its device `index`.
class Point {
 public:
  Point(backend::Backend& backend, const Workload& workload, std::size_t index = 0);

  [[nodiscard]] const Workload& workload() const { return workload_; }
  [[nodiscard]] backend::PreparedRun& run() { return *run_; }
  /// s of a call, over an interval of 5 ms at least.
  [[nodiscard]] double seconds();
  /// Counted bytes over that time.
  [[nodiscard]] double bytes_per_second();

 private:
  Workload workload_;
  std::unique_ptr<backend::PreparedRun> run_;
};

[[nodiscard]] FactValue fact_of(const Facts& facts, const std::string& key);
/// Verified, with the detail in the message when not.
[[nodiscard]] testing::AssertionResult verified(const Verification& verification);
/// Why the backend refuses; empty when it doesn't.
[[nodiscard]] std::string refused(backend::Backend& backend, const Workload& workload);
/// Why preparing, verifying and timing fails, behind `lost: ` or `refused: ` where it is that;
/// empty when it doesn't.
[[nodiscard]] std::string failure(backend::Backend& backend, const Workload& workload);

}  // namespace roofline::cuda
