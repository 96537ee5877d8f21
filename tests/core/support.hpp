// What the tests of the core share: roofs from two figures, relative comparison, the sentence of a
// refusal.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>

#include "roofline/error.hpp"
#include "roofline/placement.hpp"

namespace roofline::test {

/// `tolerance` is relative, as the tables of worked numbers give it.
inline ::testing::AssertionResult near(double actual, double expected, double tolerance) {
  if (std::isfinite(actual) && std::abs(actual - expected) <= tolerance * std::abs(expected)) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure()
         << actual << " is not within " << tolerance * 100 << " % of " << expected;
}

inline Roofs compute_only(Performance peak, Origin origin = Origin::datasheet,
                          PeakKey key = PeakKey::bf16) {
  Roofs out;
  out.compute = ComputeRoof{peak, key, Sparsity::dense, origin, "stated by the test"};
  return out;
}

inline Roofs memory_only(Bandwidth bandwidth, Origin origin = Origin::datasheet) {
  Roofs out;
  out.memory = MemoryRoof{bandwidth, Boundary::dram, origin, "stated by the test"};
  return out;
}

inline Roofs both(Performance peak, Bandwidth bandwidth, Origin origin = Origin::datasheet) {
  Roofs out = compute_only(peak, origin);
  out.memory = memory_only(bandwidth, origin).memory;
  return out;
}

/// Peak and bandwidth that the worked numbers state for an A100 80 GB SXM in bf16.
inline Roofs a100() { return both(tflop_per_s(312), gb_per_s(2039)); }

/// The sentence that `action` is refused with; empty, and a failure, when it is not refused.
template <class Action>
std::string refusal(Action&& action) {
  try {
    std::forward<Action>(action)();
  } catch (const InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace roofline::test
