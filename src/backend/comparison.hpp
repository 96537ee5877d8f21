// Comparing results with references in float64, element by element, with bounds that follow from
// the types. Knows no device: what is compared lies in the host's memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/dtype.hpp"
#include "roofline/record.hpp"
#include "roofline/workload.hpp"

namespace roofline::backend {

/// The outcome of many comparisons. A NaN is wrong whatever it is compared with.
struct Comparison {
  std::uint64_t compared = 0;
  std::uint64_t wrong = 0;
  std::uint64_t first_wrong = 0;  ///< index; only when wrong != 0
  double got = 0;                 ///< there
  double expected = 0;
  double worst = 0;  ///< largest error / bound

  void add(std::uint64_t index, double got_value, double expected_value, double bound);
  void merge(const Comparison& other);
};

/// `against`: what was compared with what, for a person: `all elements, recomputed in float64`.
[[nodiscard]] Verification verdict(const Comparison& comparison, std::string_view against);

/// Unit roundoff: half the distance from 1 to the next number.
[[nodiscard]] double unit_roundoff(DType dtype);

/// Elements of a stream's arrays that the check compares, of type T; index of the first is `first`.
template <class T>
struct StreamSlice {
  const T* a = nullptr;
  const T* b = nullptr;
  const T* c = nullptr;
  T s = 0;
  std::uint64_t first = 0;
  std::size_t n = 0;
};
/// scale, add or triad. The triad may have been rounded once or twice.
template <class T>
[[nodiscard]] Comparison check_stream(StreamKind kind, const StreamSlice<T>& slice);

/// write and copy: bits must be equal.
[[nodiscard]] Comparison check_bytes(const std::byte* got, const std::byte* expected, std::size_t n,
                                     std::uint64_t first);

/// The sum of an array's 64-bit words modulo 2^64, the last one filled up with zeros, one byte
/// after the other: the reference of the checksums of read streams. Word boundaries count from
/// `bytes`.
[[nodiscard]] std::uint64_t word_sum(const std::byte* bytes, std::size_t n);

/// The four corners and `random` places of a rows x columns result, the same ones every time; all
/// of them when there are no more than that.
[[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>> sample_entries(
    std::uint64_t rows, std::uint64_t columns, std::size_t random);

/// How far a sum of `terms` products may lie from the exact one when it is summed in `accumulate`
/// and rounded to `output`. Rounding errors behave like a random walk: partial sums of products
/// with signs of their own are about sqrt(sum (ab)^2), each of the `terms` roundings errs by u
/// times that, and 8 deviations are allowed for. The output's own rounding comes on top. Integer
/// sums are exact.
[[nodiscard]] double product_bound(std::uint64_t terms, double sum_of_squares, double expected,
                                   DType accumulate, DType output);

}  // namespace roofline::backend
