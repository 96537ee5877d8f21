// Kernels that compute nothing are held against the clock of the device; chains of multiply-adds
// against the same chains on the host.
#include <cmath>
#include <string>
#include <type_traits>

#include "backend/cuda/event.hpp"
#include "check.hpp"
#include "kernels/cuda/random_reference.hpp"

namespace roofline::selftest {
namespace {

using cuda::Bf16;
using cuda::Family;
using cuda::Half;

void check_empty(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  for (const cuda::Grid& grid : {cuda::Grid{1, 1, 1, 0}, cuda::Grid{3, 1, kernel.max_block, 0}}) {
    findings.begin_case(std::to_string(grid.x) + " blocks of " + std::to_string(grid.block));
    cuda::launch<Family::empty>(bench.context, kernel, grid);
    bench.context.synchronize();
    findings.judge(true, {});
  }
}

void check_spin(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  constexpr u64 kNanoseconds = 200'000;
  findings.begin_case("200 us");
  cuda::Event begin(bench.context);
  cuda::Event end(bench.context);
  begin.record();
  cuda::launch<Family::spin>(bench.context, kernel, {1, 1, 1, 0}, kNanoseconds);
  end.record();
  end.synchronize();
  const double time = in_second(end.since(begin));
  // The device's nanosecond timer may step by a microsecond.
  findings.judge(time > 0.98e-9 * kNanoseconds && time < 0.1,
                 "it took " + std::to_string(time * 1e6) + " us");
}

void check_clock(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  constexpr u64 kNanoseconds = 100'000;
  findings.begin_case("100 us");
  Output out(bench.context, 2 * sizeof(u64));
  cuda::launch<Family::clock_sample>(bench.context, kernel, {1, 1, 1, 0}, out.as<u64>(),
                                     kNanoseconds);
  findings.take(out);
  const auto cycles = static_cast<double>(out.at<u64>(0));
  const auto elapsed = static_cast<double>(out.at<u64>(1));
  findings.judge(elapsed >= kNanoseconds && elapsed < 1e9,
                 "it watched for " + std::to_string(elapsed * 1e-3) + " us");
  const double hertz = cycles / (elapsed * 1e-9);
  const double most = bench.clock_max_hz > 0 ? 1.1 * bench.clock_max_hz : 5e9;
  findings.judge(hertz > 0.05e9 && hertz < most,
                 "it says that the clock is " + std::to_string(hertz * 1e-6) + " MHz");
}

double narrowed(double value, float) { return static_cast<double>(static_cast<float>(value)); }
double narrowed(double value, double) { return value; }
double narrowed(double value, Half) {
  return static_cast<double>(cuda::to_float(cuda::nearest_half(static_cast<float>(value))));
}
double narrowed(double value, Bf16) {
  return static_cast<double>(cuda::to_float(cuda::nearest_bf16(static_cast<float>(value))));
}
double widened(float value) { return static_cast<double>(value); }
double widened(double value) { return value; }
double widened(Half value) { return static_cast<double>(cuda::to_float(value)); }
double widened(Bf16 value) { return static_cast<double>(cuda::to_float(value)); }

/// What a thread's chains come to: x = 0.5 x + seed, and their sum with the same step.
template <class T>
double chains_end(double seed, u32 thread, u32 iterations) {
  constexpr u32 kChains = 8;
  constexpr u32 kUnroll = 16;
  double sum = 0;
  for (u32 chain = 0; chain < kChains; ++chain) {
    double x = narrowed(seed * (thread % 8 + chain), T{});
    for (u32 step = 0; step < iterations * kUnroll; ++step)
      x = narrowed(std::fma(x, 0.5, seed), T{});
    sum = chain == 0 ? x : narrowed(std::fma(sum, 0.5, x), T{});
  }
  return sum;
}

template <class T, Family family>
void check_chains(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  using Seed = std::conditional_t<std::is_same_v<T, double>, double, float>;
  constexpr Seed kSeed = static_cast<Seed>(0.625);  // exact in every type
  constexpr double kRoundoff = std::is_same_v<T, double>  ? 0x1p-52
                               : std::is_same_v<T, float> ? 0x1p-23
                               : std::is_same_v<T, Half>  ? 0x1p-10
                                                          : 0x1p-7;
  for (const u32 iterations : {1U, 4U}) {
    const cuda::Grid grid{3, 1, 64, 0};
    findings.begin_case(std::to_string(iterations) + " iterations");
    Output out(bench.context, u64{grid.x} * grid.block * sizeof(T));
    cuda::launch<family>(bench.context, kernel, grid, out.as<T>(), kSeed, iterations);
    findings.take(out);
    backend::Comparison comparison;
    for (u32 i = 0; i < grid.x * grid.block; ++i) {
      const double value = chains_end<T>(static_cast<double>(kSeed), i % grid.block, iterations);
      comparison.add(i, widened(out.at<T>(i)), value, 4 * kRoundoff * std::fabs(value));
    }
    findings.judge(comparison);
  }
}

}  // namespace

void check_probe(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  if (kernel.family == Family::empty) return check_empty(bench, kernel, findings);
  if (kernel.family == Family::spin) return check_spin(bench, kernel, findings);
  check_clock(bench, kernel, findings);
}

void check_peak(const Bench& bench, const cuda::KernelEntry& kernel, Findings& findings) {
  switch (kernel.family) {
    case Family::peak_fp32:
      return check_chains<float, Family::peak_fp32>(bench, kernel, findings);
    case Family::peak_fp64:
      return check_chains<double, Family::peak_fp64>(bench, kernel, findings);
    case Family::peak_fp16:
      return check_chains<Half, Family::peak_fp16>(bench, kernel, findings);
    default:
      return check_chains<Bf16, Family::peak_bf16>(bench, kernel, findings);
  }
}

}  // namespace roofline::selftest
