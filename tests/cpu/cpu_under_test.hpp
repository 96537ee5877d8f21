// The CPU backend as its tests use it: little memory, one thread or few, a workload through all its
// steps.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>
#include <filesystem>
#include <string>
#include "backend/cpu/cpu_backend.hpp"
#include "isas.hpp"
#include "roofline/account.hpp"
#include "roofline/error.hpp"

namespace roofline::cpu {
namespace fs = std::filesystem;

inline const FactValue* find(const Facts& facts, std::string_view key) {
  for (const Fact& fact : facts) {
    if (fact.key == key) return &fact.value;
  }
  return nullptr;
}

inline std::string text(const Facts& facts, std::string_view key) {
  const FactValue* const value = find(facts, key);
  const auto* const held = value != nullptr ? std::get_if<std::string>(value) : nullptr;
  return held != nullptr ? *held : std::string();
}

inline bool flag(const Facts& facts, std::string_view key) {
  const FactValue* const value = find(facts, key);
  return value != nullptr && *value == FactValue{true};
}

/// Little memory, so that nothing is rotated over hundreds of megabytes.
inline CpuOptions small(std::uint64_t mebibytes = 24) {
  CpuOptions out;
  out.memory_cap = mebibytes << 20;
  return out;
}

/// One thread on one code path, for many small workloads: several would mostly wait for each other.
inline CpuOptions alone(Isa isa) {
  CpuOptions out = small(3);
  out.threads = 1;
  out.isa_cap = isa;
  return out;
}

class Cpu {
 public:
  explicit Cpu(CpuOptions options = small()) : backend_(make_cpu_backend(std::move(options))) {}

  backend::Backend& operator*() { return *backend_; }
  [[nodiscard]] backend::Device device() { return backend_->devices().front(); }
  [[nodiscard]] std::string refusal(const Workload& workload) {
    const auto answer = backend_->supports(workload, device());
    const auto* const refused = std::get_if<backend::Unsupported>(&answer);
    return refused != nullptr ? refused->reason : std::string();
  }
  [[nodiscard]] Workload completed(const Workload& workload) {
    return std::get<Workload>(backend_->supports(workload, device()));
  }
  [[nodiscard]] std::unique_ptr<backend::PreparedRun> prepare(const Workload& workload) {
    return backend_->prepare(completed(workload), device());
  }
  /// Prepares, verifies and times; returns the facts.
  Facts check(const Workload& workload) {
    const auto run = prepare(workload);
    const Verification verification = run->verify();
    EXPECT_EQ(verification.state, VerificationState::verified) << verification.detail;
    const Sample sample = run->time(2);
    EXPECT_EQ(sample.iterations, 2U);
    EXPECT_GT(in_second(sample.duration), 0);
    // On a busy machine a library's threads go to sleep, and the share then tells nothing.
    const FactValue* const library_threads = find(run->facts(), "library_threads");
    const bool may_sleep =
        library_threads != nullptr && *library_threads != FactValue{std::uint64_t{1}};
    EXPECT_TRUE(sample.cpu_share.has_value() || may_sleep);
    EXPECT_EQ(sample.clock.has_value(), find(run->facts(), "clock_hz") != nullptr);
    if (sample.cpu_share) {
      EXPECT_GE(*sample.cpu_share, 0);
      EXPECT_LE(*sample.cpu_share, 1);
      EXPECT_EQ(sample.disturbance == Disturbance::contended, *sample.cpu_share < 0.985);
    }
    return run->facts();
  }

 private:
  std::unique_ptr<backend::Backend> backend_;
};

inline std::vector<StreamKind> kinds() {
  return {StreamKind::read, StreamKind::write, StreamKind::copy,  StreamKind::scale,
          StreamKind::add,  StreamKind::triad, StreamKind::update};
}

inline Gemm gemm_of(std::uint64_t m, std::uint64_t n, std::uint64_t k, DType input) {
  Gemm out;
  out.m = m;
  out.n = n;
  out.k = k;
  out.input = input;
  return out;
}

}  // namespace roofline::cpu
