// Streams against the words of STREAM in float64, over array sizes around every boundary that their
// loops have.
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "check.hpp"
#include "kernels/cuda/random_reference.hpp"
#include "roofline/workload.hpp"

namespace roofline::selftest {
namespace {

using backend::Comparison;

constexpr u64 kSmall[] = {1, 2, 3, 4, 5, 7, 8, 31, 33, 1023, 4099, 20003};
constexpr u64 kLarge[] = {131077, (u64{1} << 21) + 3};

float element(u64 seed, u64 index, float) {
  return cuda::random_fp32(seed, index, cuda::Distribution::uniform);
}
double element(u64 seed, u64 index, double) {
  return cuda::random_fp64(seed, index, cuda::Distribution::uniform);
}

template <class T>
constexpr cuda::Family kFamily = sizeof(T) == 4 ? cuda::Family::stream_fp32
                                                : cuda::Family::stream_fp64;

struct Shape {
  u64 n;
  u32 passes;
  cuda::Grid grid;
};

std::string text(const Shape& shape) {
  return "n " + std::to_string(shape.n) + ", " + std::to_string(shape.passes) + " passes, " +
         std::to_string(shape.grid.x) + " blocks of " + std::to_string(shape.grid.block);
}

template <class T>
class StreamCheck {
 public:
  StreamCheck(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings)
      : bench_(bench), kernel_(kernel), findings_(findings) {
    const std::string_view rest = kernel.name.substr(std::string_view("stream_").size());
    mix_ = rest.substr(0, rest.find('_'));
  }

  void run() {
    for (const u64 n : kSmall) one({n, 1, {3, 1, 256, 0}});
    // Fewer threads than the array has tiles, more of them, and the same array over again.
    one({4099, 1, {1, 1, 32, 0}});
    one({4099, 3, {2, 1, kernel_.max_block, 0}});
    one({20003, 2, {7, 1, 128, 0}});
    if (!bench_.all_sizes) return;
    for (const u64 n : kLarge) {
      if (Clock::now() > bench_.deadline) {
        findings_.left_out();
        continue;
      }
      one({n, 1, {2 * bench_.device.sm_count, 1, 256, 0}});
      one({n, 2, {bench_.device.sm_count, 1, kernel_.max_block, 0}});
    }
  }

 private:
  static constexpr T kFactor = static_cast<T>(1.25 + 0x1p-20);

  void one(const Shape& shape) {
    findings_.begin_case(text(shape));
    const Input<T>& b = bench_.operands.get<T>(0);
    const Input<T>& c = bench_.operands.get<T>(1);
    const auto n = static_cast<std::size_t>(shape.n);
    const bool reads = mix_ == "read";
    Output a(bench_.context, reads ? 0 : shape.n * sizeof(T));
    Output sums(bench_.context, reads ? shape.grid.x * sizeof(u64) : 0);
    if (mix_ == "update") a.put(std::as_bytes(std::span(b.host).first(n)));
    cuda::launch<kFamily<T>>(bench_.context, kernel_, shape.grid, a.as<T>(),
                             b.device.template as<T>(), c.device.template as<T>(), kFactor, shape.n,
                             shape.passes, sums.as<u64>());
    findings_.take(a);
    findings_.take(sums);
    if (reads) {
      judge_sum(shape, sums, b);
    } else {
      findings_.judge(compare(shape, a, b.host.data(), c.host.data()));
    }
  }

  void judge_sum(const Shape& shape, const Output& sums, const Input<T>& b) {
    u64 sum = 0;
    for (u32 block = 0; block < shape.grid.x; ++block) sum += sums.at<u64>(block);
    const auto bytes = std::as_bytes(std::span(b.host).first(static_cast<std::size_t>(shape.n)));
    const u64 expected = shape.passes * backend::word_sum(bytes.data(), bytes.size());
    findings_.judge(sum == expected, "the sum of all words is " + std::to_string(sum) +
                                         ", expected " + std::to_string(expected));
  }

  [[nodiscard]] Comparison compare(const Shape& shape, const Output& out, const T* b,
                                   const T* c) const {
    const auto n = static_cast<std::size_t>(shape.n);
    // The array of the device is aligned, its copy here need not be.
    std::vector<T> a(n);
    std::memcpy(a.data(), out.bytes().data(), n * sizeof(T));
    if (mix_ == "copy") {
      return backend::check_bytes(out.bytes().data(), std::as_bytes(std::span(b, n)).data(),
                                  n * sizeof(T), 0);
    }
    if (mix_ == "write" || mix_ == "update") {
      Comparison comparison;
      for (std::size_t i = 0; i < n; ++i) {
        T expected = mix_ == "write" ? kFactor : b[i];
        // Every pass rounds, as the device does.
        for (u32 pass = 0; mix_ == "update" && pass < shape.passes; ++pass) expected *= kFactor;
        comparison.add(i, static_cast<double>(a[i]), static_cast<double>(expected), 0);
      }
      return comparison;
    }
    const StreamKind kind = mix_ == "scale" ? StreamKind::scale
                            : mix_ == "add" ? StreamKind::add
                                            : StreamKind::triad;
    return backend::check_stream<T>(kind, {a.data(), b, c, kFactor, 0, n});
  }

  const Bench& bench_;
  const cuda::KernelEntry& kernel_;
  Findings& findings_;
  std::string_view mix_;
};

}  // namespace

u64 most_elements(bool all_sizes) {
  return all_sizes ? *std::rbegin(kLarge) : *std::rbegin(kSmall);
}

template <>
std::optional<Input<float>>& Operands::slot<float>(unsigned which) {
  return fp32_[which];
}
template <>
std::optional<Input<double>>& Operands::slot<double>(unsigned which) {
  return fp64_[which];
}

template <class T>
const Input<T>& Operands::get(unsigned which) {
  if (generation_ != context_.generation()) {
    for (auto& known : fp32_) known.reset();
    for (auto& known : fp64_) known.reset();
    generation_ = context_.generation();
  }
  std::optional<Input<T>>& known = slot<T>(which);
  if (!known) known = input<T>(context_, n_, [&](u64 i) { return element(which + 1, i, T{}); });
  return *known;
}

void check_stream(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  if (kernel.family == cuda::Family::stream_fp32) {
    StreamCheck<float>(bench, kernel, findings).run();
  } else {
    StreamCheck<double>(bench, kernel, findings).run();
  }
}

}  // namespace roofline::selftest
