#include "backend/cpu/peak_operands.hpp"

#include <cstring>

#include "backend/cpu/random.hpp"

namespace roofline::cpu {
namespace {

constexpr double kCount = 0x1p-13;
constexpr double kIntegerUnit = 256;

template <class T>
void put(std::byte* base, std::size_t index, T value) {
  std::memcpy(base + index * sizeof(T), &value, sizeof value);
}

template <class T>
T get(const std::byte* base, std::size_t index) {
  T value{};
  std::memcpy(&value, base + index * sizeof(T), sizeof value);
  return value;
}

std::size_t lanes_of(const PeakKernel& kernel) {
  return kernel.vector_bytes / (kernel.element == PeakElement::f64 ? 8 : 4);
}

/// Products that meet in one lane.
std::size_t operands_of(PeakElement element) {
  if (element == PeakElement::int8) return 4;
  return element == PeakElement::bf16 ? 2 : 1;
}

/// In (1, 1.25), above 1 by more than an ulp: right below it the grid is finer, and what cancels
/// would be off by that.
double start_of(std::size_t accumulator, std::size_t lane) {
  return 1.0 + static_cast<double>(1 + (accumulator * 31 + lane * 7) % 63) / 256;
}

void put_float(PeakElement element, std::byte* base, std::size_t i, double value) {
  if (element == PeakElement::f64) {
    put(base, i, value);
  } else if (element == PeakElement::f32) {
    put(base, i, static_cast<float>(value));
  } else {
    put(base, i, to_bf16(static_cast<float>(value)));
  }
}

void put_integers(PeakState& state, std::size_t i, bool counting, bool first) {
  const std::int8_t y = counting ? std::int8_t{first} : random_int8(4, i);
  put(state.x, i, counting ? std::uint8_t{1} : random_uint7(3, i));
  put(state.even, i, y);
  put(state.odd, i, counting ? y : static_cast<std::int8_t>(-y));
}

void put_floats(PeakState& state, PeakElement element, std::size_t i, bool counting, bool first) {
  // x in [0.25, 0.5), y in [0.25, 0.375): start + x*y (twice that for bf16) stays below 2, on the
  // grid of start, so that no rounding is left when it is taken away again.
  const double x = counting ? (first ? 1 : 0) : 0.25 + 0.125 * (1 + random_fp64(3, i));
  const double y = counting ? kCount : 0.25 + 0.0625 * (1 + random_fp64(4, i));
  put_float(element, state.x, i, x);
  put_float(element, state.even, i, y);
  put_float(element, state.odd, i, counting ? y : -y);
}

void put_start(PeakState& state, const PeakKernel& kernel, std::size_t acc, std::size_t lane) {
  std::byte* const at = state.accumulators + acc * kernel.vector_bytes;
  const double start = start_of(acc, lane);
  if (kernel.element == PeakElement::f64) {
    put(at, lane, start);
  } else if (kernel.element == PeakElement::int8) {
    put(at, lane, static_cast<std::int32_t>(start * kIntegerUnit));
  } else {
    put(at, lane, static_cast<float>(start));
  }
}

}  // namespace

void fill_peak_state(PeakState& state, const PeakKernel& kernel, PeakOperands operands) {
  std::memset(&state, 0, sizeof state);
  const bool counting = operands == PeakOperands::counting;
  const std::size_t each = operands_of(kernel.element);
  for (std::size_t i = 0; i < lanes_of(kernel) * each; ++i) {
    const bool first = i % each == 0;
    if (kernel.element == PeakElement::int8) {
      put_integers(state, i, counting, first);
    } else {
      put_floats(state, kernel.element, i, counting, first);
    }
  }
  for (std::size_t acc = 0; acc < kernel.accumulators; ++acc) {
    for (std::size_t lane = 0; lane < lanes_of(kernel); ++lane) put_start(state, kernel, acc, lane);
  }
}

Comparison check_peak_state(const PeakState& state, const PeakKernel& kernel, PeakOperands operands,
                            std::uint64_t loops, std::uint64_t first) {
  const double passes = operands == PeakOperands::counting ? 2 * static_cast<double>(loops) : 0;
  Comparison out;
  std::uint64_t index = first;
  for (std::size_t acc = 0; acc < kernel.accumulators; ++acc) {
    const std::byte* const at = state.accumulators + acc * kernel.vector_bytes;
    for (std::size_t lane = 0; lane < lanes_of(kernel); ++lane, ++index) {
      const double start = start_of(acc, lane);
      if (kernel.element == PeakElement::int8) {
        out.add(index, get<std::int32_t>(at, lane), start * kIntegerUnit + passes, 0);
      } else if (kernel.element == PeakElement::f64) {
        out.add(index, get<double>(at, lane), start + passes * kCount, 0);
      } else {
        out.add(index, static_cast<double>(get<float>(at, lane)), start + passes * kCount, 0);
      }
    }
  }
  return out;
}

std::size_t peak_lanes(const PeakKernel& kernel) { return kernel.accumulators * lanes_of(kernel); }

}  // namespace roofline::cpu
