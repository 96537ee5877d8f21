// How fast the simulated GPU is: by the levels of its memory, its clock, and what disturbs it.
#include <algorithm>
#include <cmath>
#include <set>

#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

class Performance : public FakeGpu {
 protected:
  /// s of one launch over `count` elements of each array; behind a spin, without its overhead.
  [[nodiscard]] double time_of(const std::string& mix, std::uint64_t count, unsigned grid = 432,
                               int launches = 1, unsigned passes = 1) {
    const auto buffer = [&] {
      const CUdeviceptr out = allocate(std::max<std::size_t>(count * 4, 4096));
      EXPECT_EQ(cu.cuMemsetD8(out, 0, count * 4), CUDA_SUCCESS);
      return out;
    };
    CUdeviceptr a = buffer();
    CUdeviceptr b = buffer();
    CUdeviceptr c = buffer();
    CUdeviceptr sums = allocate(1 << 16);
    float s = 3;
    const CUfunction what = function("stream_" + mix + "_fp32_u4_plain");
    const CUevent before = event();
    const CUevent after = event();
    EXPECT_EQ(spin(nullptr, 1e-3), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuEventRecord(before, nullptr), CUDA_SUCCESS);
    for (int i = 0; i < launches; ++i) {
      EXPECT_EQ(launch(what, grid, 256, nullptr, {&a, &b, &c, &s, &count, &passes, &sums}),
                CUDA_SUCCESS);
    }
    EXPECT_EQ(cu.cuEventRecord(after, nullptr), CUDA_SUCCESS);
    const double time = elapsed(before, after) / launches;
    for (const CUdeviceptr used : {a, b, c, sums}) {
      EXPECT_EQ(cu.cuMemFree(used), CUDA_SUCCESS);
    }
    return time;
  }

  /// SM clock in Hz as a kernel reads it.
  [[nodiscard]] double clock() {
    CUdeviceptr out = allocate(16);
    std::uint64_t nanoseconds = 200000;
    EXPECT_EQ(launch(function("clock_sample"), 1, 1, nullptr, {&out, &nanoseconds}), CUDA_SUCCESS);
    std::uint64_t read[2] = {0, 1};
    EXPECT_EQ(cu.cuMemcpyDtoH(read, out, 16), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuMemFree(out), CUDA_SUCCESS);
    return static_cast<double>(read[0]) / static_cast<double>(read[1]) * 1e9;
  }

