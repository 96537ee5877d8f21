// Random operands of any type that the CPU multiplies, and any one of their elements again, as a
// double, for a reference.
#pragma once

#include <cstdint>

#include "backend/cpu/context.hpp"
#include "roofline/dtype.hpp"

namespace roofline::cpu {

/// Where the values of an array come from. Bytes that are multiplied unsigned keep to seven bits.
struct RandomSource {
  DType dtype;
  std::uint64_t seed;
  bool unsigned_bytes = false;
};

/// Elements `first` .. `first + n` of the source, in parts filled by the team.
[[nodiscard]] Buffer random_array(Context& context, const RandomSource& source, std::uint64_t first,
                                  std::uint64_t n);

[[nodiscard]] double random_element(const RandomSource& source, std::uint64_t index);

}  // namespace roofline::cpu
