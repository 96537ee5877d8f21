#include "backend/cpu/verify.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "backend/cpu/random.hpp"

namespace roofline::cpu {
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

Comparison check_pattern(const std::byte* got, std::uint64_t pattern, std::size_t n,
                         std::uint64_t first) {
  Comparison out;
  std::byte expected[4096];
  for (std::size_t i = 0; i < sizeof expected; ++i) {
    expected[i] = static_cast<std::byte>(pattern >> ((first + i) % 8 * 8));
  }
  for (std::size_t at = 0; at < n; at += sizeof expected) {
    const std::size_t count = std::min(n - at, sizeof expected);
    out.merge(check_bytes(got + at, expected, count, first + at));
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
  constexpr std::uint64_t kSeed = 77;
  for (std::uint64_t i = 0; i < random; ++i) {
    out.emplace_back(random_bits(kSeed, 2 * i) % rows, random_bits(kSeed, 2 * i + 1) % columns);
  }
  return out;
}

double product_bound(std::uint64_t terms, double sum_of_squares, double expected, DType accumulate,
                     DType output) {
  const double summing =
      8 * std::sqrt(static_cast<double>(terms) * sum_of_squares) * unit_roundoff(accumulate);
  return summing + unit_roundoff(output) * (std::fabs(expected) + summing);
}

double load_element(const std::byte* array, DType dtype, std::uint64_t index) {
  const auto load = [&]<class T>(T value) {
    std::memcpy(&value, array + index * sizeof(T), sizeof(T));
    return value;
  };
  switch (dtype) {
    case DType::fp64:
      return load(double{});
    case DType::fp32:
      return static_cast<double>(load(float{}));
    case DType::bf16:
      return static_cast<double>(from_bf16(load(std::uint16_t{})));
    case DType::int32:
      return load(std::int32_t{});
    case DType::int8:
      return load(std::int8_t{});
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

void poison(std::span<std::byte> bytes, DType dtype) {
  std::memset(bytes.data(), info(dtype).integer ? 0x80 : 0xff, bytes.size());
}

std::optional<std::uint64_t> find_unwritten(const std::byte* array, DType dtype, std::uint64_t n) {
  // No sum of int8 products comes near: that takes 132 000 terms of the largest magnitude.
  constexpr double kPoisonInt32 = -2139062144;
  constexpr double kPoisonInt8 = -128;
  for (std::uint64_t i = 0; i < n; ++i) {
    const double value = load_element(array, dtype, i);
    const bool unwritten = info(dtype).integer
                               ? value == (dtype == DType::int8 ? kPoisonInt8 : kPoisonInt32)
                               : !(std::fabs(value) < std::numeric_limits<double>::infinity());
    if (unwritten) return i;
  }
  return std::nullopt;
}

}  // namespace roofline::cpu
