// Reports for tests: one with every kind and outcome, placed by the library itself, and arbitrary
// ones.
#pragma once

#include <cstdint>

#include "roofline/record.hpp"

namespace roofline::test {

/// A made-up CPU: peaks, streams, GEMMs, matvecs and chains, among them points that were skipped,
/// failed, were incorrect, lie above a roof, refute their prediction or were contended.
[[nodiscard]] Report sample_report();

/// The A100 of the seed (312 TFLOP/s bf16 dense, 2039 GB/s) and a workload placed on it.
[[nodiscard]] Explanation on_a100(const Workload& workload, const Observation& observation = {});

/// Any values that the types can hold, sensible or not: nothing but the report format binds them
/// together. The same for the same seed.
[[nodiscard]] Report random_report(std::uint64_t seed);

}  // namespace roofline::test
