// Two 16-bit values in a register, and the warp's matrix product over them.
#pragma once

#include "kernels/cuda/dialect.cuh"

namespace roofline::cuda::device {

template <class A>
inline constexpr bool kIsBf16 = false;
template <>
inline constexpr bool kIsBf16<Bf16> = true;

/// The lower (0) or upper (1) value of a pair.
template <class A>
ROOFLINE_DEVICE float of_pair(u32 pair, u32 which) {
  return widen(A{static_cast<std::uint16_t>(pair >> (16 * which))});
}

/// The device computes in A by itself: on pairs, and on matrices. Turing knows no bf16.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
template <class A>
inline constexpr bool kNative = !kIsBf16<A>;
#else
template <class A>
inline constexpr bool kNative = true;
#endif
#if defined(__CUDA_ARCH__)
template <class A>
inline constexpr bool kPairArithmetic = kNative<A>;
#else
template <class A>
inline constexpr bool kPairArithmetic = false;
#endif

/// x * y + z of both values, each rounded once.
template <class A>
ROOFLINE_DEVICE u32 fused_pairs(u32 x, u32 y, u32 z) {
  u32 out = 0;
  if constexpr (kPairArithmetic<A>) {
    if constexpr (kIsBf16<A>) {
      asm("fma.rn.bf16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(y), "r"(z));
    } else {
      asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(out) : "r"(x), "r"(y), "r"(z));
    }
  } else {
    // 16-bit factors: fp32 holds their product exactly.
    ROOFLINE_UNROLL
    for (u32 i = 0; i < 2; ++i) {
      A value;
      narrow(fused(of_pair<A>(x, i), of_pair<A>(y, i), of_pair<A>(z, i)), &value);
      out |= u32{value.bits} << (16 * i);
    }
  }
  return out;
}

/// Weights of one row as four pairs, and activations of one row.
struct Pairs {
  u32 pair[4];
};

// ---- the warp's product ----
// sum[16 x 8] += left[16 x 16] * right[16 x 8] over all lanes of a warp: mma.m16n8k16. With
// g = lane / 4 and t = lane % 4 a lane holds
//   left   pairs (row, k): 0 (g, 2t) 1 (g + 8, 2t) 2 (g, 2t + 8) 3 (g + 8, 2t + 8), k + 1 above k
//   right  pairs (k, column): 0 (2t, g) 1 (2t + 8, g)
//   sum    (row, column): 0 (g, 2t) 1 (g, 2t + 1) 2 (g + 8, 2t) 3 (g + 8, 2t + 1)
// (PTX ISA, matrix fragments for mma.m16n8k16.)

struct Left {
  u32 pair[4];
};
struct Right {
  u32 pair[2];
};

struct Fragments {
  u32 pair[6];
};
/// Four elements of a product.
struct Sum {
  float element[4];
};

/// Without matrix units: every lane lays its fragments open, and sums up its own four elements.
/// Only the first kColumns columns; the others keep their sums. A function of its own, as it stands
/// in the place of one instruction.
template <class A, u32 kColumns>
ROOFLINE_DEVICE_FUNCTION Sum multiply_add_openly(Sum sum, Left left, Right right) {
  // Of up to 16 warps.
  ROOFLINE_SHARED_ARRAY(Fragments, open, 16 * kWarp);
  const u32 lane = threadIdx.x % kWarp;
  Fragments* const warp = open + (threadIdx.x - lane);
  ROOFLINE_UNROLL
  for (u32 i = 0; i < 4; ++i) warp[lane].pair[i] = left.pair[i];
  ROOFLINE_UNROLL
  for (u32 i = 0; i < 2; ++i) warp[lane].pair[4 + i] = right.pair[i];
  __syncwarp();
  const u32 g = lane / 4;
  const u32 t = lane % 4;
  ROOFLINE_NO_UNROLL
  for (u32 pair = 0; pair < 8; ++pair) {
    // k = 2 * pair and the next: with lane pair % 4 of a row or column, in its lower or upper half.
    const Fragments& of_row = warp[4 * g + pair % 4];
    const u32 left_pairs[2] = {of_row.pair[pair / 4 * 2], of_row.pair[pair / 4 * 2 + 1]};
    ROOFLINE_UNROLL
    for (u32 i = 0; i < 2; ++i) {
      const u32 column = 2 * t + i;
      if (column >= kColumns) continue;
      const u32 right_pair = warp[4 * column + pair % 4].pair[4 + pair / 4];
      ROOFLINE_UNROLL
      for (u32 k = 0; k < 2; ++k) {
        const float y = of_pair<A>(right_pair, k);
        // Products of 16-bit values are exact, fused or not.
        sum.element[i] += of_pair<A>(left_pairs[0], k) * y;
        sum.element[2 + i] += of_pair<A>(left_pairs[1], k) * y;
      }
    }
  }
  __syncwarp();
  return sum;
}

/// All lanes of the warp come. Columns from kColumns on are not wanted; their `right` is zero.
template <class A, u32 kColumns>
ROOFLINE_DEVICE void multiply_add(Sum& sum, const Left& left, const Right& right) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define ROOFLINE_MMA(type)                                                                   \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." type "." type                        \
               ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"        \
               : "+f"(sum.element[0]), "+f"(sum.element[1]), "+f"(sum.element[2]),           \
                 "+f"(sum.element[3])                                                        \
               : "r"(left.pair[0]), "r"(left.pair[1]), "r"(left.pair[2]), "r"(left.pair[3]), \
                 "r"(right.pair[0]), "r"(right.pair[1]))
  if constexpr (kIsBf16<A>) {
    ROOFLINE_MMA("bf16");
  } else {
    ROOFLINE_MMA("f16");
  }
#undef ROOFLINE_MMA
#elif defined(__CUDA_ARCH__)
  if constexpr (kIsBf16<A>) {
    sum = multiply_add_openly<A, kColumns>(sum, left, right);
  } else {
    // Turing multiplies half of the depth at a time.
    ROOFLINE_UNROLL
    for (u32 half = 0; half < 2; ++half) {
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
          "{%0, %1, %2, %3};"
          : "+f"(sum.element[0]), "+f"(sum.element[1]), "+f"(sum.element[2]), "+f"(sum.element[3])
          : "r"(left.pair[2 * half]), "r"(left.pair[2 * half + 1]), "r"(right.pair[half]));
    }
  }
#else
  sum = multiply_add_openly<A, kColumns>(sum, left, right);
#endif
}

}  // namespace roofline::cuda::device
