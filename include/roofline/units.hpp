// Quantities whose unit is checked when the code is compiled: FLOP, byte and second with integer
// exponents. Flops / Bytes is an Intensity, Bandwidth * Intensity a Performance; the wrong way
// round does not compile. A raw double enters and leaves only through a call that names the unit.
#pragma once

#include <compare>

namespace roofline {

template <int FlopExponent, int ByteExponent, int SecondExponent>
class Quantity {
 public:
  constexpr Quantity() = default;

  /// The value in SI units without prefix. Prefer the functions below, which name the unit.
  static constexpr Quantity from_si(double value) {
    Quantity q;
    q.value_ = value;
    return q;
  }
  [[nodiscard]] constexpr double si() const { return value_; }

  friend constexpr auto operator<=>(Quantity, Quantity) = default;
  friend constexpr Quantity operator+(Quantity a, Quantity b) {
    return from_si(a.value_ + b.value_);
  }
  friend constexpr Quantity operator-(Quantity a, Quantity b) {
    return from_si(a.value_ - b.value_);
  }
  friend constexpr Quantity operator*(Quantity a, double factor) {
    return from_si(a.value_ * factor);
  }
  friend constexpr Quantity operator*(double factor, Quantity a) { return a * factor; }
  friend constexpr Quantity operator/(Quantity a, double divisor) {
    return from_si(a.value_ / divisor);
  }
  /// The ratio of two like quantities is a plain number.
  friend constexpr double operator/(Quantity a, Quantity b) { return a.value_ / b.value_; }

 private:
  double value_ = 0;
};

template <int F1, int B1, int S1, int F2, int B2, int S2>
requires(F1 != F2 || B1 != B2 || S1 != S2) constexpr auto operator/(Quantity<F1, B1, S1> a,
                                                                    Quantity<F2, B2, S2> b) {
  return Quantity<F1 - F2, B1 - B2, S1 - S2>::from_si(a.si() / b.si());
}

template <int F1, int B1, int S1, int F2, int B2, int S2>
constexpr auto operator*(Quantity<F1, B1, S1> a, Quantity<F2, B2, S2> b) {
  if constexpr (F1 + F2 == 0 && B1 + B2 == 0 && S1 + S2 == 0) {
    return a.si() * b.si();
  } else {
    return Quantity<F1 + F2, B1 + B2, S1 + S2>::from_si(a.si() * b.si());
  }
}

using Flops = Quantity<1, 0, 0>;         ///< work, FLOP (FMA = 2)
using Bytes = Quantity<0, 1, 0>;         ///< traffic or capacity, byte
using Seconds = Quantity<0, 0, 1>;       ///< time, s
using Intensity = Quantity<1, -1, 0>;    ///< arithmetic intensity, FLOP/byte
using Performance = Quantity<1, 0, -1>;  ///< FLOP/s
using Bandwidth = Quantity<0, 1, -1>;    ///< byte/s
using Frequency = Quantity<0, 0, -1>;    ///< clock, 1/s

constexpr Flops flop(double v) { return Flops::from_si(v); }
constexpr Bytes byte(double v) { return Bytes::from_si(v); }
constexpr Seconds second(double v) { return Seconds::from_si(v); }
constexpr Intensity flop_per_byte(double v) { return Intensity::from_si(v); }
constexpr Performance flop_per_s(double v) { return Performance::from_si(v); }
constexpr Performance tflop_per_s(double v) { return Performance::from_si(v * 1e12); }
constexpr Bandwidth byte_per_s(double v) { return Bandwidth::from_si(v); }
constexpr Bandwidth gb_per_s(double v) { return Bandwidth::from_si(v * 1e9); }
constexpr Frequency hertz(double v) { return Frequency::from_si(v); }

constexpr double in_flop(Flops q) { return q.si(); }
constexpr double in_byte(Bytes q) { return q.si(); }
constexpr double in_second(Seconds q) { return q.si(); }
constexpr double in_flop_per_byte(Intensity q) { return q.si(); }
constexpr double in_flop_per_s(Performance q) { return q.si(); }
constexpr double in_tflop_per_s(Performance q) { return q.si() / 1e12; }
constexpr double in_byte_per_s(Bandwidth q) { return q.si(); }
constexpr double in_gb_per_s(Bandwidth q) { return q.si() / 1e9; }
constexpr double in_hertz(Frequency q) { return q.si(); }

}  // namespace roofline
