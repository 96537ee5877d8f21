#include "roofline/count.hpp"

#include <string>

#include "roofline/error.hpp"

namespace roofline {
namespace {

[[noreturn]] void overflow(Count a, char op, Count b) {
  throw InputError("a count does not fit 64 bits (" + std::to_string(a.value()) + " " + op + " " +
                   std::to_string(b.value()) + "); use a smaller shape");
}

}  // namespace

Count operator+(Count a, Count b) {
  std::uint64_t sum = 0;
  if (__builtin_add_overflow(a.value_, b.value_, &sum)) overflow(a, '+', b);
  return Count{sum};
}

Count operator*(Count a, Count b) {
  std::uint64_t product = 0;
  if (__builtin_mul_overflow(a.value_, b.value_, &product)) overflow(a, '*', b);
  return Count{product};
}

void Count::refuse_negative() {
  throw InputError("a count is negative; give a whole number of at least 0");
}

Count packed_bytes(Count elements, unsigned bits) {
  // Eight elements take `bits` bytes, so that the bits themselves never have to fit.
  const Count eights{elements.value() / 8};
  const Count rest{elements.value() % 8};
  return eights * Count{bits} + ceil_div(rest * Count{bits}, Count{8});
}

}  // namespace roofline
