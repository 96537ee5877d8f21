// Storage types that kernels and host share, in plain C++. How they convert is no matter of this
// header: half_bits.hpp does it bit by bit, dialect.cuh with the device's own instructions.
#pragma once

#include <cstdint>

// A function of plain arithmetic that host and device both call.
#ifdef __CUDACC__
#define ROOFLINE_ON_BOTH __host__ __device__
#else
#define ROOFLINE_ON_BOTH
#endif

namespace roofline::cuda {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

/// IEEE binary16, by its bits.
struct Half {
  std::uint16_t bits;
};

/// The upper half of a binary32, by its bits.
struct Bf16 {
  std::uint16_t bits;
};

/// A binary32 whose 13 lowest bits are zero, by its bits.
struct Tf32 {
  std::uint32_t bits;
};

/// Floating point of 8 bits, by its bits: 4 of exponent and 3 of fraction, 5 and 2.
struct Fp8E4m3 {
  unsigned char bits;
};
struct Fp8E5m2 {
  unsigned char bits;
};

/// What fill kernels write. Values depend on seed and index alone.
enum class Distribution : u32 {
  uniform = 0,  ///< [-1, 1); integers over their whole range, int32 over 24 bits of it
  normal = 1,   ///< mean 0, deviation 1; of integers a quarter of their range's half, clamped
  zeros = 2,
  ones = 3,
  scale = 4,     ///< [2^-8, 2^-7): positive, for the scales of quantised weights; integers: all 1
  integers = 5,  ///< whole numbers from -3 to 3, which every type holds
};

}  // namespace roofline::cuda
