// Passes over arrays, in the words of STREAM.
//
// A block moves tiles of blockDim * kUnroll packs of 16 bytes that lie together, one tile after the
// other a whole grid further on, so that all blocks together sweep over one front of memory. Each
// thread issues all loads of its tile before it uses the first.
//
// Bytes in flight per SM (Little's law: bandwidth * latency): an H200 needs 4.8 TB/s / 132 SMs =
// 36 B/ns, at 700 to 900 ns under load 26 to 33 KB; NVIDIA's CUB plans with 48 KiB there, 16 KiB on
// an A100 and 64 KiB on a B200 (its tuning of DeviceTransform). 2048 threads per SM with kUnroll =
// 2 and one array have 2048 * 2 * 16 B = 64 KiB in flight; so have 1024 threads with 4, 512 with 8.
#pragma once

#include "kernels/cuda/dialect.cuh"

namespace roofline::cuda::device {

enum class Mix { read, write, copy, scale, add, triad, update };

[[nodiscard]] ROOFLINE_ON_BOTH constexpr bool reads_b(Mix mix) {
  return mix != Mix::write && mix != Mix::update;
}
[[nodiscard]] ROOFLINE_ON_BOTH constexpr bool reads_c(Mix mix) {
  return mix == Mix::add || mix == Mix::triad;
}

template <Mix mix, class T>
ROOFLINE_DEVICE T mixed(T s, T b, T c) {
  if constexpr (mix == Mix::write) return s;
  if constexpr (mix == Mix::copy) return b;
  if constexpr (mix == Mix::scale || mix == Mix::update) return s * b;
  if constexpr (mix == Mix::add) return b + c;
  return fused(s, c, b);
}

template <Mix mix, class T>
ROOFLINE_DEVICE uint4 mixed_pack(T s, uint4 b, uint4 c) {
  const auto left = bits_as<Pack<T>>(b);
  const auto right = bits_as<Pack<T>>(c);
  Pack<T> out;
  ROOFLINE_UNROLL
  for (u32 lane = 0; lane < Pack<T>::kLanes; ++lane) {
    out.v[lane] = mixed<mix>(s, left.v[lane], right.v[lane]);
  }
  return bits_as<uint4>(out);
}

/// The two 64-bit words of a pack.
ROOFLINE_DEVICE u64 words_of(uint4 pack) {
  return (u64{pack.y} << 32 | pack.x) + (u64{pack.w} << 32 | pack.z);
}

/// What one thread does with packs that are `step` apart, `kCount` of them.
template <Mix mix, class T, u32 kCount, Hint hint>
ROOFLINE_DEVICE void move_packs(uint4* a, const uint4* b, const uint4* c, T s, u32 step,
                                u64& checksum) {
  uint4 left[kCount] = {};
  uint4 right[kCount] = {};
  ROOFLINE_UNROLL
  for (u32 u = 0; u < kCount; ++u) {
    if constexpr (reads_b(mix)) left[u] = load128<hint>(b + u * step);
    if constexpr (mix == Mix::update) left[u] = load128<hint>(a + u * step);
    if constexpr (reads_c(mix)) right[u] = load128<hint>(c + u * step);
  }
  ROOFLINE_UNROLL
  for (u32 u = 0; u < kCount; ++u) {
    if constexpr (mix == Mix::read) {
      checksum += words_of(left[u]);
    } else {
      store128<hint>(a + u * step, mixed_pack<mix, T>(s, left[u], right[u]));
    }
  }
}

/// The last elements, fewer than a pack holds.
template <Mix mix, class T>
ROOFLINE_DEVICE void move_element(T* a, const T* b, const T* c, T s, u64 i, u64& checksum) {
  if constexpr (mix == Mix::read) {
    // As a part of its 64-bit word.
    if constexpr (sizeof(T) == 8) {
      checksum += bits_as<u64>(load(b + i));
    } else {
      checksum += u64{bits_as<u32>(load(b + i))} << (i % 2 * 32);
    }
  } else {
    T left{};
    T right{};
    if constexpr (reads_b(mix)) left = load(b + i);
    if constexpr (mix == Mix::update) left = load(a + i);
    if constexpr (reads_c(mix)) right = load(c + i);
    store(a + i, mixed<mix>(s, left, right));
  }
}

/// Adds up over the block; the first thread has the sum. All threads come.
ROOFLINE_DEVICE u64 block_sum(u64 value) {
  ROOFLINE_SHARED_ARRAY(u64, of_warps, kWarp);
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(kAllLanes, value, distance);
  }
  if (threadIdx.x % kWarp == 0) of_warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  u64 sum = 0;
  if (threadIdx.x == 0) {
    for (u32 warp = 0; warp < blockDim.x / kWarp; ++warp) sum += of_warps[warp];
  }
  return sum;
}

/// blockDim.x is a multiple of 32; any gridDim.x. What each parameter is: kernels.def.
template <Mix mix, class T, u32 kUnroll, Hint hint>
ROOFLINE_DEVICE void stream(T* a, const T* b, const T* c, T s, u64 n, u32 passes, u64* sums) {
  constexpr u32 kLanes = Pack<T>::kLanes;
  const u64 packs = n / kLanes;
  const u32 step = blockDim.x;
  const u64 tile = u64{step} * kUnroll;
  const u64 stride = tile * gridDim.x;
  const u64 first = blockIdx.x * tile + threadIdx.x;
  const u64 whole_tile = u64{step} * (kUnroll - 1);  // from a thread's first pack to its last
  auto* const to = reinterpret_cast<uint4*>(a);
  const auto* const left = reinterpret_cast<const uint4*>(b);
  const auto* const right = reinterpret_cast<const uint4*>(c);
  u64 checksum = 0;
  ROOFLINE_NO_UNROLL
  for (u32 pass = 0; pass < passes; ++pass) {
    u64 i = first;
    ROOFLINE_NO_UNROLL
    for (; i + whole_tile < packs; i += stride) {
      move_packs<mix, T, kUnroll, hint>(to + i, left + i, right + i, s, step, checksum);
    }
    // Only the last tile can be incomplete.
    ROOFLINE_NO_UNROLL
    for (; i < packs; i += step) {
      move_packs<mix, T, 1, hint>(to + i, left + i, right + i, s, step, checksum);
    }
    if (blockIdx.x == 0 && threadIdx.x < n % kLanes) {
      move_element<mix>(a, b, c, s, packs * kLanes + threadIdx.x, checksum);
    }
  }
  if constexpr (mix == Mix::read) {
    const u64 sum = block_sum(checksum);
    if (threadIdx.x == 0) store_uncounted(sums + blockIdx.x, sum);
  }
}

}  // namespace roofline::cuda::device