  void load(double seconds) {
    ASSERT_EQ(spin(nullptr, seconds), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  }
};

// Costs that leave nothing but the bytes.
const std::string kBare = "cost kernel 0ns\ncost event 0ns\nevent_resolution 0ns\n";

constexpr std::uint64_t kLarge = std::uint64_t{1} << 20;  // elements: twice the L2 below

TEST_F(Performance, OfMemoryIsBytesOverBandwidth) {
  start("device a100-80gb l2=2MiB\n" + kBare);
  // Of 2.039 TB/s, for reads, writes and an even mix: device.cpp has the shares.
  EXPECT_NEAR(4.0 * kLarge / time_of("read", kLarge) / (0.938 * 2.039e12), 1, 0.25);
  EXPECT_NEAR(8.0 * kLarge / time_of("copy", kLarge, 432, 20) / (0.84 * 2.039e12), 1, 0.05);
  EXPECT_NEAR(12.0 * kLarge / time_of("triad", kLarge, 432, 20) / (0.856 * 2.039e12), 1, 0.05);
}

TEST_F(Performance, OfL2IsHigher) {
  start("device a100-80gb l2=1MiB\n" + kBare);
  const double cold = time_of("copy", kLarge, 432, 100);
  start("device a100-80gb\n" + kBare);
  const double hot = time_of("copy", kLarge, 432, 100);
  EXPECT_LT(hot, cold * 0.9);
  EXPECT_NEAR(8.0 * kLarge / hot / 4.8e12, 1, 0.1);
}

TEST_F(Performance, OfSeveralPassesIsThatOfL2WhereTheSetFits) {
  start("device a100-80gb\n" + kBare);
  EXPECT_NEAR(4.0 * 50 * 65536 / time_of("read", 65536, 432, 1, 50) / 4.8e12, 1, 0.3);
  start("device a100-80gb l2=64KiB\n" + kBare);
  EXPECT_NEAR(4.0 * 50 * 65536 / time_of("read", 65536, 432, 1, 50) / (0.938 * 2.039e12), 1, 0.1);
}

TEST_F(Performance, NeedsEnoughThreads) {
  start("device a100-80gb l2=2MiB\n" + kBare);
  EXPECT_GT(time_of("triad", kLarge, 4), 5 * time_of("triad", kLarge, 432));
}

TEST_F(Performance, OfASlowGpuIsLower) {
  use("device h100 x2 l2=2MiB\nset 1 slow=0.87\n" + kBare);
  start(0);
  const double good = time_of("copy", kLarge, 528, 20);
  start(1);
  EXPECT_NEAR(good / time_of("copy", kLarge, 528, 20), 0.87, 0.01);
}

TEST_F(Performance, HasOverheads) {
  start("device a100-80gb\ncost kernel 20us\ncost event 0ns");
  EXPECT_NEAR(time_of("copy", 64, 4), 20e-6, 1e-6);
}

TEST_F(Performance, ScattersByItsSeed) {
  const auto times = [&](const std::string& more) {
    start("device a100-80gb l2=2MiB\njitter 2%\nevent_resolution 1ns\n" + more);
    std::vector<double> out;
    for (int i = 0; i < 30; ++i) out.push_back(time_of("copy", 256, 4));
    return out;
  };
  const std::vector<double> one = times("seed 1");
  EXPECT_EQ(one, times("seed 1"));
  EXPECT_NE(one, times("seed 2"));
  EXPECT_GT(std::set<double>(one.begin(), one.end()).size(), 5U);
}

TEST_F(Performance, HasOutliersWhereTheScenarioSaysSo) {
  start("device a100-80gb l2=2MiB\nspikes 10% 5x\n" + kBare);
  int spikes = 0;
  const double usual = time_of("copy", 4096, 4);
  for (int i = 0; i < 100; ++i) spikes += time_of("copy", 4096, 4) > 2 * usual ? 1 : 0;
  EXPECT_GT(spikes, 1);
  EXPECT_LT(spikes, 30);
}

TEST_F(Performance, KernelsSeeTheClock) {
  start("device a100-80gb");
  EXPECT_NEAR(clock() / 1.41e9, 1, 0.005);
  start("device t4 slow_clock=0.5");
  EXPECT_NEAR(clock() / 0.795e9, 1, 0.01) << "its timer moves in steps of a microsecond";
}

TEST_F(Performance, ThrottlesUnderLoad) {
  start("device a100-80gb\nthrottle 2s 60%");
  load(1);
  EXPECT_NEAR(clock() / 1.41e9, 1, 0.005);
  load(1.5);
  EXPECT_NEAR(clock() / 1.41e9, 0.6, 0.005);
}

TEST_F(Performance, RecoversWhenIdle) {
  start("device a100-80gb\nthrottle 2s 60%\ncost call 3s");  // every call is a long pause
  load(2.5);
  EXPECT_NEAR(clock() / 1.41e9, 1, 0.005);
}

TEST_F(Performance, RampsUp) {
  start("device a100-80gb\nramp 1s 50%");
  EXPECT_NEAR(clock() / 1.41e9, 0.5, 0.01);
  load(1);
  EXPECT_NEAR(clock() / 1.41e9, 1 - 0.5 * std::exp(-1), 0.01);
  load(9);
  EXPECT_NEAR(clock() / 1.41e9, 1, 0.01);
}

TEST_F(Performance, DriftsWithLoad) {
  start("device a100-80gb l2=2MiB\ndrift 1%\n" + kBare);
  const double before = time_of("copy", kLarge);
  load(10);
  EXPECT_NEAR(time_of("copy", kLarge) / before, 1.10, 0.05);
}

TEST_F(Performance, ThrottlingMayReachTheMemory) {
  start("device a100-80gb l2=2MiB\nthrottle 1s 90% bandwidth=0.5\n" + kBare);
  const double before = time_of("copy", kLarge);
  load(2);
  EXPECT_NEAR(time_of("copy", kLarge) / before, 2, 0.2);
}

}  // namespace
}  // namespace fakegpu
