#include "cublaslt_problem.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>

namespace fakegpu::lt {
namespace {

bool is_fp8(DataType type) { return type == DataType::r_8f_e4m3 || type == DataType::r_8f_e5m2; }

struct Combination {
  ComputeType compute;
  DataType scale;
  DataType operands;
  DataType result;
};

// cuBLAS documentation, cublasLtMatmul(), the rows that have no epilogue of their own; FP8 is
// below.
constexpr std::array kCombinations{
    Combination{ComputeType::c_16f, DataType::r_16f, DataType::r_16f, DataType::r_16f},
    Combination{ComputeType::c_32f, DataType::r_32f, DataType::r_16f, DataType::r_16f},
    Combination{ComputeType::c_32f, DataType::r_32f, DataType::r_16f, DataType::r_32f},
    Combination{ComputeType::c_32f, DataType::r_32f, DataType::r_16bf, DataType::r_16bf},
    Combination{ComputeType::c_32f, DataType::r_32f, DataType::r_16bf, DataType::r_32f},
    Combination{ComputeType::c_32f, DataType::r_32f, DataType::r_32f, DataType::r_32f},
    Combination{ComputeType::c_32f_fast_tf32, DataType::r_32f, DataType::r_32f, DataType::r_32f},
    Combination{ComputeType::c_64f, DataType::r_64f, DataType::r_64f, DataType::r_64f},
    Combination{ComputeType::c_32i, DataType::r_32i, DataType::r_8i, DataType::r_32i},
};

bool has_combination(const Problem& p) {
  if (is_fp8(p.a.type) && is_fp8(p.b.type)) {
    const bool both_e5m2 = p.a.type == DataType::r_8f_e5m2 && p.b.type == p.a.type;
    const bool result =
        p.d.type == DataType::r_16bf || p.d.type == DataType::r_16f || p.d.type == DataType::r_32f;
    return !both_e5m2 && result && p.c.type == p.d.type && p.compute == ComputeType::c_32f &&
           p.scale == DataType::r_32f;
  }
  return p.a.type == p.b.type && p.c.type == p.d.type &&
         std::any_of(kCombinations.begin(), kCombinations.end(), [&](const Combination& row) {
           return row.compute == p.compute && row.scale == p.scale && row.operands == p.a.type &&
                  row.result == p.d.type;
         });
}

bool multiples_of(const Problem& p, std::uint64_t unit) {
  return p.m() % unit == 0 && p.n() % unit == 0 && p.k() % unit == 0 &&
         static_cast<std::uint64_t>(p.a.ld) % unit == 0 &&
         static_cast<std::uint64_t>(p.b.ld) % unit == 0;
}

bool shapes_fit(const Problem& p) {
  const auto rows_a = p.transpose_a ? p.a.columns : p.a.rows;
  const auto rows_b = p.transpose_b ? p.b.columns : p.b.rows;
  const auto columns_b = p.transpose_b ? p.b.rows : p.b.columns;
  if (rows_a != p.m() || rows_b != p.k() || columns_b != p.n()) return false;
  if (p.c.rows != p.d.rows || p.c.columns != p.d.columns) return false;
  for (const Matrix* const matrix : {&p.a, &p.b, &p.c, &p.d}) {
    if (matrix->rows == 0 || matrix->columns == 0) return false;
    if (matrix->ld < 0 || static_cast<std::uint64_t>(matrix->ld) < matrix->rows) return false;
    if (matrix->batch < 1 || matrix->batch != p.d.batch || matrix->stride < 0) return false;
  }
  return p.d.batch == 1 || p.d.stride > 0;
}

}  // namespace

std::uint64_t Matrix::extent() const {
  return static_cast<std::uint64_t>(batch - 1) * static_cast<std::uint64_t>(stride) +
         (columns - 1) * static_cast<std::uint64_t>(ld) + rows;
}

bool Matrix::packed() const {
  return static_cast<std::uint64_t>(ld) == rows &&
         (batch == 1 || static_cast<std::uint64_t>(stride) == rows * columns);
}

std::size_t bytes_of(DataType type) {
  switch (type) {
    case DataType::r_64f:
      return 8;
    case DataType::r_32f:
    case DataType::r_32i:
      return 4;
    case DataType::r_16f:
    case DataType::r_16bf:
      return 2;
    default:
      return 1;
  }
}

std::string_view type_name(const Problem& problem) {
  switch (problem.a.type) {
    case DataType::r_64f:
      return "fp64";
    case DataType::r_16f:
      return "fp16";
    case DataType::r_16bf:
      return "bf16";
    case DataType::r_8i:
      return "int8";
    case DataType::r_8f_e4m3:
      return problem.b.type == DataType::r_8f_e5m2 ? "fp8_e5m2" : "fp8_e4m3";
    case DataType::r_8f_e5m2:
      return "fp8_e5m2";
    default:
      return problem.compute == ComputeType::c_32f_fast_tf32 ? "tf32" : "fp32";
  }
}

double rate_of(const Problem& problem, const DeviceModel& model) {
  const MatrixFlopPerClock& rates = model.matrix_flop_per_clock;
  switch (problem.a.type) {
    case DataType::r_64f:
      return rates.fp64;
    case DataType::r_16f:
      return rates.fp16;
    case DataType::r_16bf:
      return model.major >= 8 ? rates.bf16 : 0;
    case DataType::r_8i:
      return rates.int8;
    case DataType::r_8f_e4m3:
    case DataType::r_8f_e5m2:
      return model.major * 10 + model.minor >= 89 ? rates.fp8 : 0;
    default:
      break;
  }
  if (problem.compute != ComputeType::c_32f_fast_tf32) return rates.fp32;
  return model.major >= 8 ? rates.tf32 : 0;
}

Status check(const Problem& p, const DeviceModel& model) {
  if (!shapes_fit(p)) return kInvalidValue;
  for (const Matrix* const matrix : {&p.a, &p.b, &p.c, &p.d}) {
    if (matrix->order != kOrderColumn) return kNotSupported;
  }
  if (!p.plain || !has_combination(p)) return kNotSupported;
  const bool fp8 = is_fp8(p.a.type);
  if ((p.scaled_a || p.scaled_b) && !fp8) return kNotSupported;
  if (p.scaled_d) return kNotSupported;  // for FP8 results, which nothing here has
  if (rate_of(p, model) <= 0) return kNotSupported;
  const bool tn = p.transpose_a && !p.transpose_b;
  if (fp8 && (!tn || !multiples_of(p, 16))) return kNotSupported;
  if (p.a.type == DataType::r_8i && (!tn || !multiples_of(p, 4))) return kNotSupported;
  return kSuccess;
}

std::uint64_t Problem::key() const {
  std::uint64_t hash = 0xcbf29ce484222325ULL;  // FNV-1a, by words
  const auto mix = [&](auto value) {
    hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x100000001b3ULL;
    hash ^= hash >> 29;
  };
  mix(compute);
  mix(scale);
  mix((transpose_a ? 1 : 0) + (transpose_b ? 2 : 0) + (scaled_a ? 4 : 0) + (scaled_b ? 8 : 0));
  for (const Matrix* const matrix : {&a, &b, &c, &d}) {
    mix(matrix->type);
    mix(matrix->rows);
    mix(matrix->columns);
    mix(matrix->ld);
    mix(matrix->batch);
    mix(matrix->stride);
  }
  return hash;
}

}  // namespace fakegpu::lt
