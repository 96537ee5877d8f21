// Arithmetic on registers alone, at the highest rate the execution units allow: 24 (12 with 16
// registers) independent accumulators in one assembly block. Compilers fold, spill or drop such
// chains and the result looks plausible, so no instruction here is left to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace roofline::cpu {

enum class PeakElement { f64, f32, bf16, int8 };
enum class PeakExtension { fma, avx_vnni, avx512f, avx512_bf16, avx512_vnni };

/// Registers before and after. Each loop adds x * even to every accumulator, then x * odd; for bf16
/// and int8 the product is the sum over the pair or quadruple of each 32-bit lane, and int8 has x
/// unsigned.
struct alignas(64) PeakState {
  static constexpr std::size_t kMostAccumulators = 24;
  std::byte accumulators[kMostAccumulators * 64];
  std::byte x[64];
  std::byte even[64];
  std::byte odd[64];
};

struct PeakKernel {
  PeakElement element;
  PeakExtension needs;
  const char* instruction;
  std::size_t vector_bytes;
  std::size_t accumulators;      ///< each `vector_bytes` apart in PeakState
  std::uint64_t flops_per_loop;  ///< multiply and add counted as 2
  double ideal_flops_per_cycle;  ///< of a core with two such units: the convention of datasheets
  void (*run)(std::uint64_t loops, PeakState& state);  ///< loops >= 1
};

/// Widest first for each element; empty where there is no assembly for this architecture.
[[nodiscard]] std::span<const PeakKernel> peak_kernels();

}  // namespace roofline::cpu
