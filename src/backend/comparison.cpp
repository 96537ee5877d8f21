#include "backend/comparison.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <random>
#include <string>

namespace roofline::backend {
namespace {

std::string number_text(double value) {
  char text[48];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, 6);
  return {text, end.ptr};
}

/// One or two roundings of a + s*b in T.
template <class T>
double triad_bound(double b, double product, double u) {
  return u * (std::fabs(b + product) + std::fabs(product)) * (1 + 4 * u);
}

}  // namespace

void Comparison::add(std::uint64_t index, double got_value, double expected_value, double bound) {
  ++compared;
  const double error = std::fabs(got_value - expected_value);
  if (error <= bound) {
    if (bound > 0) worst = std::max(worst, error / bound);
    return;
  }
  if (wrong++ == 0) {
    first_wrong = index;
    got = got_value;
    expected = expected_value;
  }
}

void Comparison::merge(const Comparison& other) {
  compared += other.compared;
  worst = std::max(worst, other.worst);
  if (other.wrong != 0 && (wrong == 0 || other.first_wrong < first_wrong)) {
    first_wrong = other.first_wrong;
    got = other.got;
    expected = other.expected;
  }
  wrong += other.wrong;
}

Verification verdict(const Comparison& comparison, std::string_view against) {
  std::string detail =
      std::to_string(comparison.compared) + " values against " + std::string(against);
  if (comparison.compared == 0) return {VerificationState::unverified, "nothing was compared"};
  if (comparison.wrong != 0) {
    detail += ": " + std::to_string(comparison.wrong) + " wrong, the first at " +
              std::to_string(comparison.first_wrong) + " (" + number_text(comparison.got) +
              ", expected " + number_text(comparison.expected) + ")";
    return {VerificationState::incorrect, std::move(detail)};
  }
  detail += comparison.worst > 0
                ? "; largest error " + number_text(comparison.worst) + " of the bound"
                : "; no error";
  return {VerificationState::verified, std::move(detail)};
}

double unit_roundoff(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 0x1p-53;
    case DType::fp32:
      return 0x1p-24;
    case DType::fp16:
      return 0x1p-11;
    case DType::bf16:
      return 0x1p-8;
    default:
      return 0;
  }
}

/// The smallest number above 0, by which results near it are apart.
double smallest_step(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return 0x1p-1074;
    case DType::fp32:
      return 0x1p-149;
    case DType::fp16:
      return 0x1p-24;
    case DType::bf16:
      return 0x1p-133;
    default:
      return 0;
  }
}

template <class T>
Comparison check_stream(StreamKind kind, const StreamSlice<T>& slice) {
  constexpr double u = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  Comparison out;
  for (std::size_t i = 0; i < slice.n; ++i) {
    double expected = 0;
    double bound = 0;
    if (kind == StreamKind::scale) {
      expected = static_cast<double>(slice.s) * static_cast<double>(slice.b[i]);
      bound = u * std::fabs(expected);
    } else if (kind == StreamKind::add) {
      expected = static_cast<double>(slice.b[i]) + static_cast<double>(slice.c[i]);
      bound = u * std::fabs(expected);
    } else {
      const double product = static_cast<double>(slice.s) * static_cast<double>(slice.c[i]);
      expected = static_cast<double>(slice.b[i]) + product;
      bound = triad_bound<T>(static_cast<double>(slice.b[i]), product, u);
      // In float64 the reference is rounded as well.
      if constexpr (sizeof(T) == 8) bound *= 2;
    }
    out.add(slice.first + i, static_cast<double>(slice.a[i]), expected, bound);
  }
  return out;
}

template Comparison check_stream<float>(StreamKind, const StreamSlice<float>&);
template Comparison check_stream<double>(StreamKind, const StreamSlice<double>&);

Comparison check_bytes(const std::byte* got, const std::byte* expected, std::size_t n,
                       std::uint64_t first) {
  Comparison out;
  // Most often all are equal, and then the library's comparison is the quick one.
  if (std::memcmp(got, expected, n) == 0) {
    out.compared = n;
    return out;
  }
  for (std::size_t i = 0; i < n; ++i) {
    out.add(first + i, std::to_integer<int>(got[i]), std::to_integer<int>(expected[i]), 0);
  }
  return out;
}

std::uint64_t word_sum(const std::byte* bytes, std::size_t n) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += std::uint64_t{std::to_integer<unsigned char>(bytes[i])} << (i % 8 * 8);
  return sum;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> sample_entries(std::uint64_t rows,
                                                                    std::uint64_t columns,
                                                                    std::size_t random) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  if (rows <= random / columns) {
    for (std::uint64_t row = 0; row < rows; ++row) {
      for (std::uint64_t column = 0; column < columns; ++column) out.emplace_back(row, column);
    }
    return out;
  }
  out = {{0, 0}, {0, columns - 1}, {rows - 1, 0}, {rows - 1, columns - 1}};
  std::mt19937_64 places(77);  // any, but the same one every time
  for (std::size_t i = 0; i < random; ++i) {
    const std::uint64_t row = places() % rows;
    out.emplace_back(row, places() % columns);
  }
  return out;
}

double product_bound(std::uint64_t terms, double sum_of_squares, double expected, DType accumulate,
                     DType output) {
  const double summing =
      8 * std::sqrt(static_cast<double>(terms) * sum_of_squares) * unit_roundoff(accumulate);
  return summing + unit_roundoff(output) * (std::fabs(expected) + summing) + smallest_step(output);
}

}  // namespace roofline::backend
