// Fills against the host's generator and the published one, probes, and that no kernel is untested.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "kernels/cuda/half_bits.hpp"
#include "kernels/cuda/kernels.hpp"
#include "kernels/cuda/random_reference.hpp"
#include "simt/kernel_run.hpp"

namespace simt {
namespace {

using roofline::cuda::Bf16;
using roofline::cuda::Distribution;
using roofline::cuda::Fp8E4m3;
using roofline::cuda::Fp8E5m2;
using roofline::cuda::Half;
using roofline::cuda::Tf32;

TEST(EmulatedKernels, AreThoseOfTheList) {
  const auto kernels = emulated_kernels();
  ASSERT_EQ(kernels.size(), std::size(roofline::cuda::kKernels));
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    EXPECT_EQ(kernels[i].name, roofline::cuda::kKernels[i].name);
    EXPECT_EQ(kernels[i].entry, roofline::cuda::kKernels[i].entry);
    EXPECT_EQ(kernels[i].max_block, roofline::cuda::kKernels[i].max_block);
  }
}

// A kernel of a new kind needs a test of its own, and a word here.
TEST(EmulatedKernels, AllHaveTests) {
  for (const EmulatedKernel& kernel : emulated_kernels()) {
    const std::string kind = word(std::string(kernel.name), 0);
    const std::vector<std::string> tested{"stream", "matvec", "elementwise", "fill",
                                          "peak",   "empty",  "spin",        "clock"};
    EXPECT_EQ(std::ranges::count(tested, kind), 1) << kernel.name;
  }
}

TEST(EmulatedKernels, RefuseLargerBlocksThanTheyWereCompiledFor) {
  EXPECT_THROW(run(kernel("clock_sample"), {.block = {64}}, static_cast<std::uint64_t*>(nullptr),
                   std::uint64_t{1}),
               Error);
}

// ---- fills ----

template <class T>
using Reference = T (*)(std::uint64_t seed, std::uint64_t index, Distribution distribution);

double value_of(double x) { return x; }
double value_of(Half x) { return roofline::cuda::to_float(x); }
double value_of(Bf16 x) { return roofline::cuda::to_float(x); }
double value_of(Fp8E4m3 x) { return roofline::cuda::to_float(x); }
double value_of(Fp8E5m2 x) { return roofline::cuda::to_float(x); }
double value_of(Tf32 x) { return std::bit_cast<float>(x.bits); }

// `units` elements of T from `offset` on.
template <class T>
Array<T> filled(const std::string& dtype, std::uint64_t n, std::size_t units, std::uint64_t seed,
                std::uint64_t offset, Distribution distribution, Order order = Order::forward) {
  Array<T> out(units);
  Memory memory(Coverage::on);
  memory.add("out", out.data(), out.bytes());
  const Launch how{.grid = {3}, .block = {64}, .memory = &memory, .order = order};
  const Stats stats = run(kernel("fill_" + dtype), how, static_cast<void*>(out.data()), n, seed,
                          offset, static_cast<unsigned>(distribution));
  EXPECT_EQ(stats.stored_bytes, out.bytes());
  EXPECT_EQ(stats.loaded_bytes, 0U);
  EXPECT_EQ(memory.traffic("out").distinct_stored_bytes, out.bytes());
  return out;
}

constexpr std::uint64_t kSeed = 0x1234567890ABCDEFU;
constexpr Distribution kDistributions[] = {Distribution::uniform, Distribution::normal,
                                           Distribution::zeros,   Distribution::ones,
                                           Distribution::scale,   Distribution::integers};

template <class T>
void expect_reference(const std::string& dtype, Reference<T> reference, double last_place) {
  for (const Distribution distribution : kDistributions) {
    for (const std::uint64_t n : {1U, 7U, 31U, 32U, 33U, 1023U, 1025U}) {
      for (const std::uint64_t offset :
           {std::uint64_t{0}, std::uint64_t{5}, std::uint64_t{1} << 33}) {
        const Array<T> out = filled<T>(dtype, n, n, kSeed, offset, distribution, Order::backward);
        for (std::uint64_t i = 0; i < n; ++i) {
          const double expected = value_of(reference(kSeed, offset + i, distribution));
          // Of the logarithm and the sine, which are the device's own.
          const double slack = distribution == Distribution::normal ? 8 * last_place : 0;
          ASSERT_LE(std::abs(value_of(out[i]) - expected), slack * std::abs(expected))
              << dtype << " element " << i << " of " << n << " from " << offset;
        }
      }
    }
  }
}

TEST(FillKernels, WriteWhatTheHostComputes) {
  expect_reference<double>("fp64", roofline::cuda::random_fp64, 0x1p-53);
  expect_reference<float>("fp32", roofline::cuda::random_fp32, 0x1p-24);
  expect_reference<Half>("fp16", roofline::cuda::random_fp16, 0x1p-11);
  expect_reference<Bf16>("bf16", roofline::cuda::random_bf16, 0x1p-8);
  expect_reference<Tf32>("tf32", roofline::cuda::random_tf32, 0x1p-10);
  expect_reference<Fp8E4m3>("fp8_e4m3", roofline::cuda::random_e4m3, 0x1p-4);
  expect_reference<Fp8E5m2>("fp8_e5m2", roofline::cuda::random_e5m2, 0x1p-3);
}

TEST(FillKernels, WriteTheIntegersThatTheHostComputes) {
  for (const Distribution distribution : kDistributions) {
    for (const std::uint64_t n : {1U, 2U, 7U, 31U, 32U, 33U, 1023U, 1025U}) {
      const Array<std::int8_t> bytes = filled<std::int8_t>("int8", n, n, kSeed, 3, distribution);
      const Array<std::uint8_t> nibbles =
          filled<std::uint8_t>("int4", n, (n + 1) / 2, kSeed, 3, distribution);
      const Array<std::int32_t> words = filled<std::int32_t>("int32", n, n, kSeed, 3, distribution);
      for (std::uint64_t i = 0; i < n; ++i) {
        ASSERT_EQ(bytes[i], roofline::cuda::random_int8(kSeed, 3 + i, distribution)) << i;
        // Normal ones may differ by the last place of a float.
        ASSERT_NEAR(words[i], roofline::cuda::random_int32(kSeed, 3 + i, distribution),
                    distribution == Distribution::normal ? 4 : 0)
            << i;
        ASSERT_EQ((nibbles[i / 2] >> (i % 2 * 4) & 15) - 8,
                  roofline::cuda::random_int4(kSeed, 3 + i, distribution))
            << i;
      }
      const int behind_the_end = n % 2 == 1 ? nibbles[n / 2] >> 4 : 0;
      EXPECT_EQ(behind_the_end, 0);
    }
  }
}

// Philox4x32-10 of counter 0 and key 0, and of all ones; known answers of Random123 (kat_vectors).
TEST(FillKernels, AreThePublishedGenerator) {
  const std::uint32_t of_zeros[] = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8};
  const Array<float> out = filled<float>("fp32", 4, 4, 0, 0, Distribution::uniform);
  for (std::size_t i = 0; i < 4; ++i) {
    const auto word = static_cast<std::int32_t>(of_zeros[i]);
    EXPECT_EQ(out[i], std::floor(static_cast<double>(word) / 128) * 0x1p-24) << i;
  }
}

