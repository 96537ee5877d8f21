// Random and constant fills. A thread writes 16 bytes at a time; what it writes depends on seed and
// place alone (random_bits.hpp), so that the host can compute any element again.
#pragma once

#include "kernels/cuda/dialect.cuh"
#include "kernels/cuda/fp8_bits.hpp"
#include "kernels/cuda/random_bits.hpp"

namespace roofline::cuda::device {

/// The words of neighbouring elements, each block of the generator computed once.
class Words {
 public:
  ROOFLINE_DEVICE explicit Words(u64 seed) : seed_(seed) {}

  /// Word number `at` of the stream.
  ROOFLINE_DEVICE u32 word(u64 at) {
    if (at / 4 != counter_ || !known_) {
      counter_ = at / 4;
      known_ = true;
      block_ = philox(seed_, counter_);
    }
    const u32 which = static_cast<u32>(at % 4);
    const u32 low = which % 2 == 0 ? block_.word[0] : block_.word[1];
    const u32 high = which % 2 == 0 ? block_.word[2] : block_.word[3];
    return which < 2 ? low : high;
  }
  ROOFLINE_DEVICE u64 long_word(u64 at) { return u64{word(2 * at + 1)} << 32 | word(2 * at); }

 private:
  u64 seed_;
  u64 counter_ = 0;
  bool known_ = false;
  Philox block_ = {};
};

/// Box and Muller: an even element is the cosine of its pair, an odd one the sine.
ROOFLINE_DEVICE float normal_fp32(Words& words, u64 index) {
  const float radius = sqrtf(-2 * logf(open_unit_fp32(words.word(index & ~u64{1}))));
  float sine;
  float cosine;
  turn(unit_fp32(words.word(index | 1)), &sine, &cosine);
  return radius * (index % 2 == 0 ? cosine : sine);
}
ROOFLINE_DEVICE double normal_fp64(Words& words, u64 index) {
  const double radius = sqrt(-2 * log(open_unit_fp64(words.long_word(index & ~u64{1}))));
  double sine;
  double cosine;
  turn(unit_fp64(words.long_word(index | 1)), &sine, &cosine);
  return radius * (index % 2 == 0 ? cosine : sine);
}

ROOFLINE_DEVICE float element_fp32(Words& words, u64 index, Distribution distribution) {
  switch (distribution) {
    case Distribution::uniform:
      return uniform_fp32(words.word(index));
    case Distribution::normal:
      return normal_fp32(words, index);
    case Distribution::zeros:
      return 0;
    case Distribution::ones:
      return 1;
    case Distribution::integers:
      return static_cast<float>(small_integer(words.word(index)));
    default:
      return scale_fp32(words.word(index));
  }
}

/// An integer of [-most - 1, most]; `bits`: how many of a word it has.
ROOFLINE_DEVICE int element_integer(Words& words, u64 index, Distribution distribution, u32 bits,
                                    int most) {
  const int deviation = (most + 1) / 4;
  switch (distribution) {
    case Distribution::uniform:
      return static_cast<std::int32_t>(words.word(index)) >> (32 - bits);
    case Distribution::normal:
      return clamped(normal_fp32(words, index) * static_cast<float>(deviation), most);
    case Distribution::zeros:
      return 0;
    case Distribution::integers:
      return small_integer(words.word(index));
    default:
      return 1;
  }
}

ROOFLINE_DEVICE void element(Words& words, u64 index, Distribution distribution, float* out) {
  *out = element_fp32(words, index, distribution);
}
ROOFLINE_DEVICE void element(Words& words, u64 index, Distribution distribution, double* out) {
  switch (distribution) {
    case Distribution::uniform:
      *out = uniform_fp64(words.long_word(index));
      break;
    case Distribution::normal:
      *out = normal_fp64(words, index);
      break;
    default:
      *out = static_cast<double>(element_fp32(words, index, distribution));
      break;
  }
}
ROOFLINE_DEVICE void truncate(float value, Bf16* out) {
  *out = truncated_bf16(bits_as<u32>(value));
}
ROOFLINE_DEVICE void truncate(float value, Half* out) {
  *out = truncated_half(bits_as<u32>(value));
}

template <class T>
requires(sizeof(T) == 2) ROOFLINE_DEVICE
    void element(Words& words, u64 index, Distribution distribution, T* out) {
  const float value = element_fp32(words, index, distribution);
  if (distribution == Distribution::uniform) {
    truncate(value, out);
  } else {
    narrow(value, out);
  }
}
ROOFLINE_DEVICE Rounding rounding_of(Distribution distribution) {
  // Toward zero, nothing in (-1, 1) becomes 1.
  return distribution == Distribution::uniform ? Rounding::toward_zero : Rounding::to_nearest;
}
ROOFLINE_DEVICE void element(Words& words, u64 index, Distribution distribution, Fp8E4m3* out) {
  const float value = element_fp32(words, index, distribution);
  *out = narrowed_e4m3(bits_as<u32>(value), rounding_of(distribution));
}
ROOFLINE_DEVICE void element(Words& words, u64 index, Distribution distribution, Fp8E5m2* out) {
  const float value = element_fp32(words, index, distribution);
  *out = narrowed_e5m2(bits_as<u32>(value), rounding_of(distribution));
}
ROOFLINE_DEVICE void element(Words& words, u64 index, Distribution distribution, Tf32* out) {
  *out = truncated_tf32(bits_as<u32>(element_fp32(words, index, distribution)));
}
ROOFLINE_DEVICE void element(Words& words, u64 index, Distribution distribution,
                             std::int32_t* out) {
  *out = element_integer(words, index, distribution, kInt32Bits, (1 << (kInt32Bits - 1)) - 1);
}
ROOFLINE_DEVICE void element(Words& words, u64 index, Distribution distribution, signed char* out) {
  *out = static_cast<signed char>(element_integer(words, index, distribution, 8, 127));
}

/// Two of them in a byte, the earlier one in the low nibble.
struct Nibbles {
  unsigned char bits;
};

/// Storage unit number `unit` of an array of n elements of which the first is number `offset`.
template <class T>
ROOFLINE_DEVICE void unit_at(Words& words, u64 unit, u64, u64 offset, Distribution distribution,
                             T* out) {
  element(words, offset + unit, distribution, out);
}
ROOFLINE_DEVICE void unit_at(Words& words, u64 unit, u64 n, u64 offset, Distribution distribution,
                             Nibbles* out) {
  const u64 first = offset + 2 * unit;
  int value = element_integer(words, first, distribution, 4, 7) + 8;
  if (2 * unit + 1 < n) {
    value |= (element_integer(words, first + 1, distribution, 4, 7) + 8) << 4;
  }
  out->bits = static_cast<unsigned char>(value);
}

template <class T>
ROOFLINE_DEVICE void fill_units(T* out, u64 units, u64 n, u64 seed, u64 offset,
                                Distribution distribution) {
  constexpr u32 kLanes = 16 / sizeof(T);
  const u64 stride = u64{gridDim.x} * blockDim.x;
  Words words(seed);
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i * kLanes < units; i += stride) {
    const u64 first = i * kLanes;
    if (first + kLanes <= units) {
      Pack<T> pack;
      ROOFLINE_NO_UNROLL
      for (u32 lane = 0; lane < kLanes; ++lane) {
        unit_at(words, first + lane, n, offset, distribution, &pack.v[lane]);
      }
      store128<Hint::plain>(out + first, bits_as<uint4>(pack));
    } else {
      ROOFLINE_NO_UNROLL
      for (u64 unit = first; unit < units; ++unit) {
        T value;
        unit_at(words, unit, n, offset, distribution, &value);
        store(out + unit, value);
      }
    }
  }
}

/// Any launch shape. What each parameter is: kernels.def.
template <class T>
ROOFLINE_DEVICE void fill(void* out, u64 n, u64 seed, u64 offset, u32 distribution) {
  fill_units(static_cast<T*>(out), n, n, seed, offset, static_cast<Distribution>(distribution));
}

ROOFLINE_DEVICE void fill_int4(void* out, u64 n, u64 seed, u64 offset, u32 distribution) {
  fill_units(static_cast<Nibbles*>(out), n / 2 + n % 2, n, seed, offset,
             static_cast<Distribution>(distribution));
}

}  // namespace roofline::cuda::device
