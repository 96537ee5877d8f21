// Fused chains, each operation rounded on its own: the device's bits must be those of the host.
// Compiled without contraction.
#include <algorithm>
#include <string>
#include <type_traits>

#include "check.hpp"
#include "kernels/cuda/random_reference.hpp"

namespace roofline::selftest {
namespace {

using cuda::Bf16;
using cuda::Distribution;
using cuda::Half;

constexpr u64 kSmall[] = {1, 7, 8, 9, 15, 1023, 4099};
constexpr u64 kLarge = (u64{1} << 20) + 5;
constexpr u32 kMostInputs = 4;
constexpr u32 kMostOps = 6;

float widened(float value) { return value; }
double widened(double value) { return value; }
float widened(Half value) { return cuda::to_float(value); }
float widened(Bf16 value) { return cuda::to_float(value); }

void narrow(float value, float* out) { *out = value; }
void narrow(double value, double* out) { *out = value; }
void narrow(float value, Half* out) { *out = cuda::nearest_half(value); }
void narrow(float value, Bf16* out) { *out = cuda::nearest_bf16(value); }

void element(u64 seed, u64 i, float* out) {
  *out = cuda::random_fp32(seed, i, Distribution::normal);
}
void element(u64 seed, u64 i, double* out) {
  *out = cuda::random_fp64(seed, i, Distribution::normal);
}
void element(u64 seed, u64 i, Half* out) {
  *out = cuda::random_fp16(seed, i, Distribution::normal);
}
void element(u64 seed, u64 i, Bf16* out) {
  *out = cuda::random_bf16(seed, i, Distribution::normal);
}

template <class T>
constexpr cuda::Family kFamily = std::is_same_v<T, float>    ? cuda::Family::elementwise_fp32
                                 : std::is_same_v<T, double> ? cuda::Family::elementwise_fp64
                                 : std::is_same_v<T, Half>   ? cuda::Family::elementwise_fp16
                                                             : cuda::Family::elementwise_bf16;

struct Chain {
  u32 inputs;
  u32 first_op;
  u32 ops;
};
constexpr Chain kChains[] = {{1, 0, 1}, {1, 1, 5}, {2, 0, 1}, {2, 1, 1}, {2, 0, 6},
                             {3, 0, 2}, {3, 1, 5}, {4, 1, 3}, {4, 0, 6}};

template <class T>
class ElementwiseCheck {
 public:
  using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;

  ElementwiseCheck(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings)
      : bench_(bench), kernel_(kernel), findings_(findings) {}

  void run() {
    prepare(*std::rbegin(kSmall));
    for (const Chain& chain : kChains) {
      for (const u64 n : kSmall) one(chain, n, {3, 1, 128, 0});
    }
    one({2, 0, 1}, 4099, {1, 1, 32, 0});
    one({4, 1, 3}, 4099, {2, 1, kernel_.max_block, 0});
    if (!bench_.all_sizes) return;
    if (Clock::now() > bench_.deadline) return findings_.left_out();
    prepare(kLarge);
    for (const Chain& chain : kChains) one(chain, kLarge, {2 * bench_.device.sm_count, 1, 256, 0});
  }

 private:
  void prepare(u64 n) {
    inputs_.clear();
    for (u64 which = 0; which < kMostInputs; ++which) {
      inputs_.push_back(input<T>(bench_.context, n, [&](u64 i) {
        T out;
        element(which + 1, i, &out);
        return out;
      }));
    }
    constants_.clear();
    constants_.push_back(input<Compute>(bench_.context, kMostOps, [](u64 i) {
      return static_cast<Compute>(0.75) + static_cast<Compute>(i) / 7;
    }));
  }

  void one(const Chain& chain, u64 n, const cuda::Grid& grid) {
    findings_.begin_case("n " + std::to_string(n) + ", " + std::to_string(chain.inputs) +
                         " inputs, operations " + std::to_string(chain.first_op) + " to " +
                         std::to_string(chain.first_op + chain.ops - 1) + ", " +
                         std::to_string(grid.x) + " blocks of " + std::to_string(grid.block));
    const T* pointers[kMostInputs] = {};
    for (u32 which = 0; which < chain.inputs; ++which)
      pointers[which] = inputs_[which].device.template as<T>();
    Output out(bench_.context, n * sizeof(T));
    cuda::launch<kFamily<T>>(bench_.context, kernel_, grid, out.as<T>(), pointers[0], pointers[1],
                             pointers[2], pointers[3], chain.inputs, chain.first_op, chain.ops,
                             constants_[0].device.template as<Compute>(), n);
    findings_.take(out);
    backend::Comparison comparison;
    for (u64 i = 0; i < n; ++i) {
      comparison.add(i, static_cast<double>(widened(out.at<T>(i))),
                     static_cast<double>(widened(expected(chain, static_cast<std::size_t>(i)))), 0);
    }
    findings_.judge(comparison);
  }

  [[nodiscard]] T expected(const Chain& chain, std::size_t i) const {
    Compute value = widened(inputs_[0].host[i]);
    for (u32 op = 0; op < chain.ops; ++op) {
      const Compute operand =
          op + 1 < chain.inputs ? widened(inputs_[op + 1].host[i]) : constants_[0].host[op];
      value = (chain.first_op + op) % 2 == 0 ? value * operand : value + operand;
    }
    T out;
    narrow(value, &out);
    return out;
  }

  const Bench& bench_;
  const cuda::KernelEntry& kernel_;
  Findings& findings_;
  std::vector<Input<T>> inputs_;
  std::vector<Input<Compute>> constants_;
};

}  // namespace

void check_elementwise(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  switch (kernel.family) {
    case cuda::Family::elementwise_fp32:
      return ElementwiseCheck<float>(bench, kernel, findings).run();
    case cuda::Family::elementwise_fp64:
      return ElementwiseCheck<double>(bench, kernel, findings).run();
    case cuda::Family::elementwise_fp16:
      return ElementwiseCheck<Half>(bench, kernel, findings).run();
    default:
      return ElementwiseCheck<Bf16>(bench, kernel, findings).run();
  }
}

}  // namespace roofline::selftest
