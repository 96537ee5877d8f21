// Weights as they are stored, 16 bytes at a time, and as the matrix product wants them: pairs of
// the activation's type. Integers become floating point by their bits, without a conversion: under
// the exponent of 2^10 (fp16) or 2^7 (bf16) an integer is the last places of a significand.
//
// The pairs come in the order of kOrder, not of d_in; activations are laid out in the same order.
#pragma once

#include <type_traits>

#include "kernels/cuda/packed.cuh"

namespace roofline::cuda::device {

enum class Weight { bf16, fp16, int8, int4 };

[[nodiscard]] ROOFLINE_ON_BOTH constexpr u32 bits_of(Weight weight) {
  return weight == Weight::int4 ? 4 : weight == Weight::int8 ? 8 : 16;
}

/// Which of 8 neighbouring weights comes at place `at`.
template <Weight weight>
[[nodiscard]] ROOFLINE_ON_BOTH constexpr u32 order(u32 at) {
  if constexpr (weight == Weight::int4) return at / 2 + at % 2 * 4;  // 0 4 1 5 2 6 3 7
  if constexpr (weight == Weight::int8) return at / 4 * 4 + at % 4 / 2 + at % 2 * 2;  // 0 2 1 3 ..
  return at;
}

/// (q & mask) | bits and (q & mask) ^ bits. One instruction each where the compiler, which prefers
/// constants inside of instructions to registers, would take two.
ROOFLINE_DEVICE u32 masked_or(u32 q, u32 mask, u32 bits) {
#if defined(__CUDA_ARCH__)
  u32 out;
  asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(out) : "r"(q), "r"(mask), "r"(bits));
  return out;
#else
  return (q & mask) | bits;
#endif
}
ROOFLINE_DEVICE u32 masked_xor(u32 q, u32 mask, u32 bits) {
#if defined(__CUDA_ARCH__)
  u32 out;
  asm("lop3.b32 %0, %1, %2, %3, 0x6a;" : "=r"(out) : "r"(q), "r"(mask), "r"(bits));
  return out;
#else
  return (q & mask) ^ bits;
#endif
}

/// Bytes 0 and 2 of a word, signed.
template <class A>
ROOFLINE_DEVICE u32 expand_bytes(u32 q) {
  if constexpr (kIsBf16<A>) {
    // 128 + the lower 7 bits, less 128, or 256 where the sign is set.
    const u32 lower = masked_or(q, 0x007f007fU, 0x43004300U);
    const u32 sign = masked_or(q, 0x00800080U, 0x43004300U);
    return fused_pairs<A>(sign, 0xbf80bf80U, lower);
  }
  // 1024 + 128 + value, less 1152.
  return fused_pairs<A>(masked_xor(q, 0x00ff00ffU, 0x64806480U), 0x3c003c00U, 0xe480e480U);
}

/// Nibbles 0 and 4 of a word, less 8.
template <class A>
ROOFLINE_DEVICE u32 expand_nibbles(u32 q) {
  if constexpr (kIsBf16<A>) {
    return fused_pairs<A>(masked_or(q, 0x000f000fU, 0x43004300U), 0x3f803f80U,
                          0xc308c308U);  // - 136
  }
  return fused_pairs<A>(masked_or(q, 0x000f000fU, 0x64006400U), 0x3c003c00U,
                        0xe408e408U);  // - 1032
}

/// Nibbles 1 and 5, less 8.
template <class A>
ROOFLINE_DEVICE u32 expand_next_nibbles(u32 q) {
  if constexpr (kIsBf16<A>) return expand_nibbles<A>(q >> 4);
  // (1024 + 16 * value) / 16, less 72: no shift.
  return fused_pairs<A>(masked_or(q, 0x00f000f0U, 0x64006400U), 0x2c002c00U, 0xd480d480U);
}

/// Eight weights, number `part` of the 16 bytes, as pairs in the order of order().
template <Weight weight, class A>
ROOFLINE_DEVICE Pairs expand(const uint4& q, u32 part) {
  if constexpr (weight == Weight::int8) {
    const u32 low = part == 0 ? q.x : q.z;
    const u32 high = part == 0 ? q.y : q.w;
    return {{expand_bytes<A>(low), expand_bytes<A>(low >> 8), expand_bytes<A>(high),
             expand_bytes<A>(high >> 8)}};
  }
  if constexpr (weight == Weight::int4) {
    const u32 word = part == 0 ? q.x : part == 1 ? q.y : part == 2 ? q.z : q.w;
    return {{expand_nibbles<A>(word), expand_next_nibbles<A>(word), expand_nibbles<A>(word >> 8),
             expand_next_nibbles<A>(word >> 8)}};
  }
  return {{q.x, q.y, q.z, q.w}};
}

/// 16 bytes of a row of which only the first `count` weights exist, from any address; the rest is
/// zero bits, whose product with activations of zero is zero.
template <Weight weight>
ROOFLINE_DEVICE uint4 load_singly(const unsigned char* p, u32 count) {
  using Element = std::conditional_t<bits_of(weight) == 16, std::uint16_t, unsigned char>;
  constexpr u32 kBits = 8 * sizeof(Element);
  constexpr u32 kElements = 16 / sizeof(Element);
  const u32 existing = count * bits_of(weight) / kBits;
  uint4 q = {};
  // From the last to the first, each pushing the others up: indices that are not constant would
  // need memory.
  ROOFLINE_NO_UNROLL
  for (u32 i = existing < kElements ? existing : kElements; i > 0; --i) {
    q.w = q.w << kBits | q.z >> (32 - kBits);
    q.z = q.z << kBits | q.y >> (32 - kBits);
    q.y = q.y << kBits | q.x >> (32 - kBits);
    q.x = q.x << kBits | load(reinterpret_cast<const Element*>(p) + (i - 1));
  }
  return q;
}

}  // namespace roofline::cuda::device
