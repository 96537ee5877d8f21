// Checking the CPU's results with what backend/comparison.hpp brings, and what they lack: patterns,
// elements of any type, and outputs that were never written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "backend/comparison.hpp"
#include "roofline/dtype.hpp"

namespace roofline::cpu {

using backend::check_bytes;
using backend::check_stream;
using backend::Comparison;
using backend::product_bound;
using backend::sample_entries;
using backend::StreamSlice;
using backend::unit_roundoff;
using backend::verdict;
using backend::word_sum;

/// write: bits must be equal.
[[nodiscard]] Comparison check_pattern(const std::byte* got, std::uint64_t pattern, std::size_t n,
                                       std::uint64_t first);

/// An element of a result array as a double.
[[nodiscard]] double load_element(const std::byte* array, DType dtype, std::uint64_t index);

/// Fills with what no result can be, NaN or an integer out of reach, so that what a run leaves
/// unwritten is seen.
void poison(std::span<std::byte> bytes, DType dtype);
/// Index of the first element that still holds the poison (or another NaN or infinity); nothing
/// when all were written.
[[nodiscard]] std::optional<std::uint64_t> find_unwritten(const std::byte* array, DType dtype,
                                                          std::uint64_t n);

}  // namespace roofline::cpu
