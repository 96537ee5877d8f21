// How large arrays must be to lie in DRAM, how often operands are rotated, how many threads there
// is room for: plain arithmetic on what the host module found.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace roofline::cpu {

/// A DRAM array exceeds the last-level caches used by this factor: at 4 times, 10 to 20 % of the
/// reads still hit.
inline constexpr std::uint64_t kCacheFactor = 8;

/// What every DRAM array should hold at least. Where no cache size is known, 256 MiB: 8 x 32 MiB.
[[nodiscard]] std::uint64_t dram_bytes(std::optional<std::uint64_t> last_level_bytes);

/// Bytes of each of `arrays` arrays: what dram_bytes() asks for, or what the budget has room for. A
/// multiple of 64.
[[nodiscard]] std::uint64_t stream_array_bytes(std::uint64_t wanted, std::uint64_t arrays,
                                               std::uint64_t budget);

/// Copies of an operand of `bytes` that together exceed the caches `wanted` times, as memory
/// allows; at least 1. `fixed`: what the workload takes besides.
[[nodiscard]] std::uint64_t rotation_copies(std::uint64_t bytes, std::uint64_t wanted,
                                            std::uint64_t fixed, std::uint64_t budget);

struct ThreadChoice {
  std::vector<unsigned> cpus;  ///< one for each thread
  std::string
      limited_by;  ///< `affinity mask`, `control group CPU quota`; empty when nothing was cut
  bool shares_cores = false;  ///< two threads on hardware threads of one core
};
/// `requested` 0: one thread per core. `cores` and `spare` as of host::usable_cores().
[[nodiscard]] ThreadChoice choose_threads(unsigned requested, const std::vector<unsigned>& cores,
                                          const std::vector<unsigned>& spare,
                                          std::optional<double> quota_cpus);

/// FLOP/s by the convention of datasheets: cores x lanes x units x 2 x clock.
[[nodiscard]] double ideal_flop_per_s(unsigned cores, double flops_per_cycle, double clock_hz);

/// n of the largest n x n x n product (or n x n matrix, by `bytes_of(n)`) within the budget; 0 when
/// not even 1 fits.
template <class BytesOf>
[[nodiscard]] std::uint64_t largest_within(double budget, BytesOf&& bytes_of) {
  std::uint64_t low = 0;
  std::uint64_t high = std::uint64_t{1} << 32;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (bytes_of(static_cast<double>(middle)) <= budget ? low : high) = middle;
  }
  return low;
}

}  // namespace roofline::cpu
