// Operands of any type that the CPU multiplies, and any one of their elements again, as a double,
// for a reference.
#pragma once

#include <cstdint>

#include "backend/cpu/context.hpp"
#include "roofline/dtype.hpp"
#include "roofline/workload.hpp"

namespace roofline::cpu {

/// Where the values of an array come from. Bytes that are multiplied unsigned are never negative,
/// and random ones keep to seven bits.
struct OperandSource {
  DType dtype;
  std::uint64_t seed;
  bool unsigned_bytes = false;
  DataPattern data = DataPattern::random;
};

/// Elements `first` .. `first + n` of the source, in parts filled by the team.
[[nodiscard]] Buffer operand_array(Context& context, const OperandSource& source,
                                   std::uint64_t first, std::uint64_t n);

[[nodiscard]] double operand_element(const OperandSource& source, std::uint64_t index);

}  // namespace roofline::cpu
