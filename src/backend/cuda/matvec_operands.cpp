#include "backend/cuda/matvec_operands.hpp"

#include <algorithm>

#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/results.hpp"

namespace roofline::cuda {
namespace {

constexpr u64 kSeedActivation = 21;
constexpr u64 kSeedWeight = 22;
constexpr u64 kSeedScale = 23;
/// Every set starts as aligned as an allocation.
constexpr std::uint64_t kAlignment = 256;

std::uint64_t filled_up(std::uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::uint64_t groups(const Projection& p) { return (p.d_in + kScaleGroup - 1) / kScaleGroup; }

}  // namespace

DType weight_type(const Projection& p) { return p.weight.value_or(p.activation); }

bool has_scales(const Projection& p) {
  return weight_type(p) == DType::int8 || weight_type(p) == DType::int4;
}

MatvecBytes matvec_bytes(const Projection& p) {
  const std::uint64_t bits = storage_bits(p.activation);
  MatvecBytes out;
  out.weights = packed_bytes(Count{p.d_in} * Count{p.d_out}, storage_bits(weight_type(p))).value();
  if (has_scales(p)) out.scales = groups(p) * p.d_out * 2;
  out.set = filled_up(out.weights) + filled_up(out.scales);
  out.activations = p.rows * p.d_in * bits / 8;
  out.outputs = p.rows * p.d_out * bits / 8;
  return out;
}

std::uint64_t matvec_sets(const Projection& p, Gpu& gpu) {
  if (p.level != Boundary::dram) return 1;
  const MatvecBytes bytes = matvec_bytes(p);
  const std::uint64_t besides = bytes.activations + bytes.outputs;
  const std::uint64_t budget = gpu.memory_budget();
  return rotation_sets(bytes.set, gpu.l2_bytes(), budget > besides ? budget - besides : 0);
}

MatvecLaunch matvec_launch_for(const Projection& p, std::uint64_t rows, Gpu& gpu) {
  const DeviceReading& device = gpu.reading();
  const auto or_else = [](int value, u64 otherwise) {
    return value > 0 ? static_cast<u64>(value) : otherwise;
  };
  return matvec_launch(
      {.rows = static_cast<u32>(rows),
       .d_in = static_cast<u32>(p.d_in),
       .d_out = static_cast<u32>(p.d_out),
       .weight_bits = storage_bits(weight_type(p))},
      {.sm_count = gpu.sm_count(),
       .shared_per_block = or_else(device.shared_memory_opt_in_bytes, u64{48} * 1024),
       .shared_per_sm = or_else(device.shared_memory_per_sm_bytes, u64{64} * 1024)});
}

MatvecOperands::MatvecOperands(const Projection& p, Gpu& gpu, std::uint64_t sets)
    : bytes_(matvec_bytes(p)) {
  Context& context = gpu.context();
  const std::string fits = "fewer or smaller outputs (D_OUT) need less";
  weights_ = Buffer(context, sets * bytes_.set, fits);
  activations_ = Buffer(context, bytes_.activations, fits);
  outputs_ = Buffer(context, bytes_.outputs, fits);
  const MatvecLaunch most = matvec_launch_for(p, std::min(p.rows, kRowsOfLaunch), gpu);
  const std::uint64_t rest = p.rows % kRowsOfLaunch;
  const std::uint64_t last = rest == 0 ? 0 : matvec_launch_for(p, rest, gpu).partial_bytes;
  partial_ = Buffer(context, std::max<std::uint64_t>(most.partial_bytes, last), fits);
  fill(gpu, activations_.address(), p.activation, p.rows * p.d_in, kSeedActivation);
  for (std::uint64_t set = 0; set < sets; ++set) {
    fill(gpu, weights_.address(set * bytes_.set), weight_type(p), p.d_in * p.d_out, kSeedWeight);
    if (bytes_.scales == 0) continue;
    fill(gpu, weights_.address(set * bytes_.set + filled_up(bytes_.weights)), DType::fp16,
         groups(p) * p.d_out, kSeedScale, Distribution::scale);
  }
  context.synchronize();
}

const void* MatvecOperands::weights(std::uint64_t set) const {
  return weights_.as<const void>(set * bytes_.set);
}

const void* MatvecOperands::scales(std::uint64_t set) const {
  if (bytes_.scales == 0) return nullptr;
  return weights_.as<const void>(set * bytes_.set + filled_up(bytes_.weights));
}

double reference_weight(const Projection& p, std::uint64_t o, std::uint64_t i) {
  const double stored = reference(weight_type(p), kSeedWeight, o * p.d_in + i);
  if (!has_scales(p)) return stored;
  return stored *
         reference(DType::fp16, kSeedScale, o * groups(p) + i / kScaleGroup, Distribution::scale);
}

double reference_activation(const Projection& p, std::uint64_t row, std::uint64_t i) {
  return reference(p.activation, kSeedActivation, row * p.d_in + i);
}

}  // namespace roofline::cuda
