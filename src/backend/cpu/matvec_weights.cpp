#include "backend/cpu/matvec_weights.hpp"

#include <algorithm>
#include <optional>

#include "backend/cpu/operands.hpp"
#include "backend/cpu/random.hpp"

namespace roofline::cpu {
namespace {

constexpr std::uint64_t kSeedWeight = 22;
constexpr std::uint64_t kSeedScale = 23;
constexpr std::uint64_t kLine = 64;

std::uint64_t round_up(std::uint64_t value, std::uint64_t step) {
  return (value + step - 1) / step * step;
}

WeightElement weight_element(DType dtype) {
  if (dtype == DType::fp32) return WeightElement::f32;
  return dtype == DType::bf16 ? WeightElement::bf16 : WeightElement::int8;
}

/// Uniform in [0.5, 1), as bf16.
std::uint16_t random_scale(std::uint64_t index) {
  return to_bf16(0.75F + 0.25F * random_fp32(kSeedScale, index));
}

}  // namespace

DType projection_weight(const Projection& p) { return p.weight.value_or(p.activation); }

DType projection_output(const Projection& p) { return p.output.value_or(p.activation); }

const MatvecKernel& projection_kernel(const Projection& p, const Context& context) {
  const auto activation =
      p.activation == DType::bf16 ? ActivationElement::bf16 : ActivationElement::f32;
  // A pair of inputs that meet in one instruction must share their scale.
  const bool pairs = context.bf16_dot() && p.scale_group % 2 == 0;
  return matvec_kernel(weight_element(projection_weight(p)), activation, context.isa(), pairs);
}

MatvecWeights::MatvecWeights(const Projection& p, const MatvecKernel& kernel, Context& context,
                             std::uint64_t fixed)
    : p_(p),
      kernel_(kernel),
      context_(context),
      d_in_(round_up(p.d_in, kernel.depth_step)),
      strips_(round_up(p.d_out, kernel.lanes) / kernel.lanes),
      groups_(p.scale_group == 0 ? 0 : (p.d_in + p.scale_group - 1) / p.scale_group),
      strip_bytes_(d_in_ * kernel.lanes * storage_bits(projection_weight(p)) / 8),
      strip_scales_(groups_ * kernel.lanes),
      // In whole lines, so that a copy starts as aligned as the first.
      copy_bytes_(
          round_up(strips_ * (strip_bytes_ + strip_scales_ * sizeof(std::uint16_t)), kLine)),
      copies_(rotation_copies(copy_bytes_, context.dram_bytes(), fixed, context.memory_budget())),
      buffer_(copies_ * copy_bytes_) {
  fill();
}

MatvecTask MatvecWeights::task(Part strips, std::uint64_t copy) const {
  MatvecTask out;
  out.weights = weights_of(copy) + strips.begin * strip_bytes_;
  out.strip_bytes = strip_bytes_;
  out.strips = strips.size();
  if (groups_ != 0) {
    out.scales = scales_of(copy) + strips.begin * strip_scales_;
    out.group = p_.scale_group;
  }
  out.rows = p_.rows;
  out.d_in = d_in_;
  return out;
}

double MatvecWeights::value(std::uint64_t i, std::uint64_t o) const {
  const double stored = operand_element({projection_weight(p_), kSeedWeight}, o * p_.d_in + i);
  if (groups_ == 0) return stored;
  return stored * static_cast<double>(from_bf16(random_scale(o * groups_ + i / p_.scale_group)));
}

/// The first copy is computed, the others are copied from it.
void MatvecWeights::fill() {
  context_.team().run([&](unsigned worker) {
    const Part strips = strips_of(worker);
    for (std::uint64_t strip = strips.begin; strip < strips.end; ++strip) fill_strip(strip, strips);
    for (std::uint64_t to = 1; to < copies_; ++to) {
      const auto copy = [&](std::uint64_t begin, std::uint64_t end) {
        std::copy(weights_of(0) + begin, weights_of(0) + end, weights_of(to) + begin);
      };
      copy(strips.begin * strip_bytes_, strips.end * strip_bytes_);
      const std::uint64_t scales = strips_ * strip_bytes_;
      const std::uint64_t scale_bytes = strip_scales_ * sizeof(std::uint16_t);
      copy(scales + strips.begin * scale_bytes, scales + strips.end * scale_bytes);
    }
  });
}

void MatvecWeights::fill_strip(std::uint64_t strip, Part range) {
  switch (projection_weight(p_)) {
    case DType::fp32:
      fill_strip_as(strip, range, random_fp32);
      break;
    case DType::bf16:
      fill_strip_as(strip, range, random_bf16);
      break;
    default:
      fill_strip_as(strip, range, random_int8);
      break;
  }
  std::uint16_t* const scales = scales_of(0) + strip * strip_scales_;
  for (std::uint64_t at = 0; at < strip_scales_; ++at) {
    const std::uint64_t output = strip * kernel_.lanes + at % kernel_.lanes;
    scales[at] = random_scale(output * groups_ + at / kernel_.lanes);
  }
}

template <class T>
void MatvecWeights::fill_strip_as(std::uint64_t strip, Part range,
                                  T (*random)(std::uint64_t, std::uint64_t)) {
  T* const data = reinterpret_cast<T*>(weights_of(0) + range.begin * strip_bytes_);
  const std::uint64_t first = range.begin * kernel_.lanes;
  for (std::uint64_t i = 0; i < d_in_; ++i) {
    for (std::uint64_t lane = 0; lane < kernel_.lanes; ++lane) {
      const std::uint64_t o = strip * kernel_.lanes + lane;
      const bool inside = i < p_.d_in && o < p_.d_out;
      data[packed_index(kernel_, d_in_, range.size(), i, o - first)] =
          inside ? random(kSeedWeight, o * p_.d_in + i) : T{0};
    }
  }
}

}  // namespace roofline::cpu
