// Which GEMMs the CPU can run, and the reasons why not.
#include "backend/cpu/gemm_library.hpp"
#include "backend/cpu/workloads.hpp"

namespace roofline::cpu {
namespace {

std::string why_not(DType dtype) {
  switch (dtype) {
    case DType::fp16:
      return "fp16 GEMM is not offered by the CPU libraries in this build (it takes avx512_fp16); "
             "use bf16";
    case DType::tf32:
      return "tf32 is a GPU type; CPUs multiply fp32 in full";
    case DType::int4:
      return "no CPU library multiplies int4; use int8, or int4 weights in a projection elsewhere";
    default:
      return std::string("CPUs have no ") + std::string(name(dtype)) +
             " arithmetic; use bf16 or int8";
  }
}

}  // namespace

Support support_gemm(const Gemm& gemm, Context& context) {
  const auto request = gemm_request(gemm);
  if (!matrix_type(gemm.input)) return backend::Unsupported{why_not(gemm.input)};
  if (!request) {
    return backend::Unsupported{"the CPU libraries do not write " +
                                std::string(name(gemm_output(gemm))) + " results"};
  }
  if (gemm.accumulate && *gemm.accumulate != info(gemm.input).accumulate) {
    return backend::Unsupported{"the CPU sums " + std::string(name(gemm.input)) + " products in " +
                                std::string(name(info(gemm.input).accumulate)) + " only"};
  }
  if (auto problem = unfit_factors(gemm)) return backend::Unsupported{*problem};
  if (gemm.convert_a_from || gemm.convert_b_from) {
    return backend::Unsupported{
        "operands converted through a buffer are not measured on the CPU; leave the conversion "
        "out"};
  }
  const double element = storage_bits(gemm.input) / 8.0;
  const double output = storage_bits(gemm_output(gemm)) / 8.0;
  const std::uint64_t n =
      largest_within(static_cast<double>(context.memory_budget()),
                     [&](double size) { return size * size * (3 * element + output); });
  if (auto refused = too_large(context, gemm_memory(gemm),
                               "the largest square that fits is n = " + std::to_string(n))) {
    return *refused;
  }
  const GemmChoice chosen = choose_gemm_library(gemm.input, context.modules());
  if (chosen.provider == nullptr) return backend::Unsupported{chosen.problem};
  ErrorText error;
  bool possible = false;
  context.library_thread().call([&] {
    const PlanHandle plan(chosen.provider->create(&*request, error.buffer()), {chosen.provider});
    possible = plan != nullptr;
  });
  if (!possible) return backend::Unsupported{error.str()};
  return Workload{gemm};
}

}  // namespace roofline::cpu
