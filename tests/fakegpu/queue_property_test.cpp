// Whatever is put off or left out, memory reads as if every launch had been run at once.
#include <numeric>

#include "fake_gpu.hpp"
#include "random.hpp"

namespace fakegpu {
namespace {

constexpr std::size_t kArrays = 3;
constexpr std::size_t kMost = 96;  // elements of an array

class QueueProperty : public FakeGpu, public testing::WithParamInterface<int> {
 protected:
  /// Separate allocations, or pieces of one.
  void lay_out(bool together) {
    const CUdeviceptr arena = together ? allocate(kArrays * kMost * 4) : 0;
    for (std::size_t i = 0; i < kArrays; ++i) {
      device_[i] = together ? arena + i * kMost * 4 : allocate(kMost * 4);
      host_[i].assign(kMost, static_cast<float>(i));
      ASSERT_EQ(cu.cuMemcpyHtoD(device_[i], host_[i].data(), kMost * 4), CUDA_SUCCESS);
    }
  }

  void stream(const std::string& mix, std::size_t a, std::size_t b, std::size_t c,
              std::uint64_t count, unsigned passes) {
    CUdeviceptr pa = device_[a];
    CUdeviceptr pb = device_[b];
    CUdeviceptr pc = device_[c];
    CUdeviceptr sums = 0;
    float s = 0.5F;
    ASSERT_EQ(launch(function("stream_" + mix + "_fp32_u2_plain"), 1, 32, nullptr,
                     {&pa, &pb, &pc, &s, &count, &passes, &sums}),
              CUDA_SUCCESS);
  }

  void one_step(Random& random) {
    const auto pick = [&](std::size_t most) { return random.bits() % most; };
    const std::size_t a = pick(kArrays);
    const std::size_t b = (a + 1 + pick(kArrays - 1)) % kArrays;
    const std::size_t c = (a + 1 + pick(kArrays - 1)) % kArrays;
    const std::uint64_t count = pick(3) == 0 ? kMost : 64;
    const auto passes = static_cast<unsigned>(1 + pick(2));
    switch (pick(8)) {
      case 0:
      case 1:
        stream("copy", a, b, b, count, passes);
        std::copy_n(host_[b].begin(), count, host_[a].begin());
        break;
      case 2:
        stream("add", a, b, c, count, passes);
        for (std::size_t i = 0; i < count; ++i) host_[a][i] = host_[b][i] + host_[c][i];
        break;
      case 3:
        stream("update", a, b, b, count, passes);
        for (std::size_t i = 0; i < count; ++i) {
          for (unsigned pass = 0; pass < passes; ++pass) host_[a][i] *= 0.5F;
        }
        break;
      case 4:
        stream("write", a, b, b, count, passes);
        std::fill_n(host_[a].begin(), count, 0.5F);
        break;
      case 5:
        ASSERT_EQ(cu.cuMemsetD32(device_[a], 0x40000000, count), CUDA_SUCCESS);
        std::fill_n(host_[a].begin(), count, 2.0F);
        break;
      case 6: {
        std::vector<float> fresh(count, static_cast<float>(pick(100)));
        ASSERT_EQ(cu.cuMemcpyHtoD(device_[a], fresh.data(), count * 4), CUDA_SUCCESS);
        std::copy(fresh.begin(), fresh.end(), host_[a].begin());
        break;
      }
      default:
        ASSERT_EQ(cu.cuMemcpyDtoD(device_[a], device_[b], count * 4), CUDA_SUCCESS);
        std::copy_n(host_[b].begin(), count, host_[a].begin());
    }
  }

  void compare(std::size_t array) {
    std::vector<float> out(kMost);
    ASSERT_EQ(cu.cuMemcpyDtoH(out.data(), device_[array], kMost * 4), CUDA_SUCCESS);
    ASSERT_EQ(out, host_[array]) << "array " << array;
  }

  CUdeviceptr device_[kArrays] = {};
  std::vector<float> host_[kArrays];
};

TEST_P(QueueProperty, MemoryReadsAsIfNothingWerePutOff) {
  start("device a100-80gb");
  Random random(static_cast<std::uint64_t>(GetParam()));
  lay_out(GetParam() % 2 == 1);
  for (int step = 0; step < 1500; ++step) {
    ASSERT_NO_FATAL_FAILURE(one_step(random)) << "step " << step;
    if (random.bits() % 30 == 0) {
      ASSERT_NO_FATAL_FAILURE(compare(random.bits() % kArrays)) << "step " << step;
    }
  }
  for (std::size_t i = 0; i < kArrays; ++i) ASSERT_NO_FATAL_FAILURE(compare(i));
  EXPECT_LT(machine().kernels_executed, 1000U) << "some of it was left out";
}

INSTANTIATE_TEST_SUITE_P(Seeds, QueueProperty, testing::Range(1, 9));

}  // namespace
}  // namespace fakegpu
