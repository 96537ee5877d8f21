#include "backend/cuda/gemm_check.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <vector>

#include "backend/cuda/results.hpp"

namespace roofline::cuda {
namespace {

using backend::unit_roundoff;

constexpr const char* kAgainst = "float64 (corners and sampled entries; every entry is a number)";

template <class Bits>
std::optional<std::uint64_t> first_where(std::span<const std::byte> slice, Bits mask, Bits value) {
  const std::uint64_t n = slice.size() / sizeof(Bits);
  for (std::uint64_t i = 0; i < n; ++i) {
    Bits bits;
    std::memcpy(&bits, slice.data() + i * sizeof(Bits), sizeof bits);
    if ((bits & mask) == value) return i;
  }
  return std::nullopt;
}

/// An entry whose value is known, by its place in the result.
struct Sampled {
  std::uint64_t index;
  ExpectedEntry expected;
};

std::vector<Sampled> sampled_entries(const Gemm& gemm) {
  // The generator takes some nanoseconds for each element that an entry is made of.
  constexpr std::uint64_t kMostElements = std::uint64_t{1} << 21U;
  const std::size_t entries = std::clamp<std::uint64_t>(kMostElements / gemm.k, 32, 512);
  const GemmReference reference(gemm);
  std::vector<Sampled> out;
  for (const auto& [row, column] : backend::sample_entries(gemm.batch * gemm.m, gemm.n, entries)) {
    const std::uint64_t item = row / gemm.m;
    out.push_back({reference.index(item, row % gemm.m, column),
                   expected_entry(gemm, item, row % gemm.m, column)});
  }
  std::sort(out.begin(), out.end(),
            [](const Sampled& a, const Sampled& b) { return a.index < b.index; });
  return out;
}

bool has_matrix_units(DType input) {
  return input == DType::tf32 || input == DType::fp16 || input == DType::bf16 || is_fp8(input);
}

/// Large factors, which alone may take a result out of its type; empty for the usual ones.
std::string factors_text(const Gemm& gemm) {
  const auto large = [](double factor) { return std::fabs(factor) > 1; };
  std::string out;
  for (const auto& [what, factor] :
       {std::pair("alpha", gemm.alpha), std::pair("beta", gemm.beta)}) {
    if (!large(factor)) continue;
    char text[32];
    const auto end = std::to_chars(std::begin(text), std::end(text), factor).ptr;
    out += (out.empty() ? " (" : ", ") + std::string(what) + " " + std::string(text, end);
  }
  return out.empty() ? out : out + ")";
}

}  // namespace

unsigned char poison_byte(DType output) { return output == DType::int32 ? 0x80 : 0xff; }

std::optional<std::uint64_t> first_unwritten(std::span<const std::byte> slice, DType output) {
  // Exponents of ones only are infinities and what is no number.
  switch (output) {
    case DType::fp64:
      return first_where<std::uint64_t>(slice, 0x7ff0'0000'0000'0000U, 0x7ff0'0000'0000'0000U);
    case DType::fp32:
    case DType::tf32:
      return first_where<std::uint32_t>(slice, 0x7f80'0000U, 0x7f80'0000U);
    case DType::fp16:
      return first_where<std::uint16_t>(slice, 0x7c00U, 0x7c00U);
    case DType::bf16:
      return first_where<std::uint16_t>(slice, 0x7f80U, 0x7f80U);
    default:
      return first_where<std::uint32_t>(slice, 0xffff'ffffU, 0x8080'8080U);
  }
}

double entry_bound(const Gemm& gemm, const EntrySums& sums, double expected) {
  const DType accumulate = accumulate_dtype(gemm);
  const bool equal = gemm.data == DataPattern::ones;
  const double partial = equal ? sums.magnitudes : std::sqrt(sums.squares);
  const double steps = static_cast<double>(gemm.k) / 8 + 1;
  double bound =
      backend::product_bound(gemm.k, sums.squares, expected, accumulate, output_dtype(gemm));
  if (has_matrix_units(gemm.input) && accumulate == DType::fp32) bound += steps * 0x1p-22 * partial;
  if (equal) bound += steps * 2 * unit_roundoff(accumulate) * partial;
  if (is_fp8(gemm.input)) bound += 0x1p-8 * partial;
  return bound;
}

ExpectedEntry expected_entry(const Gemm& gemm, std::uint64_t item, std::uint64_t row,
                             std::uint64_t column) {
  const GemmReference reference(gemm);
  const lt::DataType scale = lt_problem(gemm).scale;
  const double alpha = held_factor(scale, gemm.alpha);
  const double beta = held_factor(scale, gemm.beta);
  // Long double holds every product and partial sum of fp64 with 11 bits to spare.
  long double sum = 0;
  EntrySums sums;
  for (std::uint64_t i = 0; i < gemm.k; ++i) {
    const double a = reference.a(item, row, i);
    const double b = reference.b(item, i, column);
    sum += static_cast<long double>(a) * b;
    const double product = alpha * a * b;
    sums.squares += product * product;
    sums.magnitudes += std::fabs(product);
  }
  const double before = beta == 0 ? 0 : beta * reference.c(item, row, column);
  sums.squares += before * before;
  const auto expected = static_cast<double>(alpha * sum + static_cast<long double>(before));
  return {expected, entry_bound(gemm, sums, expected)};
}

Verification check_product(const Gemm& gemm, Gpu& gpu, Buffer& result,
                           const std::function<void()>& multiply) {
  const DType output = output_dtype(gemm);
  const std::uint64_t element_bytes = storage_bits(output) / 8;
  const std::vector<Sampled> sampled = sampled_entries(gemm);
  result.set(poison_byte(output));
  multiply();
  std::optional<std::uint64_t> hole;
  backend::Comparison all;
  auto next = sampled.begin();
  each_slice(gpu, {&result}, result.bytes(), [&](std::uint64_t offset, const Slices& slices) {
    const std::uint64_t first = offset / element_bytes;
    const std::uint64_t end = first + slices[0].size() / element_bytes;
    if (!hole) {
      hole = first_unwritten(slices[0], output);
      if (hole) *hole += first;
    }
    for (; next != sampled.end() && next->index < end; ++next) {
      all.add(next->index, element(slices[0].data(), output, next->index - first),
              next->expected.value, next->expected.bound);
    }
  });
  if (hole) {
    return {VerificationState::incorrect,
            "entry " + std::to_string(*hole) +
                " of the result was not written, or is no number, or too large for " +
                std::string(name(output)) + factors_text(gemm)};
  }
  Verification out = backend::verdict(all, kAgainst);
  if (out.state == VerificationState::incorrect) out.detail += factors_text(gemm);
  return out;
}

}  // namespace roofline::cuda