// ---- probes ----

TEST(PeakKernels, FollowTheirRecurrence) {
  // x = x / 2 + seed, 16 times per iteration, in 8 chains that are then summed up likewise.
  const auto expected = [](double seed, unsigned thread, unsigned iterations) {
    double sum = 0;
    for (unsigned chain = 0; chain < 8; ++chain) {
      double x = seed * (thread % 8 + chain);
      for (unsigned step = 0; step < 16 * iterations; ++step) x = x / 2 + seed;
      sum = chain == 0 ? x : sum / 2 + x;
    }
    return sum;
  };
  const auto expect_peak = [&](const std::string& dtype, auto seed, const auto& out, double slack) {
    for (unsigned i = 0; i < out.size(); ++i) {
      const double exact = expected(seed, i % 64, 2);
      EXPECT_NEAR(value_of(out[i]), exact, slack * std::abs(exact)) << dtype << " thread " << i;
    }
  };
  const Launch how{.grid = {2}, .block = {64}};
  Array<float> fp32(128);
  run(kernel("peak_fp32"), how, fp32.data(), 0.75F, 2U);
  expect_peak("fp32", 0.75, fp32, 0x1p-22);
  Array<double> fp64(128);
  run(kernel("peak_fp64"), how, fp64.data(), 0.75, 2U);
  expect_peak("fp64", 0.75, fp64, 0x1p-51);
  Array<Half> fp16(128);
  run(kernel("peak_fp16"), how, fp16.data(), 0.75F, 2U);
  expect_peak("fp16", 0.75, fp16, 0x1p-9);
  Array<Bf16> bf16(128);
  run(kernel("peak_bf16"), how, bf16.data(), 0.75F, 2U);
  expect_peak("bf16", 0.75, bf16, 0x1p-6);
}

TEST(ProbeKernels, AnEmptyKernelTouchesNothing) {
  Memory nothing;
  const Stats stats = run(kernel("empty"), {.grid = {3}, .block = {256}, .memory = &nothing});
  EXPECT_EQ(stats.loaded_bytes + stats.stored_bytes, 0U);
}

// A device at 1.5 GHz whose nanosecond timer steps by 1024, read every 40 ns.
std::uint64_t now = 0;
std::uint64_t cycles() { return (now += 40) * 3 / 2; }
std::uint64_t nanoseconds() { return (now += 40) / 1024 * 1024; }

class ProbeClock : public testing::Test {
 protected:
  ProbeClock() { set_device_clock(cycles, nanoseconds); }
  ~ProbeClock() override { set_device_clock(nullptr, nullptr); }
};

TEST_F(ProbeClock, SpinWaitsAsLongAsItIsTold) {
  now = 0;
  run(kernel("spin"), {}, std::uint64_t{100000});
  EXPECT_GE(now, 100000U - 1024);
  EXPECT_LE(now, 100000U + 3 * 1024);
}

TEST_F(ProbeClock, ASampleIsTheRatioOfTwoClocks) {
  Array<std::uint64_t> out(2);
  Memory memory(Coverage::on);
  memory.add("out", out.data(), out.bytes());
  run(kernel("clock_sample"), {.memory = &memory}, out.data(), std::uint64_t{200000});
  EXPECT_GE(out[1], 200000U);
  EXPECT_LE(out[1], 203000U);
  EXPECT_NEAR(static_cast<double>(out[0]) / static_cast<double>(out[1]), 1.5, 1.5e-3);
}

}  // namespace
}  // namespace simt
