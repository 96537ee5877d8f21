// The algorithms that the simulated cuBLASLt has for a problem, what each needs and how long it
// takes: tiles in waves over the SMs, traffic through L2, and what a split of k costs (README.md).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cublaslt_problem.hpp"

namespace fakegpu::lt {

/// What distinguishes two algorithms of one problem. Numbers are those of cublasLt.h.
struct Config {
  std::int32_t id = 0;
  std::uint32_t tile = 0;
  std::uint32_t stages = 0;
  std::int32_t split_k = 1;
  std::uint32_t reduction = 0;  ///< 0 none, 1 in place, 2 through the workspace
  std::uint32_t swizzle = 0;
  std::uint16_t cluster = 0;
  std::uint32_t alignment = 16;  ///< byte that A and B must be multiples of

  bool operator==(const Config&) const = default;
};

struct Candidate {
  Config config;
  std::uint64_t workspace_bytes = 0;
  std::uint64_t blocks = 0;
  float waves = 0;
  double estimate = 0;     ///< clocks, as the library guesses them
  double sm_clocks = 0;    ///< clocks that it really takes, when memory is no limit
  double busy_clocks = 0;  ///< those of its FLOP at the best efficiency
};

struct Limits {
  std::uint64_t most_workspace_bytes = 0;
  std::uint32_t alignment_a = 256;  ///< bytes that the pointers are sure to be multiples of
  std::uint32_t alignment_b = 256;
  std::uint32_t alignment_c = 256;
  std::uint32_t alignment_d = 256;
};

/// The best guess first; none where alignment or workspace leave none. The problem was checked.
[[nodiscard]] std::vector<Candidate> candidates(const Problem& problem, const Limits& limits,
                                                const DeviceModel& model);

/// The candidate of that configuration; nothing where the problem has no such.
[[nodiscard]] std::optional<Candidate> candidate_of(const Problem& problem, const Config& config,
                                                    const DeviceModel& model);

}  // namespace fakegpu::lt
