#include "backend/cuda/gemm_layout.hpp"

#include "roofline/error.hpp"

namespace roofline::cuda {
namespace {

LtMatrix matrix(DType type, std::uint64_t rows, std::uint64_t columns) {
  return {lt_type(type), rows, columns, static_cast<std::int64_t>(rows),
          static_cast<std::int64_t>(rows * columns)};
}

lt::ComputeType compute_type(const Gemm& gemm) {
  switch (gemm.input) {
    case DType::fp64:
      return lt::ComputeType::c_64f;
    case DType::tf32:
      return lt::ComputeType::c_32f_fast_tf32;
    case DType::int8:
      return lt::ComputeType::c_32i;
    default:
      break;
  }
  return accumulate_dtype(gemm) == DType::fp16 ? lt::ComputeType::c_16f : lt::ComputeType::c_32f;
}

lt::DataType scale_type(lt::ComputeType compute) {
  switch (compute) {
    case lt::ComputeType::c_64f:
      return lt::DataType::r_64f;
    case lt::ComputeType::c_32i:
      return lt::DataType::r_32i;
    case lt::ComputeType::c_16f:
      return lt::DataType::r_16f;
    default:
      return lt::DataType::r_32f;
  }
}

}  // namespace

DType type_of_a(const Gemm& gemm) { return gemm.input; }

DType type_of_b(const Gemm& gemm) {
  return gemm.input == DType::fp8_e5m2 ? DType::fp8_e4m3 : gemm.input;
}

bool is_fp8(DType dtype) { return dtype == DType::fp8_e4m3 || dtype == DType::fp8_e5m2; }

std::uint64_t size_multiple(DType input) {
  if (is_fp8(input)) return 16;
  return input == DType::int8 ? 4 : 1;
}

std::uint64_t padded_m(const Gemm& gemm) {
  const std::uint64_t multiple = size_multiple(gemm.input);
  return (gemm.m + multiple - 1) / multiple * multiple;
}

std::string unaligned_rows(const Gemm& gemm) {
  struct Size {
    const char* name;
    std::uint64_t value;
  };
  struct Rows {
    Size length;
    DType type;
  };
  constexpr std::uint64_t kBytes = 16;
  const Size m{"m", padded_m(gemm)};
  const Size n{"n", gemm.n};
  const Size k{"k", gemm.k};
  std::string out;
  std::string said;
  for (const Rows& rows :
       {Rows{gemm.transpose_a ? m : k, type_of_a(gemm)},
        Rows{gemm.transpose_b ? k : n, type_of_b(gemm)}, Rows{n, output_dtype(gemm)}}) {
    const std::uint64_t bytes = rows.length.value * storage_bits(rows.type) / 8;
    if (bytes % kBytes == 0 || said.find(rows.length.name) != std::string::npos) continue;
    said += rows.length.name;
    out += (out.empty() ? "" : ", ") + std::string(rows.length.name) + " = " +
           std::to_string(rows.length.value) + " makes rows of " + std::to_string(bytes) +
           " bytes, no multiple of " + std::to_string(kBytes);
  }
  return out;
}

lt::DataType lt_type(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return lt::DataType::r_64f;
    case DType::fp32:
    case DType::tf32:
      return lt::DataType::r_32f;
    case DType::fp16:
      return lt::DataType::r_16f;
    case DType::bf16:
      return lt::DataType::r_16bf;
    case DType::fp8_e4m3:
      return lt::DataType::r_8f_e4m3;
    case DType::fp8_e5m2:
      return lt::DataType::r_8f_e5m2;
    case DType::int8:
      return lt::DataType::r_8i;
    case DType::int32:
      return lt::DataType::r_32i;
    default:
      break;
  }
  throw InputError("GPUs' GEMM has no type " + std::string(name(dtype)) + "; use bf16");
}

LtProblem lt_problem(const Gemm& gemm) {
  const std::uint64_t m = padded_m(gemm);
  LtProblem out;
  out.compute = compute_type(gemm);
  out.scale = scale_type(out.compute);
  out.op_a = gemm.transpose_b ? lt::Operation::t : lt::Operation::n;
  out.op_b = gemm.transpose_a ? lt::Operation::t : lt::Operation::n;
  out.a = gemm.transpose_b ? matrix(type_of_b(gemm), gemm.k, gemm.n)
                           : matrix(type_of_b(gemm), gemm.n, gemm.k);
  out.b =
      gemm.transpose_a ? matrix(type_of_a(gemm), m, gemm.k) : matrix(type_of_a(gemm), gemm.k, m);
  out.c = matrix(output_dtype(gemm), gemm.n, m);
  out.batch = static_cast<std::int32_t>(gemm.batch);
  out.scaled = is_fp8(gemm.input);
  return out;
}

const char* compute_name(lt::ComputeType compute) {
  switch (compute) {
    case lt::ComputeType::c_16f:
      return "16f";
    case lt::ComputeType::c_32f:
      return "32f";
    case lt::ComputeType::c_64f:
      return "64f";
    case lt::ComputeType::c_32i:
      return "32i";
    case lt::ComputeType::c_32f_fast_tf32:
      break;
  }
  return "32f_fast_tf32";
}

}  // namespace roofline::cuda
