// Which products a GPU can do through cuBLASLt, why not the others, and what would work.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "backend/cuda/gemm_operands.hpp"
#include "backend/cuda/gpu_run.hpp"

namespace roofline::cuda {
namespace {

using Refusal = std::optional<backend::Unsupported>;

/// What the library sums a type's products in and writes their results in, and the oldest GPU that
/// has units for it. Of cuBLAS's documentation, "cublasLtMatmul: supported types".
struct TypeRow {
  DType input;
  int capability;  ///< 89 of 8.9
  const char* since;
  const char* instead;
  std::vector<DType> accumulates;
  std::vector<DType> outputs;
};

const TypeRow* row_of(DType input) {
  using enum DType;
  static const TypeRow kRows[] = {
      {fp64, 0, "", "", {fp64}, {fp64}},
      {fp32, 0, "", "", {fp32}, {fp32}},
      {tf32, 80, "Ampere", "fp32 or fp16", {fp32}, {tf32, fp32}},
      {fp16, 0, "", "", {fp32, fp16}, {fp16, fp32}},
      {bf16, 80, "Ampere", "fp16", {fp32}, {bf16, fp32}},
      {fp8_e4m3, 89, "Ada, Hopper", "int8, bf16 or fp16", {fp32}, {bf16, fp16, fp32}},
      {fp8_e5m2, 89, "Ada, Hopper", "int8, bf16 or fp16", {fp32}, {bf16, fp16, fp32}},
      {int8, 0, "", "", {int32}, {int32}},
  };
  const auto* const found = std::find_if(std::begin(kRows), std::end(kRows),
                                         [&](const TypeRow& row) { return row.input == input; });
  return found == std::end(kRows) ? nullptr : found;
}

std::string text(DType dtype) { return std::string(name(dtype)); }

std::string list(const std::vector<DType>& types) {
  std::string out;
  for (const DType type : types) {
    if (!out.empty()) out += " or ";
    out += text(type);
  }
  return out;
}

Refusal refuse_type(const Gemm& gemm, Gpu& gpu) {
  const TypeRow* const row = row_of(gemm.input);
  if (row == nullptr) {
    return backend::Unsupported{text(gemm.input) +
                                " products, with their scales for blocks of values, are not in "
                                "this version; use fp8, int8 or bf16"};
  }
  const DeviceReading& device = gpu.reading();
  if (device.capability_major * 10 + device.capability_minor < row->capability) {
    return backend::Unsupported{
        text(gemm.input) + " products need compute capability " +
        std::to_string(row->capability / 10) + "." + std::to_string(row->capability % 10) + " (" +
        row->since + ") or later, and this GPU has " + std::to_string(device.capability_major) +
        "." + std::to_string(device.capability_minor) + "; use " + row->instead};
  }
  const auto has = [](const auto& types, DType wanted) {
    return std::find(types.begin(), types.end(), wanted) != types.end();
  };
  if (!has(row->accumulates, accumulate_dtype(gemm))) {
    return backend::Unsupported{"cuBLASLt sums " + text(gemm.input) + " products in " +
                                list(row->accumulates) + ", not in " +
                                text(accumulate_dtype(gemm))};
  }
  if (accumulate_dtype(gemm) == DType::fp16 && output_dtype(gemm) != DType::fp16) {
    return backend::Unsupported{"sums in fp16 are written in fp16, not in " +
                                text(output_dtype(gemm)) +
                                "; leave out --accumulate or "
                                "--output-type"};
  }
  if (!has(row->outputs, output_dtype(gemm))) {
    return backend::Unsupported{"results of " + text(gemm.input) + " products are written in " +
                                list(row->outputs) + ", not in " + text(output_dtype(gemm))};
  }
  return std::nullopt;
}

/// What a variable of the library makes of a type.
Refusal refuse_environment(const Gemm& gemm) {
  const char* const tf32 = std::getenv("NVIDIA_TF32_OVERRIDE");
  if (gemm.input == DType::tf32 && tf32 != nullptr && std::string_view(tf32) == "0") {
    return backend::Unsupported{
        "NVIDIA_TF32_OVERRIDE=0 makes tf32 products be fp32; unset it, or ask for fp32"};
  }
  return std::nullopt;
}

Refusal refuse_layout(const Gemm& gemm) {
  const std::uint64_t multiple = size_multiple(gemm.input);
  if (multiple == 1) return std::nullopt;
  if (gemm.transpose_a) {
    return backend::Unsupported{text(gemm.input) +
                                " products take A stored MxK and B stored NxK only; leave out "
                                "--transpose-a"};
  }
  const auto rest = [&](std::uint64_t size) { return size % multiple != 0; };
  if (!rest(gemm.n) && !rest(gemm.k)) return std::nullopt;
  const auto next = [&](std::uint64_t size) {
    return std::to_string((size / multiple + (rest(size) ? 1 : 0)) * multiple);
  };
  const bool both = rest(gemm.n) && rest(gemm.k);
  std::string which = both ? "n = " + std::to_string(gemm.n) + " and k = " + std::to_string(gemm.k)
                      : rest(gemm.n) ? "n = " + std::to_string(gemm.n)
                                     : "k = " + std::to_string(gemm.k);
  return backend::Unsupported{text(gemm.input) + " products need n and k in multiples of " +
                              std::to_string(multiple) + " (rows of A and of B begin at " +
                              std::to_string(multiple) + " bytes), and " + which +
                              (both ? " are none" : " is none") + "; use n = " + next(gemm.n) +
                              ", k = " + next(gemm.k) + " (m is filled up where it must be)"};
}

Refusal refuse_values(const Gemm& gemm) {
  constexpr std::uint64_t kMostSize = std::numeric_limits<std::int32_t>::max();
  const std::uint64_t largest = std::max({gemm.m, gemm.n, gemm.k, gemm.batch});
  if (largest > kMostSize) {
    return backend::Unsupported{"cuBLASLt takes sizes and batches up to " +
                                std::to_string(kMostSize) + ", and " + std::to_string(largest) +
                                " is more"};
  }
  const auto whole = [](double value) {
    return value == std::trunc(value) && std::fabs(value) <= static_cast<double>(kMostSize);
  };
  if (gemm.input == DType::int8 && !(whole(gemm.alpha) && whole(gemm.beta))) {
    return backend::Unsupported{
        "int8 products are summed in int32, with factors of int32; give whole numbers within "
        "2147483647 as alpha and beta"};
  }
  if (auto problem = unfit_factors(gemm)) return backend::Unsupported{*problem};
  constexpr double kLargestHalf = 65504;
  const double sum = std::fabs(gemm.alpha) * static_cast<double>(gemm.k);
  if (gemm.data == DataPattern::ones && output_dtype(gemm) == DType::fp16 && sum > kLargestHalf) {
    return backend::Unsupported{
        "with operands of ones every result would be beyond 65504, the largest fp16; use "
        "--output-type fp32, --data random or a smaller k"};
  }
  return std::nullopt;
}

Refusal refuse_size(const Gemm& gemm, Gpu& gpu) {
  const auto workspace = static_cast<double>(gpu.lt_workspace_to_come());
  const double operands = storage_bits(type_of_a(gemm)) + storage_bits(type_of_b(gemm));
  const double results = (gemm.beta == 0 ? 1 : 2) * storage_bits(output_dtype(gemm));
  const double each = static_cast<double>(gemm.batch) * (operands + results) / 8;
  const double room = std::max(0.0, static_cast<double>(gpu.memory_budget()) - workspace);
  const double side = std::floor(std::sqrt(room / each));
  return too_large(gpu, gemm_bytes_estimate(gemm) + workspace,
                   side < 1
                       ? "beside the library's workspace nothing fits; free memory of the device"
                       : "the largest square that fits is about n = " +
                             std::to_string(static_cast<std::uint64_t>(side)));
}

}  // namespace

Support support_gemm(const Gemm& gemm, Gpu& gpu) {
  Gemm out = gemm;
  if (out.convert_a_from || out.convert_b_from) {
    return backend::Unsupported{
        "operands converted through a buffer are not measured on a GPU; leave the conversion out"};
  }
  if (auto refused = refuse_type(out, gpu)) return *refused;
  if (auto refused = refuse_environment(out)) return *refused;
  if (auto refused = refuse_layout(out)) return *refused;
  // The one layout there is; whoever named none gets it, and the record says so.
  if (size_multiple(out.input) > 1) out.transpose_b = true;
  if (auto refused = refuse_values(out)) return *refused;
  if (auto refused = refuse_size(out, gpu)) return *refused;
  // Last, because it takes the longest to find out.
  if (const std::string& problem = gpu.shared().cublaslt.get().problem; !problem.empty())
    return backend::Unsupported{problem};
  return Workload{out};
}

}  // namespace roofline::cuda
