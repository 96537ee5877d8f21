#include "backend/cpu/gemm_library.hpp"

namespace roofline::cpu {

std::optional<MatrixType> matrix_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return MatrixType::f64;
    case DType::fp32:
      return MatrixType::f32;
    case DType::bf16:
      return MatrixType::bf16;
    case DType::int8:
      return MatrixType::int8;
    case DType::int32:
      return MatrixType::int32;
    default:
      return std::nullopt;
  }
}

DType gemm_output(const Gemm& gemm) { return gemm.output.value_or(info(gemm.input).output); }

std::optional<GemmRequest> gemm_request(const Gemm& gemm) {
  const auto input = matrix_type(gemm.input);
  const auto output = matrix_type(gemm_output(gemm));
  if (!input || !output || *input == MatrixType::int32) return std::nullopt;
  return GemmRequest{gemm.m,           gemm.n,           gemm.k,     *input,   *output,
                     gemm.transpose_a, gemm.transpose_b, gemm.alpha, gemm.beta};
}

GemmChoice choose_gemm_library(DType input, GemmModules& modules) {
  const bool doubles = input == DType::fp64;
  const GemmModule& first = modules.get(doubles ? GemmLibrary::openblas : GemmLibrary::onednn);
  if (first.provider != nullptr || input != DType::fp32) {
    return {first.provider, "", first.problem};
  }
  const GemmModule& other = modules.get(GemmLibrary::openblas);
  if (other.provider == nullptr) return {nullptr, "", first.problem};
  return {other.provider, "oneDNN: " + first.problem, ""};
}

double gemm_memory(const Gemm& gemm) {
  const auto m = static_cast<double>(gemm.m);
  const auto n = static_cast<double>(gemm.n);
  const auto k = static_cast<double>(gemm.k);
  const double in = storage_bits(gemm.input) / 8.0;
  const double out = storage_bits(gemm_output(gemm)) / 8.0;
  const double one = m * k * in + k * n * in + m * n * out;
  return static_cast<double>(gemm.batch) * one + k * n * in;
}

}  // namespace roofline::cpu
