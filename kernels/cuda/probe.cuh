// Kernels that move no data: what a launch costs, waiting on the device, its clock, and arithmetic
// in registers.
#pragma once

#include "kernels/cuda/packed.cuh"

namespace roofline::cuda::device {

ROOFLINE_DEVICE void empty() {}

ROOFLINE_DEVICE void spin(u64 nanoseconds) {
  const u64 begin = device_nanoseconds();
  while (device_nanoseconds() - begin < nanoseconds) {
  }
}

/// One thread. The nanosecond timer may step by a microsecond, so both ends are taken where it has
/// just stepped.
ROOFLINE_DEVICE void clock_sample(u64* out, u64 nanoseconds) {
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  const u64 before = device_nanoseconds();
  u64 begin = before;
  while (begin == before) begin = device_nanoseconds();
  const u64 begin_cycles = device_cycles();
  u64 end = begin;
  while (end - begin < nanoseconds || end == begin) end = device_nanoseconds();
  const u64 end_cycles = device_cycles();
  store_uncounted(out, end_cycles - begin_cycles);
  store_uncounted(out + 1, end - begin);
}

inline constexpr u32 kPeakChains = 8;   ///< independent: an FMA takes four cycles or more
inline constexpr u32 kPeakUnroll = 16;  ///< of each chain, per iteration

/// A register of one (fp32, fp64) or two (fp16, bf16) values, and its FMA.
template <class T>
struct PeakRegister {
  T value;
  ROOFLINE_DEVICE static PeakRegister of(float value) { return {static_cast<T>(value)}; }
  ROOFLINE_DEVICE PeakRegister step(PeakRegister factor, PeakRegister summand) const {
    return {fused(value, factor.value, summand.value)};
  }
  ROOFLINE_DEVICE T first() const { return value; }
};
template <class T>
requires(sizeof(T) == 2) struct PeakRegister<T> {
  u32 pair;
  ROOFLINE_DEVICE static PeakRegister of(float value) {
    T narrowed;
    narrow(value, &narrowed);
    return {u32{narrowed.bits} << 16 | narrowed.bits};
  }
  ROOFLINE_DEVICE PeakRegister step(PeakRegister factor, PeakRegister summand) const {
    return {fused_pairs<T>(pair, factor.pair, summand.pair)};
  }
  ROOFLINE_DEVICE T first() const { return {static_cast<std::uint16_t>(pair)}; }
};

/// out[thread of the grid] = a value that depends on every FMA. x = 0.5 x + seed tends to 2 seed,
/// so nothing overflows or vanishes.
template <class T, class Seed>
ROOFLINE_DEVICE void peak(T* out, Seed seed, u32 iterations) {
  using Register = PeakRegister<T>;
  const Register factor = Register::of(0.5F);
  const Register summand = Register::of(static_cast<float>(seed));
  Register chain[kPeakChains];
  ROOFLINE_UNROLL
  for (u32 c = 0; c < kPeakChains; ++c) {
    chain[c] = Register::of(static_cast<float>(seed) * static_cast<float>(threadIdx.x % 8 + c));
  }
  ROOFLINE_NO_UNROLL
  for (u32 iteration = 0; iteration < iterations; ++iteration) {
    ROOFLINE_UNROLL
    for (u32 u = 0; u < kPeakUnroll; ++u) {
      ROOFLINE_UNROLL
      for (Register& x : chain) x = x.step(factor, summand);
    }
  }
  Register sum = chain[0];
  ROOFLINE_UNROLL
  for (u32 c = 1; c < kPeakChains; ++c) sum = sum.step(factor, chain[c]);
  store_uncounted(out + u64{blockIdx.x} * blockDim.x + threadIdx.x, sum.first());
}

}  // namespace roofline::cuda::device
