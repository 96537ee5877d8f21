// Which projections the CPU can run, and the reasons why not.
#include "backend/cpu/matvec_weights.hpp"
#include "backend/cpu/projection_gemm.hpp"
#include "backend/cpu/workloads.hpp"

namespace roofline::cpu {
namespace {

bool is_weight(DType dtype) {
  return dtype == DType::fp32 || dtype == DType::bf16 || dtype == DType::int8;
}

std::optional<backend::Unsupported> refuse_types(const Projection& p) {
  if (p.level != Boundary::dram) {
    return backend::Unsupported{
        "the CPU's matvec rotates its weights so that they come from DRAM; leave out the level (" +
        std::string(name(p.level)) + ")"};
  }
  if (p.activation != DType::fp32 && p.activation != DType::bf16) {
    return backend::Unsupported{
        "the CPU's matvec takes activations in fp32 or bf16, not " +
        std::string(name(p.activation)) +
        (p.activation == DType::int8 ? "; int8 weights meet bf16 or fp32 activations" : "")};
  }
  if (!is_weight(projection_weight(p))) {
    return backend::Unsupported{"the CPU's matvec takes weights in fp32, bf16 or int8, not " +
                                std::string(name(projection_weight(p)))};
  }
  if (projection_output(p) != DType::fp32 && projection_output(p) != DType::bf16) {
    return backend::Unsupported{"the CPU's matvec writes fp32 or bf16, not " +
                                std::string(name(projection_output(p)))};
  }
  if (p.scale_group != 0 && p.scale_bits != 16) {
    return backend::Unsupported{"the CPU's matvec takes bf16 scales (scale_bits 16), not " +
                                std::to_string(p.scale_bits) + " bits"};
  }
  return std::nullopt;
}

}  // namespace

Support support_projection(const Projection& projection, Context& context) {
  if (projection.rows > kMostRows && projection.level == Boundary::dram) {
    const bool plain =
        projection_weight(projection) == projection.activation && projection.scale_group == 0;
    if (!plain) {
      return backend::Unsupported{
          "more than " + std::to_string(kMostRows) +
          " rows are multiplied by a GEMM library, which takes no weights of another type than "
          "the activations; use at most " +
          std::to_string(kMostRows) + " rows"};
    }
    auto answer = support_gemm(as_gemm(projection), context);
    if (const auto* refused = std::get_if<backend::Unsupported>(&answer)) return *refused;
    return Workload{projection};
  }
  if (auto refused = refuse_types(projection)) return *refused;
  const double weights =
      static_cast<double>(projection.d_in) * static_cast<double>(projection.d_out);
  const double bytes =
      storage_bits(projection_weight(projection)) / 8.0 + (projection.scale_group == 0 ? 0.0 : 2.0);
  const double rows = static_cast<double>(projection.rows) *
                      static_cast<double>(projection.d_in + projection.d_out) * 8;
  const std::uint64_t n = largest_within(static_cast<double>(context.memory_budget()),
                                         [&](double size) { return size * size * bytes; });
  if (auto refused =
          too_large(context, weights * bytes + rows,
                    "the largest square matrix that fits has " + std::to_string(n) + " rows")) {
    return *refused;
  }
  return Workload{projection};
}

}  // namespace roofline::cpu
