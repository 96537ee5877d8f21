// Vectors of 256 bits for the loops in *.inc. Included by exactly one ISA's file at a time;
// everything is local to it.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#define ROOFLINE_TARGET __attribute__((target("avx2,fma")))
#define ROOFLINE_INLINE __attribute__((target("avx2,fma"), always_inline)) inline

namespace roofline::cpu {
namespace {

struct U64 {
  using Element = std::uint64_t;
  using Register = __m256i;
  static constexpr std::size_t kLanes = 4;
  ROOFLINE_INLINE static Register zero() { return _mm256_setzero_si256(); }
  ROOFLINE_INLINE static Register set(Element v) {
    return _mm256_set1_epi64x(static_cast<long long>(v));
  }
  ROOFLINE_INLINE static Register load(const Element* p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
  }
  ROOFLINE_INLINE static void store(Element* p, Register v) {
    _mm256_store_si256(reinterpret_cast<__m256i*>(p), v);
  }
  ROOFLINE_INLINE static void stream(Element* p, Register v) {
    _mm256_stream_si256(reinterpret_cast<__m256i*>(p), v);
  }
  ROOFLINE_INLINE static Register add(Register a, Register b) { return _mm256_add_epi64(a, b); }
};

struct F32 {
  using Element = float;
  using Register = __m256;
  static constexpr std::size_t kLanes = 8;
  ROOFLINE_INLINE static Register zero() { return _mm256_setzero_ps(); }
  ROOFLINE_INLINE static Register set(Element v) { return _mm256_set1_ps(v); }
  ROOFLINE_INLINE static Register load(const Element* p) { return _mm256_loadu_ps(p); }
  ROOFLINE_INLINE static void store(Element* p, Register v) { _mm256_store_ps(p, v); }
  ROOFLINE_INLINE static void store_anywhere(Element* p, Register v) { _mm256_storeu_ps(p, v); }
  ROOFLINE_INLINE static void stream(Element* p, Register v) { _mm256_stream_ps(p, v); }
  ROOFLINE_INLINE static Register add(Register a, Register b) { return _mm256_add_ps(a, b); }
  ROOFLINE_INLINE static Register mul(Register a, Register b) { return _mm256_mul_ps(a, b); }
  ROOFLINE_INLINE static Register fma(Register a, Register b, Register c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  /// kLanes bf16 widened.
  ROOFLINE_INLINE static Register load_bf16(const std::uint16_t* p) {
    const __m128i half = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16));
  }
  ROOFLINE_INLINE static Register load_i8(const std::int8_t* p) {
    return _mm256_cvtepi32_ps(
        _mm256_cvtepi8_epi32(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(p))));
  }
};

struct F64 {
  using Element = double;
  using Register = __m256d;
  static constexpr std::size_t kLanes = 4;
  ROOFLINE_INLINE static Register zero() { return _mm256_setzero_pd(); }
  ROOFLINE_INLINE static Register set(Element v) { return _mm256_set1_pd(v); }
  ROOFLINE_INLINE static Register load(const Element* p) { return _mm256_loadu_pd(p); }
  ROOFLINE_INLINE static void store(Element* p, Register v) { _mm256_store_pd(p, v); }
  ROOFLINE_INLINE static void stream(Element* p, Register v) { _mm256_stream_pd(p, v); }
  ROOFLINE_INLINE static Register add(Register a, Register b) { return _mm256_add_pd(a, b); }
  ROOFLINE_INLINE static Register mul(Register a, Register b) { return _mm256_mul_pd(a, b); }
  ROOFLINE_INLINE static Register fma(Register a, Register b, Register c) {
    return _mm256_fmadd_pd(a, b, c);
  }
};

ROOFLINE_INLINE void fence() { _mm_sfence(); }

}  // namespace
}  // namespace roofline::cpu
