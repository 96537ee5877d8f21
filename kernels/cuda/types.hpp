// Storage types that kernels and host share, in plain C++. How they convert is no matter of this
// header: dialect.cuh does it on the device, random_reference.hpp on the host.
#pragma once

#include <cstdint>

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

/// What fill kernels write. Values of `offset + i` depend on seed and index alone.
enum class Distribution : u32 {
  uniform = 0,  ///< [-1, 1); integers over their whole range
  normal = 1,   ///< mean 0, deviation 1; of int8 32, of int4 2, both clamped
  zeros = 2,
  ones = 3,
  scale = 4,  ///< [2^-8, 2^-7): positive, for the scales of quantised weights; integers: all 1
};

}  // namespace roofline::cuda
