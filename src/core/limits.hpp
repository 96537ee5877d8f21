// The two figures of a set of roofs that an account can really be held against. Internal to the
// core.
#pragma once

#include <cmath>
#include <optional>

#include "roofline/account.hpp"
#include "roofline/roof.hpp"

namespace roofline {

template <int F, int B, int S>
[[nodiscard]] bool usable(Quantity<F, B, S> value) {
  return std::isfinite(value.si()) && value.si() > 0;
}

struct Limits {
  std::optional<Performance> peak;
  std::optional<Bandwidth> bandwidth;
};

/// A roof of zero (what some drivers report for "unknown") or without a finite figure is no roof,
/// and neither is the bandwidth of another boundary than the one the bytes were counted at.
[[nodiscard]] inline Limits limits_of(const Account& account, const Roofs& roofs) {
  Limits out;
  if (roofs.compute && usable(roofs.compute->peak)) out.peak = roofs.compute->peak;
  if (roofs.memory && usable(roofs.memory->bandwidth) &&
      roofs.memory->boundary == account.boundary) {
    out.bandwidth = roofs.memory->bandwidth;
  }
  return out;
}

}  // namespace roofline
