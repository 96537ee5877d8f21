#include "backend/cuda/gemm_operands.hpp"

#include <limits>

#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/results.hpp"

namespace roofline::cuda {
namespace {

constexpr u64 kSeedA = 61;
constexpr u64 kSeedB = 62;
constexpr u64 kSeedC = 63;

double bytes_per_element(DType dtype) { return storage_bits(dtype) / 8.0; }

}  // namespace

GemmBytes gemm_bytes(const Gemm& gemm) {
  const std::uint64_t m = padded_m(gemm);
  const DType output = output_dtype(gemm);
  GemmBytes out;
  out.a = gemm.batch * m * gemm.k * storage_bits(type_of_a(gemm)) / 8;
  out.b = gemm.batch * gemm.k * gemm.n * storage_bits(type_of_b(gemm)) / 8;
  out.d = gemm.batch * m * gemm.n * storage_bits(output) / 8;
  out.c = gemm.beta == 0 ? 0 : out.d;
  return out;
}

double gemm_bytes_estimate(const Gemm& gemm) {
  const auto m = static_cast<double>(padded_m(gemm));
  const auto n = static_cast<double>(gemm.n);
  const auto k = static_cast<double>(gemm.k);
  const double results = gemm.beta == 0 ? 1 : 2;
  return static_cast<double>(gemm.batch) *
         (m * k * bytes_per_element(type_of_a(gemm)) + k * n * bytes_per_element(type_of_b(gemm)) +
          results * m * n * bytes_per_element(output_dtype(gemm)));
}

Bytes gemm_footprint(const Gemm& gemm, Gpu& gpu) {
  const std::uint64_t set = gemm_bytes(gemm).set();
  const std::uint64_t sets =
      rotation_sets(set, gpu.l2_bytes(), std::numeric_limits<std::uint64_t>::max());
  return byte(static_cast<double>(sets) * static_cast<double>(set) +
              static_cast<double>(gpu.lt_workspace_to_come()));
}

std::uint64_t gemm_sets(const Gemm& gemm, Gpu& gpu) {
  return rotation_sets(gemm_bytes(gemm).set(), gpu.l2_bytes(), gpu.memory_budget());
}

Distribution distribution_of(DataPattern data) {
  switch (data) {
    case DataPattern::zeros:
      return Distribution::zeros;
    case DataPattern::ones:
      return Distribution::ones;
    case DataPattern::integers:
      return Distribution::integers;
    case DataPattern::random:
      break;
  }
  return Distribution::uniform;
}

GemmOperands::GemmOperands(const Gemm& gemm, Gpu& gpu, std::uint64_t sets)
    : bytes_(gemm_bytes(gemm)) {
  Context& context = gpu.context();
  const std::string fits = "smaller sizes, or a smaller batch, need less";
  const Distribution pattern = distribution_of(gemm.data);
  const std::uint64_t m = padded_m(gemm);
  for (std::uint64_t i = 0; i < sets; ++i) {
    Set set{Buffer(context, bytes_.a, fits), Buffer(context, bytes_.b, fits),
            Buffer(context, bytes_.c, fits), Buffer(context, bytes_.d, fits)};
    fill(gpu, set.a.address(), type_of_a(gemm), gemm.batch * m * gemm.k, kSeedA, pattern);
    fill(gpu, set.b.address(), type_of_b(gemm), gemm.batch * gemm.k * gemm.n, kSeedB, pattern);
    if (bytes_.c != 0)
      fill(gpu, set.c.address(), output_dtype(gemm), gemm.batch * m * gemm.n, kSeedC);
    sets_.push_back(std::move(set));
  }
  context.synchronize();
}

GemmAddresses GemmOperands::at(std::uint64_t set) const {
  const Set& s = sets_[set];
  return {s.a.address(), s.b.address(), s.c.bytes() == 0 ? s.d.address() : s.c.address(),
          s.d.address()};
}

double GemmReference::a(std::uint64_t item, std::uint64_t row, std::uint64_t i) const {
  const std::uint64_t place = gemm_.transpose_a ? i * m_ + row : row * gemm_.k + i;
  return reference(type_of_a(gemm_), kSeedA, item * m_ * gemm_.k + place,
                   distribution_of(gemm_.data));
}

double GemmReference::b(std::uint64_t item, std::uint64_t i, std::uint64_t column) const {
  const std::uint64_t place = gemm_.transpose_b ? column * gemm_.k + i : i * gemm_.n + column;
  return reference(type_of_b(gemm_), kSeedB, item * gemm_.k * gemm_.n + place,
                   distribution_of(gemm_.data));
}

double GemmReference::c(std::uint64_t item, std::uint64_t row, std::uint64_t column) const {
  return reference(output_dtype(gemm_), kSeedC, index(item, row, column));
}

std::uint64_t GemmReference::index(std::uint64_t item, std::uint64_t row,
                                   std::uint64_t column) const {
  return (item * m_ + row) * gemm_.n + column;
}

}  // namespace roofline::cuda
