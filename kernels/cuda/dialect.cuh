// The only file that knows nvcc from the emulator (ROOFLINE_SIMT). Kernels write in its words:
// global memory through 128-bit and single-element functions, which the emulator counts, warps
// through shuffles and one matrix product. Inline PTX stands behind __CUDA_ARCH__.
#pragma once

#ifdef ROOFLINE_SIMT
#include "simt/simt.hpp"
//
#include <cmath>

#include "kernels/cuda/half_bits.hpp"
#define ROOFLINE_DYNAMIC_SHARED(name) \
  unsigned char* const name = static_cast<unsigned char*>(simt::dynamic_shared())
#define ROOFLINE_SHARED_ARRAY(type, name, count) SIMT_SHARED_ARRAY(type, name, count)
#define ROOFLINE_UNROLL
#define ROOFLINE_NO_UNROLL
#else
#include <cuda_runtime.h>
#define ROOFLINE_DYNAMIC_SHARED(name) extern __shared__ __align__(16) unsigned char name[]
#define ROOFLINE_SHARED_ARRAY(type, name, count) __shared__ type name[count]
#define ROOFLINE_UNROLL _Pragma("unroll")
#define ROOFLINE_NO_UNROLL _Pragma("unroll 1")
#endif

#include <cstring>

#include "kernels/cuda/types.hpp"

#define ROOFLINE_DEVICE __device__ __forceinline__
#define ROOFLINE_DEVICE_FUNCTION __device__ __noinline__

namespace roofline::cuda::device {

/// plain: cached as usual. cs: evicted first, for what is used once. cg: L2 only, so that a second
/// pass measures L2 and not L1. (PTX ISA, cache operators.)
enum class Hint { plain, cs, cg };

inline constexpr u32 kWarp = 32;
inline constexpr u32 kAllLanes = 0xffffffffU;

template <class To, class From>
ROOFLINE_DEVICE To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof(To));
  return to;
}

/// 16 bytes as values.
template <class T>
struct alignas(16) Pack {
  static constexpr u32 kLanes = 16 / sizeof(T);
  T v[kLanes];
};

// ---- global memory ----
// Loads and stores of counted traffic. On the device they are volatile to the compiler, which so
// can neither drop nor merge the passes over one array.

#if defined(__CUDA_ARCH__)
#define ROOFLINE_LOAD(op, p, out)                                           \
  asm volatile("ld.global" op ".v4.u32 {%0, %1, %2, %3}, [%4];"             \
               : "=r"((out).x), "=r"((out).y), "=r"((out).z), "=r"((out).w) \
               : "l"(p))
#define ROOFLINE_STORE(op, p, in)                                                      \
  asm volatile("st.global" op ".v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"((in).x), \
               "r"((in).y), "r"((in).z), "r"((in).w))
#endif

template <Hint hint>
ROOFLINE_DEVICE uint4 load128(const void* p) {
#if defined(__CUDA_ARCH__)
  uint4 out;
  if constexpr (hint == Hint::cs) {
    ROOFLINE_LOAD(".cs", p, out);
  } else if constexpr (hint == Hint::cg) {
    ROOFLINE_LOAD(".cg", p, out);
  } else {
    ROOFLINE_LOAD("", p, out);
  }
  return out;
#elif defined(ROOFLINE_SIMT)
  return simt::load(static_cast<const uint4*>(p));
#else
  return {};
#endif
}

/// Weights: read once, through the read-only path, and never kept in L1. The rest of the 256 bytes
/// follows at once, so that L2 may fetch it together.
ROOFLINE_DEVICE uint4 load128_once(const void* p) {
#if defined(__CUDA_ARCH__)
  uint4 out;
#if __CUDA_ARCH__ >= 800
  ROOFLINE_LOAD(".nc.L1::no_allocate.L2::256B", p, out);
#else
  ROOFLINE_LOAD(".nc.L1::no_allocate.L2::128B", p, out);
#endif
  return out;
#else
  return load128<Hint::cs>(p);
#endif
}

template <Hint hint>
ROOFLINE_DEVICE void store128(void* p, uint4 value) {
#if defined(__CUDA_ARCH__)
  if constexpr (hint == Hint::cs) {
    ROOFLINE_STORE(".cs", p, value);
  } else if constexpr (hint == Hint::cg) {
    ROOFLINE_STORE(".cg", p, value);
  } else {
    ROOFLINE_STORE("", p, value);
  }
#elif defined(ROOFLINE_SIMT)
  simt::store(static_cast<uint4*>(p), value);
#endif
}

template <class T>
ROOFLINE_DEVICE T load(const T* p) {
#if defined(ROOFLINE_SIMT)
  return simt::load(p);
#else
  return *p;
#endif
}

