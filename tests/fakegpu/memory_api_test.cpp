// Device memory: what is in it, who may touch it, and when it is used up.
#include <csignal>
#include <numeric>

#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

class Memory : public FakeGpu {
 protected:
  Memory() { start("device a100-80gb"); }

  [[nodiscard]] std::size_t free_bytes() {
    std::size_t free = 0;
    std::size_t total = 0;
    EXPECT_EQ(cu.cuMemGetInfo(&free, &total), CUDA_SUCCESS);
    return free;
  }
};

std::vector<int> numbers(std::size_t count) {
  std::vector<int> out(count);
  std::iota(out.begin(), out.end(), 1);
  return out;
}

TEST_F(Memory, ComesBackAsItWentIn) {
  const std::vector<int> in = numbers(1001);
  std::vector<int> out(1001);
  const CUdeviceptr a = allocate(4004);
  const CUdeviceptr b = allocate(4004);
  EXPECT_EQ(a % 256, 0U);
  ASSERT_EQ(cu.cuMemcpyHtoD(a, in.data(), 4004), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoD(b, a, 4004), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyDtoH(out.data(), b, 4004), CUDA_SUCCESS);
  EXPECT_EQ(in, out);
  // Addresses within an allocation are good, too.
  int one = 0;
  ASSERT_EQ(cu.cuMemcpyDtoH(&one, b + 400, 4), CUDA_SUCCESS);
  EXPECT_EQ(one, 101);
}

TEST_F(Memory, IsFilled) {
  const CUdeviceptr a = allocate(64);
  ASSERT_EQ(cu.cuMemsetD8(a, 0x11, 64), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemsetD32(a + 4, 0x22334455, 2), CUDA_SUCCESS);
  unsigned out[4] = {};
  ASSERT_EQ(cu.cuMemcpyDtoH(out, a, 16), CUDA_SUCCESS);
  EXPECT_EQ(out[0], 0x11111111U);
  EXPECT_EQ(out[1], 0x22334455U);
  EXPECT_EQ(out[2], 0x22334455U);
  EXPECT_EQ(out[3], 0x11111111U);
}

TEST_F(Memory, IsNotZeroWhenItIsNew) {
  const CUdeviceptr a = allocate(8);
  unsigned char out[8] = {};
  ASSERT_EQ(cu.cuMemcpyDtoH(out, a, 8), CUDA_SUCCESS);
  EXPECT_NE(out[0], 0);
  EXPECT_NE(out[7], 0);
}

TEST_F(Memory, EndsWhereItEnds) {
  const CUdeviceptr a = allocate(100);
  std::vector<char> bytes(200);
  EXPECT_EQ(cu.cuMemcpyHtoD(a, bytes.data(), 101), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemcpyDtoH(bytes.data(), a + 1, 100), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemcpyHtoD(0x1234, bytes.data(), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemFree(a + 4), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemFree(a), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFree(a), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemcpyHtoD(a, bytes.data(), 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuMemFree(0), CUDA_SUCCESS);
  CUdeviceptr none = 0;
  EXPECT_EQ(cu.cuMemAlloc(&none, 0), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, IsNotUsedAgainAtOnce) {
  const CUdeviceptr first = allocate(1 << 20);
  ASSERT_EQ(cu.cuMemFree(first), CUDA_SUCCESS);
  EXPECT_NE(allocate(1 << 20), first);
}

using MemoryDeathTest = Memory;

TEST_F(MemoryDeathTest, CrashesTheHostThatTouchesIt) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const CUdeviceptr a = allocate(4096);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the very mistake
  volatile int* const pointer = reinterpret_cast<int*>(a);
  EXPECT_DEATH({ *pointer = 1; }, "");
  EXPECT_DEATH(
      {
        const int value = *pointer;
        std::exit(value == 0 ? 0 : 1);
      },
      "");
}

TEST_F(Memory, RunsOut) {
  const std::size_t before = free_bytes();
  EXPECT_LT(before, std::size_t{81158} << 20) << "the driver keeps some of it";
  const CUdeviceptr half = allocate(before / 2);
  EXPECT_NEAR(static_cast<double>(free_bytes()), static_cast<double>(before) / 2, 4e6);
  CUdeviceptr more = 0;
  EXPECT_EQ(cu.cuMemAlloc(&more, before / 2 + (8 << 20)), CUDA_ERROR_OUT_OF_MEMORY);
  ASSERT_EQ(cu.cuMemFree(half), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemAlloc(&more, before / 2 + (8 << 20)), CUDA_SUCCESS);
}

TEST_F(Memory, RunsOutEarlierThanItSays) {
  start("device a100-80gb memory=2GiB memory_limit=64MiB");
  EXPECT_GT(free_bytes(), std::size_t{1} << 30);
  CUdeviceptr a = 0;
  EXPECT_EQ(cu.cuMemAlloc(&a, std::size_t{65} << 20), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(cu.cuMemAlloc(&a, std::size_t{60} << 20), CUDA_SUCCESS);
}

TEST_F(Memory, OfOthersIsGone) {
  const std::size_t alone = free_bytes();
  start("device a100-80gb\nprocess 4242 10GiB");
  EXPECT_EQ(alone - free_bytes(), std::size_t{10} << 30);
}

TEST_F(Memory, ThatIsPageLockedArrivesNoEarlierThanTheCopyEnds) {
  void* pinned = nullptr;
  ASSERT_EQ(cu.cuMemHostAlloc(&pinned, 1 << 20, 0), CUDA_SUCCESS);
  auto* const ints = static_cast<int*>(pinned);
  const CUdeviceptr a = allocate(1 << 20);
  const CUstream on = stream();
  ASSERT_EQ(cu.cuMemsetD32(a, 7, (1 << 20) / 4), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  ints[100] = -1;
  ASSERT_EQ(cu.cuMemcpyDtoHAsync(pinned, a, 1 << 20, on), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamQuery(on), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(ints[100], -1);
  ASSERT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_EQ(ints[100], 7);
  EXPECT_EQ(cu.cuMemFreeHost(pinned), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFreeHost(pinned), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Memory, CrossesTheLinkAtItsRate) {
  constexpr std::size_t bytes = std::size_t{64} << 20;
  const CUdeviceptr a = allocate(bytes);
  void* pinned = nullptr;
  ASSERT_EQ(cu.cuMemHostAlloc(&pinned, bytes, 0), CUDA_SUCCESS);
  std::vector<char> pageable(bytes);
  const CUstream on = stream();
  const CUevent before = event();
  const CUevent after = event();
  const auto rate = [&](const void* from) {
    EXPECT_EQ(cu.cuEventRecord(before, on), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuMemcpyHtoDAsync(a, from, bytes, on), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuEventRecord(after, on), CUDA_SUCCESS);
    return static_cast<double>(bytes) / elapsed(before, after);
  };
  EXPECT_NEAR(rate(pinned) / 25e9, 1, 0.02);
  EXPECT_NEAR(rate(pageable.data()) / 9e9, 1, 0.02);
}

TEST_F(Memory, BelongsToItsDevice) {
  use("device h100 x2");
  start(1);
  (void)allocate(1 << 30);
  const std::size_t second = free_bytes();
  start(0);
  EXPECT_EQ(free_bytes() - second, std::size_t{1} << 30);
}

}  // namespace
}  // namespace fakegpu
