// Decode matvec against sums in float64: every weight type, row counts up to the kernel's own, odd
// lengths, and the same product split along d_in.
#include <cmath>
#include <string>
#include <string_view>
#include <type_traits>

#include "check.hpp"
#include "kernels/cuda/half_bits.hpp"
#include "kernels/cuda/matvec_launch.hpp"

namespace roofline::selftest {
namespace {

using backend::Comparison;
using cuda::Bf16;
using cuda::Half;

constexpr u32 kGroup = 128;  ///< weights along d_in that share a scale

struct Size {
  u32 d_in;
  u32 d_out;
};
constexpr Size kSmall[] = {{2, 1}, {126, 5}, {130, 33}, {514, 31}, {1024, 64}, {4104, 7}};
constexpr Size kLarge[] = {{1026, 1001}, {14336, 512}, {4096, 2048}};
/// Entries of a large product that are compared.
constexpr std::size_t kSampled = 512;

/// Bits that look random (the finisher of MurmurHash3): cheaper than the generator of the kernels,
/// whose own check is another one.
u32 mixed(u64 i) {
  i = (i + 0x9e3779b97f4a7c15) * 0xff51afd7ed558ccd;
  i = (i ^ (i >> 33)) * 0xc4ceb9fe1a85ec53;
  return static_cast<u32>(i >> 32);
}
/// In [-1, 1).
float unit(u64 seed, u64 i) {
  return static_cast<float>(static_cast<std::int32_t>(mixed(seed << 48 ^ i))) * 0x1p-31F;
}

Half element(u64 seed, u64 i, Half) { return cuda::nearest_half(unit(seed, i)); }
Bf16 element(u64 seed, u64 i, Bf16) { return cuda::nearest_bf16(unit(seed, i)); }

template <class A>
struct Types;
template <>
struct Types<Half> {
  static constexpr auto kMatvec = cuda::Family::matvec_fp16;
  static constexpr auto kReduce = cuda::Family::matvec_reduce_fp16;
  static constexpr DType kDType = DType::fp16;
  static constexpr const char* kName = "fp16";
};
template <>
struct Types<Bf16> {
  static constexpr auto kMatvec = cuda::Family::matvec_bf16;
  static constexpr auto kReduce = cuda::Family::matvec_reduce_bf16;
  static constexpr DType kDType = DType::bf16;
  static constexpr const char* kName = "bf16";
};

/// What the kernel's name says: matvec_<weight>_<activation>_r<most rows>.
struct Named {
  std::string_view weight;
  u32 most_rows = 0;
  [[nodiscard]] u32 bits() const { return weight == "int4" ? 4 : weight == "int8" ? 8 : 16; }
};

Named parse(std::string_view name) {
  Named out;
  name.remove_prefix(std::string_view("matvec_").size());
  out.weight = name.substr(0, name.find('_'));
  out.most_rows = static_cast<u32>(std::stoul(std::string(name.substr(name.rfind('r') + 1))));
  return out;
}

/// Weights as they are stored, with their values.
template <class A>
class Weights {
 public:
  Weights(cuda::Context& context, const Named& named, const Size& size)
      : named_(named),
        groups_((size.d_in + kGroup - 1) / kGroup),
        d_in_(size.d_in),
        stored_(context, store(size)),
        scales_(input<Half>(context, scaled() ? u64{size.d_out} * groups_ : 1, [](u64 i) {
          return cuda::nearest_half((1.5F + unit(3, i) / 2) * 0x1p-8F);
        })) {}

  [[nodiscard]] const void* stored() const { return stored_.device.template as<void>(); }
  [[nodiscard]] const void* scales() const { return scales_.device.template as<void>(); }
  [[nodiscard]] double value(u32 out, u32 in) const {
    const u64 i = u64{out} * d_in_ + in;
    const auto* const bytes = stored_.host.data();
    if (!scaled()) {
      A value;
      std::memcpy(&value, bytes + i * sizeof(A), sizeof value);
      return static_cast<double>(cuda::to_float(value));
    }
    const int byte = std::to_integer<int>(bytes[named_.bits() == 8 ? i : i / 2]);
    const int integer = named_.bits() == 8 ? static_cast<std::int8_t>(byte)
                                           : (i % 2 == 0 ? byte & 15 : byte >> 4) - 8;
    const Half scale = scales_.host[static_cast<std::size_t>(u64{out} * groups_ + in / kGroup)];
    return integer * static_cast<double>(cuda::to_float(scale));
  }

 private:
  [[nodiscard]] bool scaled() const { return named_.bits() < 16; }
  [[nodiscard]] std::vector<std::byte> store(const Size& size) const {
    const u64 n = u64{size.d_out} * size.d_in;
    std::vector<std::byte> out(static_cast<std::size_t>(n * named_.bits() / 8));
    for (u64 i = 0; i < n; ++i) {
      if (named_.bits() == 16) {
        const A value = element(2, i, A{});
        std::memcpy(out.data() + i * sizeof(A), &value, sizeof value);
      } else if (named_.bits() == 8) {
        out[static_cast<std::size_t>(i)] = static_cast<std::byte>(mixed(i));
      } else {
        out[static_cast<std::size_t>(i / 2)] |=
            static_cast<std::byte>((mixed(i) & 15U) << (i % 2 * 4));
      }
    }
    return out;
  }

  Named named_;
  u32 groups_;
  u32 d_in_;
  Input<std::byte> stored_;
  Input<Half> scales_;
};

template <class A>
class MatvecCheck {
 public:
  MatvecCheck(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings)
      : bench_(bench), kernel_(kernel), findings_(findings), named_(parse(kernel.name)) {}

