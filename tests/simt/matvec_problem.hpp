// For tests: the operands of a matvec whose products and sums are exact in fp32, and what comes out
// of them. Knows no kernel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <ostream>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/half_bits.hpp"
#include "kernels/cuda/matvec_shape.hpp"
#include "simt/kernel_run.hpp"

namespace simt {

using roofline::cuda::Bf16;
using roofline::cuda::Half;

struct Case {
  unsigned rows;
  unsigned d_in;
  unsigned d_out;
  unsigned grid;
  unsigned warps;
  unsigned splits;
};

inline void PrintTo(const Case& c, std::ostream* out) {
  *out << c.rows << " rows, " << c.d_in << " x " << c.d_out << ", " << c.grid << " x " << c.splits
       << " blocks of " << c.warps << " warps";
}

inline float value_of(Half x) { return roofline::cuda::to_float(x); }
inline float value_of(Bf16 x) { return roofline::cuda::to_float(x); }

template <class A>
A nearest(double value) {
  const auto single = static_cast<float>(value);
  if constexpr (std::is_same_v<A, Half>) {
    return roofline::cuda::nearest_half(single);
  } else {
    return roofline::cuda::nearest_bf16(single);
  }
}

inline unsigned bits_of(const std::string& weight) {
  return weight == "int4" ? 4 : weight == "int8" ? 8 : 16;
}

// W, scales and x of one shape; A: the activation's type.
template <class A>
class Problem {
 public:
  Problem(const std::string& weight, const Case& c)
      : bits(bits_of(weight)),
        groups((c.d_in + roofline::cuda::kMatvecGroup - 1) / roofline::cuda::kMatvecGroup),
        weights(std::size_t{c.d_out} * c.d_in * bits / 8),
        scales(bits == 16 ? 0 : std::size_t{c.d_out} * groups),
        x(std::size_t{c.rows} * c.d_in),
        c_(c) {
    Random random(c.rows * 1000003 + c.d_in * 1009 + c.d_out);
    std::fill(weights.data(), weights.data() + weights.size(), std::byte{0});
    values_.resize(std::size_t{c.d_out} * c.d_in);
    for (std::size_t at = 0; at < values_.size(); ++at) put_weight(at, random);
    // Powers of two, and quarters up to 2: exact in both types, and so is every sum.
    for (std::size_t at = 0; at < scales.size(); ++at) {
      scales[at] = roofline::cuda::nearest_half(std::ldexp(1.0F, random.integer(-3, 1)));
    }
    for (std::size_t at = 0; at < x.size(); ++at) {
      x[at] = nearest<A>(random.integer(-8, 8) * 0.25);
    }
  }

  [[nodiscard]] double exact(unsigned row, unsigned output) const {
    double sum = 0;
    for (unsigned i = 0; i < c_.d_in; ++i) {
      const unsigned group = i / roofline::cuda::kMatvecGroup;
      const double scale =
          bits == 16 ? 1 : roofline::cuda::to_float(scales[std::size_t{output} * groups + group]);
      sum += scale * values_[std::size_t{output} * c_.d_in + i] *
             value_of(x[std::size_t{row} * c_.d_in + i]);
    }
    return sum;
  }

  unsigned bits;
  unsigned groups;
  Array<std::byte> weights;
  Array<Half> scales;
  Array<A> x;

 private:
  // The whole range of the integers, and what 16 bits have beside small ones.
  void put_weight(std::size_t at, Random& random) {
    std::byte* const to = weights.data();
    if (bits == 4) {
      const int value = random.integer(-8, 7);
      values_[at] = value;
      to[at / 2] |= static_cast<std::byte>(static_cast<unsigned>(value + 8) << (at % 2 * 4));
    } else if (bits == 8) {
      const int value = random.integer(-128, 127);
      values_[at] = value;
      const auto stored = static_cast<std::int8_t>(value);
      std::memcpy(to + at, &stored, 1);
    } else {
      values_[at] = random.integer(-32, 32) * 0.125;
      const A stored = nearest<A>(values_[at]);
      std::memcpy(to + 2 * at, &stored, 2);
    }
  }

  Case c_;
  std::vector<double> values_;  // [d_out][d_in]
};

}  // namespace simt
