// Whether the results of a product are right: every entry written and a number, sampled ones as
// float64 has them, within what the types allow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "backend/comparison.hpp"
#include "backend/cuda/gemm_operands.hpp"
#include "roofline/record.hpp"

namespace roofline::cuda {

/// What results are filled with before a product, byte by byte: no number, or one out of reach.
[[nodiscard]] unsigned char poison_byte(DType output);
/// Index of the first element that is no number, infinite, or still poison.
[[nodiscard]] std::optional<std::uint64_t> first_unwritten(std::span<const std::byte> slice,
                                                           DType output);

/// Two sums of which one entry's bound is made. Random products partly cancel each other, so their
/// partial sums are as large as the root of the sum of squares; equal ones add up.
struct EntrySums {
  double squares = 0;     ///< of the products, and of beta C
  double magnitudes = 0;  ///< of the products
};
/// How far an entry may lie from the exact one. Beside roundings at random (product_bound), matrix
/// units cut off what they can't hold, which is not random: at most 2^-22 of the partial sum for
/// each 8 products with sums in fp32. Sums of 8-bit floating point have 14 bits on Hopper (as found
/// by DeepSeek-V3, 3.3.2) and are carried on in fp32 after 128 products: 2^-8 of the partial sum.
[[nodiscard]] double entry_bound(const Gemm& gemm, const EntrySums& sums, double expected);

/// What entry (row, column) of an item should be, and how far from it is right.
struct ExpectedEntry {
  double value = 0;
  double bound = 0;
};
[[nodiscard]] ExpectedEntry expected_entry(const Gemm& gemm, std::uint64_t item, std::uint64_t row,
                                           std::uint64_t column);

/// Poisons the result, enqueues the product by `multiply`, and looks at all of it.
[[nodiscard]] Verification check_product(const Gemm& gemm, Gpu& gpu, Buffer& result,
                                         const std::function<void()>& multiply);

}  // namespace roofline::cuda
