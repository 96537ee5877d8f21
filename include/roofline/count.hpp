// Exact counts of operations, bytes and elements. A count never rounds and never wraps: leaving 64
// bits is an error that names what was being counted.
#pragma once

#include <compare>
#include <concepts>
#include <cstdint>

namespace roofline {

class Count {
 public:
  constexpr Count() = default;
  constexpr Count(std::uint64_t value)
      : value_(value) {}  // NOLINT: a literal count reads best bare
  /// Throws InputError when `value` is negative.
  template <std::signed_integral T>
  constexpr Count(T value) : value_(static_cast<std::uint64_t>(value)) {  // NOLINT: as above
    if (value < 0) refuse_negative();
  }
  /// A fraction is no count, and a rounded one no exact count.
  template <std::floating_point T>
  Count(T) = delete;

  [[nodiscard]] constexpr std::uint64_t value() const { return value_; }
  /// The nearest double: exact up to 2^53.
  [[nodiscard]] constexpr double as_double() const { return static_cast<double>(value_); }

  friend constexpr auto operator<=>(Count, Count) = default;

  /// Throw InputError when the result does not fit 64 bits.
  friend Count operator+(Count a, Count b);
  friend Count operator*(Count a, Count b);
  Count& operator+=(Count other) { return *this = *this + other; }

 private:
  [[noreturn]] static void refuse_negative();
  std::uint64_t value_ = 0;
};

/// ceil(a / b). `b` must not be zero.
[[nodiscard]] constexpr Count ceil_div(Count a, Count b) {
  return Count{a.value() / b.value() + (a.value() % b.value() != 0 ? 1 : 0)};
}

/// Bytes that `elements` of `bits` bits each take when packed without gaps, rounded up to a whole
/// byte. Throws InputError when the bytes do not fit 64 bits; the bits need not.
[[nodiscard]] Count packed_bytes(Count elements, unsigned bits);

}  // namespace roofline
