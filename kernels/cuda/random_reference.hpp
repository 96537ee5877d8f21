// The elements that the fill kernels write, computed on the host: any element on its own, from its
// seed and place. Bits are the device's but for `normal`, whose logarithm and sines may differ in
// the last place.
#pragma once

#include "kernels/cuda/fp8_bits.hpp"
#include "kernels/cuda/half_bits.hpp"

namespace roofline::cuda {

/// Element `index` of the stream `seed`, as its type stores it.
[[nodiscard]] double random_fp64(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] float random_fp32(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] Half random_fp16(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] Bf16 random_bf16(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] Tf32 random_tf32(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] Fp8E4m3 random_e4m3(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] Fp8E5m2 random_e5m2(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] std::int32_t random_int32(u64 seed, u64 index, Distribution distribution);
[[nodiscard]] std::int8_t random_int8(u64 seed, u64 index, Distribution distribution);
/// The value, -8 .. 7; its nibble is the value + 8.
[[nodiscard]] std::int8_t random_int4(u64 seed, u64 index, Distribution distribution);

}  // namespace roofline::cuda
