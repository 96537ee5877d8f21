// CUDA's dialect for the emulator: what a kernel finds in place of <cuda_runtime.h> when a host
// compiler builds it. Include it before any other header of the toolkit. Collectives are stricter
// than the hardware: a thread that has left may be waited for by nobody.
#pragma once

#include <vector_functions.h>  // uint4, float4, dim3, make_*; the toolkit's, harmless on a host

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "simt/memory.hpp"

// The dialect's own names are reserved ones.
// NOLINTBEGIN(bugprone-reserved-identifier, bugprone-macro-parentheses)
#undef __global__
#undef __device__
#undef __host__
#undef __constant__
#undef __shared__
#undef __launch_bounds__
#undef __forceinline__
#undef __noinline__
#define __global__
#define __device__
#define __host__
#define __constant__
// One block at a time on each thread of the host. Such a variable keeps its value from block to
// block, and its bounds are the type's alone: SIMT_SHARED_ARRAY sees more faults.
#define __shared__ static thread_local
#define __launch_bounds__(...)
#define __forceinline__ inline
#define __noinline__
// NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses)

namespace simt {

/// The built-in variables of one CUDA thread.
struct Builtins {
  uint3 thread;
  uint3 block;
  dim3 block_extent;
  dim3 grid_extent;
  unsigned lane;
};

// Not std::thread's: the CUDA thread that is running now. Initial-exec: without a call for each
// use, in a shared library too.
[[gnu::tls_model("initial-exec")]] extern constinit thread_local const Builtins* current;

/// Where in the kernel; for messages.
struct Site {
  const char* file;
  int line;
};

enum class Collective : std::uint8_t {
  syncwarp,
  shuffle,
  shuffle_up,
  shuffle_down,
  shuffle_xor,
  vote
};

/// __syncthreads.
void meet_block(Site site);
/// Waits for the lanes of `mask`. A vote returns the lanes whose value is not 0, a shuffle the
/// value of lane `source`, __syncwarp nothing. Only __syncwarp orders memory, as on the device.
std::uint64_t meet_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned source,
                        Site site);

/// Called by every load and store of global memory. Throws Error for an address that is misaligned
/// or not of Launch::memory. `counted`: part of Stats, as what DRAM delivers.
void touch(const void* address, std::size_t bytes, std::size_t alignment, Access access,
           bool counted = true);

/// 16-byte aligned, Launch::shared bytes; all ones (a NaN of every type) when a block begins.
void* dynamic_shared();
/// The array of the block that `key` stands for: what SIMT_SHARED_ARRAY declares.
void* shared_array(const void* key, std::size_t bytes);

std::uint64_t device_cycles();
std::uint64_t device_nanoseconds();

template <class T>
T load(const T* p) {
  touch(p, sizeof(T), alignof(T), Access::load);
  return *p;
}

template <class T>
void store(T* p, T value) {
  touch(p, sizeof(T), alignof(T), Access::store);
  *p = value;
}

template <class T>
T shuffle(Collective kind, unsigned mask, T value, unsigned source, Site site) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof(T));
  bits = meet_warp(kind, mask, bits, source, site);
  std::memcpy(&value, &bits, sizeof(T));
  return value;
}

}  // namespace simt

// NOLINTBEGIN(bugprone-reserved-identifier, bugprone-macro-parentheses)
#define threadIdx (simt::current->thread)
#define blockIdx (simt::current->block)
#define blockDim (simt::current->block_extent)
#define gridDim (simt::current->grid_extent)
#define warpSize 32

/// In place of `__shared__ type name[count]`; as dynamic_shared(), and it ends where it ends.
#define SIMT_SHARED_ARRAY(type, name, count) \
  static const char name##_key = 0;          \
  auto* const name = static_cast<type*>(simt::shared_array(&name##_key, sizeof(type) * (count)))

#define SIMT_SITE const char *file = __builtin_FILE(), int line = __builtin_LINE()

inline void __syncthreads(SIMT_SITE) { simt::meet_block({file, line}); }
inline void __syncwarp(unsigned mask = ~0U, SIMT_SITE) {
  simt::meet_warp(simt::Collective::syncwarp, mask, 0, 0, {file, line});
}

// `width` splits the warp into segments of a power of two; a source outside of the segment is the
// lane itself, and an index wraps. (CUDA programming guide, warp shuffle functions.)
template <class T>
T __shfl_sync(unsigned mask, T value, int source, int width = 32, SIMT_SITE) {
  const unsigned in_segment = static_cast<unsigned>(width) - 1;
  const unsigned from =
      (simt::current->lane & ~in_segment) | (static_cast<unsigned>(source) & in_segment);
  return simt::shuffle(simt::Collective::shuffle, mask, value, from, {file, line});
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_SITE) {
  const unsigned lane = simt::current->lane;
  const unsigned from = (lane & (static_cast<unsigned>(width) - 1)) >= delta ? lane - delta : lane;
  return simt::shuffle(simt::Collective::shuffle_up, mask, value, from, {file, line});
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32, SIMT_SITE) {
  const unsigned lane = simt::current->lane;
  const auto segment = static_cast<unsigned>(width);
  const unsigned from = (lane & (segment - 1)) + delta < segment ? lane + delta : lane;
  return simt::shuffle(simt::Collective::shuffle_down, mask, value, from, {file, line});
}
// The one that may read an earlier segment, but no later one.
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32, SIMT_SITE) {
  const unsigned lane = simt::current->lane;
  const unsigned segment_end = lane | (static_cast<unsigned>(width) - 1);
  const unsigned other = lane ^ static_cast<unsigned>(lane_mask);
  const unsigned from = other <= segment_end ? other : lane;
  return simt::shuffle(simt::Collective::shuffle_xor, mask, value, from, {file, line});
}

inline unsigned __ballot_sync(unsigned mask, int predicate, SIMT_SITE) {
  const std::uint64_t value = predicate != 0 ? 1 : 0;
  return static_cast<unsigned>(
      simt::meet_warp(simt::Collective::vote, mask, value, 0, {file, line}));
}
inline int __any_sync(unsigned mask, int predicate, SIMT_SITE) {
  return __ballot_sync(mask, predicate, file, line) != 0 ? 1 : 0;
}
inline int __all_sync(unsigned mask, int predicate, SIMT_SITE) {
  return __ballot_sync(mask, predicate, file, line) == mask ? 1 : 0;
}

// The cache hints make no difference here.
template <class T>
T __ldg(const T* p) {
  return simt::load(p);
}
template <class T>
T __ldcs(const T* p) {
  return simt::load(p);
}
template <class T>
T __ldcg(const T* p) {
  return simt::load(p);
}
template <class T>
void __stcs(T* p, T value) {
  simt::store(p, value);
}
template <class T>
void __stcg(T* p, T value) {
  simt::store(p, value);
}

inline long long clock64() { return static_cast<long long>(simt::device_cycles()); }
inline void __nanosleep(unsigned) {}
// NOLINTEND(bugprone-reserved-identifier, bugprone-macro-parentheses)
