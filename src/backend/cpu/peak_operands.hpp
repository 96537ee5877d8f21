// Operands of the peak chains, chosen so that every sum is exact and known in advance.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/cpu/verify.hpp"
#include "kernels/cpu/peak.hpp"
#include "roofline/dtype.hpp"

namespace roofline::cpu {

enum class PeakOperands {
  counting,    ///< every pass adds 2^-13 (integers: 1), so that the sums tell how many there were
  cancelling,  ///< random full mantissas; odd passes take away what even ones add, however many
};

void fill_peak_state(PeakState& state, const PeakKernel& kernel, PeakOperands operands);

/// Every lane of every accumulator after `loops` loops from what fill_peak_state() laid down.
/// `first` numbers the lanes in the comparison.
[[nodiscard]] Comparison check_peak_state(const PeakState& state, const PeakKernel& kernel,
                                          PeakOperands operands, std::uint64_t loops,
                                          std::uint64_t first);

/// Lanes of all accumulators together.
[[nodiscard]] std::size_t peak_lanes(const PeakKernel& kernel);

}  // namespace roofline::cpu
