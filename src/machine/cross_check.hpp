// Recomputes what a datasheet prints: SMs x FLOP/clock/SM x clock for each peak, bus x rate for the
// bandwidth, sparse / dense for sparsity. Judges nothing; who reads the rows decides what a
// difference means.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "machine/accelerator.hpp"

namespace roofline::machine {

struct CrossCheck {
  std::string field;               ///< `dense.bf16`, `sparse.fp4`, `memory.bandwidth`
  double catalogue = 0;            ///< FLOP/s or byte/s; for sparse the ratio to dense
  std::optional<double> computed;  ///< same unit; for sparse 2
  std::string not_computed;        ///< what is missing, when it cannot be
  std::string stated_reason;       ///< from the file's cross_check_exceptions

  /// (catalogue - computed) / computed; nothing where it cannot be computed.
  [[nodiscard]] std::optional<double> difference() const;
};

/// One row per figure that is present.
[[nodiscard]] std::vector<CrossCheck> cross_check(const Accelerator& accelerator);

}  // namespace roofline::machine