template <class T>
ROOFLINE_DEVICE void store(T* p, T value) {
#if defined(ROOFLINE_SIMT)
  simt::store(p, value);
#else
  *p = value;
#endif
}

// Traffic that is none of the workload's: what a cache delivers to all blocks but one, and results
// of the measuring itself.
template <class T>
ROOFLINE_DEVICE T load_uncounted(const T* p) {
#if defined(ROOFLINE_SIMT)
  simt::touch(p, sizeof(T), alignof(T), simt::Access::load, false);
#endif
  return *p;
}

template <class T>
ROOFLINE_DEVICE void store_uncounted(T* p, T value) {
#if defined(ROOFLINE_SIMT)
  simt::touch(p, sizeof(T), alignof(T), simt::Access::store, false);
#endif
  *p = value;
}

// ---- arithmetic ----

#if defined(__CUDA_ARCH__)
ROOFLINE_DEVICE float multiply_rounded(float x, float y) { return __fmul_rn(x, y); }
ROOFLINE_DEVICE double multiply_rounded(double x, double y) { return __dmul_rn(x, y); }
ROOFLINE_DEVICE float add_rounded(float x, float y) { return __fadd_rn(x, y); }
ROOFLINE_DEVICE double add_rounded(double x, double y) { return __dadd_rn(x, y); }
#else
/// Never fused with what follows.
ROOFLINE_DEVICE float multiply_rounded(float x, float y) { return x * y; }
ROOFLINE_DEVICE double multiply_rounded(double x, double y) { return x * y; }
ROOFLINE_DEVICE float add_rounded(float x, float y) { return x + y; }
ROOFLINE_DEVICE double add_rounded(double x, double y) { return x + y; }
#endif

ROOFLINE_DEVICE float fused(float x, float y, float z) { return fmaf(x, y, z); }
ROOFLINE_DEVICE double fused(double x, double y, double z) { return fma(x, y, z); }

/// sin and cos of 2 pi x.
ROOFLINE_DEVICE void turn(float x, float* sine, float* cosine) {
#if defined(__CUDA_ARCH__)
  sincospif(2 * x, sine, cosine);
#else
  constexpr double kTwoPi = 6.283185307179586;
  *sine = static_cast<float>(sin(kTwoPi * static_cast<double>(x)));
  *cosine = static_cast<float>(cos(kTwoPi * static_cast<double>(x)));
#endif
}

ROOFLINE_DEVICE void turn(double x, double* sine, double* cosine) {
#if defined(__CUDA_ARCH__)
  sincospi(2 * x, sine, cosine);
#else
  constexpr double kTwoPi = 6.283185307179586;
  *sine = sin(kTwoPi * x);
  *cosine = cos(kTwoPi * x);
#endif
}

// ---- 16-bit floating point ----

ROOFLINE_DEVICE float widen(Bf16 value) { return bits_as<float>(u32{value.bits} << 16); }

ROOFLINE_DEVICE float widen(Half value) {
#if defined(__CUDA_ARCH__)
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(value.bits));
  return out;
#elif defined(ROOFLINE_SIMT)
  return to_float(value);
#else
  return 0;
#endif
}

ROOFLINE_DEVICE float widen(float value) { return value; }
ROOFLINE_DEVICE double widen(double value) { return value; }

// To nearest, ties to even.
ROOFLINE_DEVICE void narrow(float value, float* out) { *out = value; }
ROOFLINE_DEVICE void narrow(double value, double* out) { *out = value; }

ROOFLINE_DEVICE void narrow(float value, Bf16* out) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(out->bits) : "f"(value));
#else
  const u32 bits = bits_as<u32>(value);
  out->bits = static_cast<std::uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
#endif
}

ROOFLINE_DEVICE void narrow(float value, Half* out) {
#if defined(__CUDA_ARCH__)
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(out->bits) : "f"(value));
#elif defined(ROOFLINE_SIMT)
  *out = nearest_half(value);
#endif
}

// ---- time ----

/// Of the SM, in cycles.
ROOFLINE_DEVICE u64 device_cycles() {
#if defined(ROOFLINE_SIMT)
  return simt::device_cycles();
#elif defined(__CUDA_ARCH__)
  return static_cast<u64>(clock64());
#else
  return 0;
#endif
}

/// Of the whole device; its step may be a microsecond.
ROOFLINE_DEVICE u64 device_nanoseconds() {
#if defined(ROOFLINE_SIMT)
  return simt::device_nanoseconds();
#elif defined(__CUDA_ARCH__)
  u64 now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
  return now;
#else
  return 0;
#endif
}

}  // namespace roofline::cuda::device