  void run() {
    for (const Size& size : kSmall) sized(size);
    if (!bench_.all_sizes) return;
    for (const Size& size : kLarge) {
      if (Clock::now() > bench_.deadline) {
        findings_.left_out();
      } else {
        sized(size);
      }
    }
  }

 private:
  void sized(const Size& size) {
    const Weights<A> weights(bench_.context, named_, size);
    const u32 fewest = named_.most_rows / 2 + 1;  // else the kernel for fewer rows would be taken
    one(size, weights, named_.most_rows, bench_.device.sm_count);
    // A device of one SM has no use for splits, one of very many splits whatever can be.
    one(size, weights, fewest, 1);
    one(size, weights, named_.most_rows, 100000);
  }

  void one(const Size& size, const Weights<A>& weights, u32 rows, u32 sm_count) {
    cuda::MatvecDevice device = bench_.device;
    device.sm_count = sm_count;
    const cuda::MatvecLaunch plan =
        cuda::matvec_launch({rows, size.d_in, size.d_out, named_.bits()}, device);
    findings_.begin_case("rows " + std::to_string(rows) + ", d_in " + std::to_string(size.d_in) +
                         ", d_out " + std::to_string(size.d_out) + ", " +
                         std::to_string(plan.splits) + " splits, " + std::to_string(plan.grid_x) +
                         " blocks of " + std::to_string(plan.block));
    findings_.judge(plan.most_rows == named_.most_rows,
                    "it would not be launched for so many rows");
    const auto x =
        input<A>(bench_.context, u64{rows} * size.d_in, [](u64 i) { return element(1, i, A{}); });
    Output y(bench_.context, u64{rows} * size.d_out * sizeof(A));
    Output partial(bench_.context, plan.splits > 1 ? plan.partial_bytes : 0);
    cuda::launch<Types<A>::kMatvec>(
        bench_.context, kernel_, {plan.grid_x, plan.splits, plan.block, plan.shared_bytes},
        y.as<A>(), weights.stored(), weights.scales(), x.device.template as<A>(), rows, size.d_in,
        size.d_out, partial.as<float>(), plan.splits);
    if (plan.splits > 1) {
      const auto& reduce = cuda::kernel_named(std::string("matvec_reduce_") + Types<A>::kName);
      cuda::launch<Types<A>::kReduce>(bench_.context, reduce,
                                      {plan.reduce_grid, 1, plan.reduce_block, 0}, y.as<A>(),
                                      partial.as<float>(), rows * size.d_out, plan.splits);
    }
    findings_.take(y);
    findings_.take(partial);
    findings_.judge(compare(size, weights, x.host, rows, y));
  }

  [[nodiscard]] Comparison compare(const Size& size, const Weights<A>& weights,
                                   const std::vector<A>& x, u32 rows, const Output& y) const {
    Comparison comparison;
    for (const auto& [row, out] : backend::sample_entries(rows, size.d_out, kSampled)) {
      double sum = 0;
      double squares = 0;
      for (u32 k = 0; k < size.d_in; ++k) {
        const auto at = static_cast<std::size_t>(row * size.d_in + k);
        const double product =
            static_cast<double>(cuda::to_float(x[at])) * weights.value(static_cast<u32>(out), k);
        sum += product;
        squares += product * product;
      }
      const u64 place = row * size.d_out + out;
      comparison.add(
          place, static_cast<double>(cuda::to_float(y.at<A>(place))), sum,
          backend::product_bound(size.d_in, squares, sum, DType::fp32, Types<A>::kDType));
    }
    return comparison;
  }

  const Bench& bench_;
  const cuda::KernelEntry& kernel_;
  Findings& findings_;
  Named named_;
};

template <class A>
void check_reduce(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  for (const u32 values : {1U, 31U, 257U, 4099U}) {
    for (const u32 splits : {1U, 2U, 7U}) {
      findings.begin_case(std::to_string(values) + " values of " + std::to_string(splits) +
                          " splits");
      const auto partial =
          input<float>(bench.context, u64{values} * splits, [](u64 i) { return unit(5, i); });
      Output y(bench.context, values * sizeof(A));
      cuda::launch<Types<A>::kReduce>(bench.context, kernel, {3, 1, 256, 0}, y.as<A>(),
                                      partial.device.template as<float>(), values, splits);
      findings.take(y);
      Comparison comparison;
      for (u32 value = 0; value < values; ++value) {
        double sum = 0;
        double squares = 0;
        for (u32 split = 0; split < splits; ++split) {
          const auto term =
              static_cast<double>(partial.host[static_cast<std::size_t>(split) * values + value]);
          sum += term;
          squares += term * term;
        }
        comparison.add(value, static_cast<double>(cuda::to_float(y.at<A>(value))), sum,
                       backend::product_bound(splits, squares, sum, DType::fp32, Types<A>::kDType));
      }
      findings.judge(comparison);
    }
  }
}

}  // namespace

void check_matvec(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  if (kernel.family == cuda::Family::matvec_bf16) {
    MatvecCheck<Bf16>(bench, kernel, findings).run();
  } else {
    MatvecCheck<Half>(bench, kernel, findings).run();
  }
}

void check_matvec_reduce(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  if (kernel.family == cuda::Family::matvec_reduce_bf16) {
    check_reduce<Bf16>(bench, kernel, findings);
  } else {
    check_reduce<Half>(bench, kernel, findings);
  }
}

}  // namespace roofline::selftest
