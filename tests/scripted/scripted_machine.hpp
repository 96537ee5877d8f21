// A scripted machine for tests: text in, samples out.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "backend/scripted/scripted_backend.hpp"

namespace roofline::test {

/// 1 TFLOP/s in fp32, 100 GB/s to DRAM, 2 GHz.
inline const std::string kPlainMachine =
    "clock 2GHz\n"
    "peak fp32 1TFLOP/s\n"
    "bandwidth dram 100GB/s\n";

class ScriptedMachine {
 public:
  explicit ScriptedMachine(const std::string& text)
      : backend_(scripted::make_scripted_backend(scripted::parse_script(text, "test.script"))),
        device_(backend_->devices().at(0)) {}

  [[nodiscard]] backend::Backend& backend() { return *backend_; }
  [[nodiscard]] const backend::Device& device() const { return device_; }
  [[nodiscard]] double now() { return in_second(backend_->now()); }

  /// What supports() made of it; throws std::bad_variant_access when it is unsupported.
  [[nodiscard]] Workload supported(const Workload& workload) {
    return std::get<Workload>(backend_->supports(workload, device_));
  }
  /// Empty when it is supported.
  [[nodiscard]] std::string refusal(const Workload& workload) {
    const auto answer = backend_->supports(workload, device_);
    const auto* const reason = std::get_if<backend::Unsupported>(&answer);
    return reason == nullptr ? "" : reason->reason;
  }
  [[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare(const Workload& workload) {
    return backend_->prepare(supported(workload), device_);
  }
  /// Seconds of one call of a new run.
  [[nodiscard]] double call_s(const Workload& workload) {
    return in_second(prepare(workload)->time(1).duration);
  }

 private:
  std::unique_ptr<backend::Backend> backend_;
  backend::Device device_;
};

/// 2e12 FLOP and 1.2 GB: 2 s of arithmetic and 12 ms of traffic on the plain machine.
inline Gemm big_gemm() { return {.m = 10'000, .n = 10'000, .k = 10'000, .input = DType::fp32}; }
/// 1e6 elements in and out of memory, 8 MB: 80 us on the plain machine.
inline Stream copy_8mb() {
  return {.kind = StreamKind::copy, .elements = 1'000'000, .dtype = DType::fp32};
}

}  // namespace roofline::test
