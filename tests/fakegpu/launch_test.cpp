// Launches: what is refused, what is computed, and what goes wrong in a kernel.
#include <numeric>

#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

class Launches : public FakeGpu {
 protected:
  Launches() { start("device a100-80gb"); }

  CUresult copy(CUdeviceptr to, CUdeviceptr from, std::uint64_t count, unsigned block = 128) {
    return stream_kernel("copy", to, from, 0, count, block);
  }
  CUresult stream_kernel(const std::string& mix, CUdeviceptr a, CUdeviceptr b, CUdeviceptr c,
                         std::uint64_t count, unsigned block = 128) {
    float s = 3;
    unsigned passes = 1;
    CUdeviceptr sums = 0;
    return launch(function("stream_" + mix + "_fp32_u4_plain"), 4, block, nullptr,
                  {&a, &b, &c, &s, &count, &passes, &sums});
  }
  [[nodiscard]] CUdeviceptr upload(const std::vector<float>& values) {
    const CUdeviceptr out = allocate(values.size() * 4);
    EXPECT_EQ(cu.cuMemcpyHtoD(out, values.data(), values.size() * 4), CUDA_SUCCESS);
    return out;
  }
  [[nodiscard]] std::vector<float> download(CUdeviceptr from, std::size_t count) {
    std::vector<float> out(count);
    EXPECT_EQ(cu.cuMemcpyDtoH(out.data(), from, count * 4), CUDA_SUCCESS);
    return out;
  }
};

std::vector<float> ramp(std::size_t count, float first) {
  std::vector<float> out(count);
  std::iota(out.begin(), out.end(), first);
  return out;
}

TEST_F(Launches, Compute) {
  constexpr std::size_t n = 1003;
  const CUdeviceptr a = allocate(n * 4);
  const CUdeviceptr b = upload(ramp(n, 1));
  const CUdeviceptr c = upload(ramp(n, 10));
  ASSERT_EQ(stream_kernel("triad", a, b, c, n), CUDA_SUCCESS);
  const std::vector<float> out = download(a, n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto x = static_cast<float>(i);
    ASSERT_EQ(out[i], (1 + x) + 3 * (10 + x)) << i;
  }
}

TEST_F(Launches, TranslatePointersOnly) {
  const auto filled = [&](std::uint64_t seed) {
    CUdeviceptr out = allocate(256);
    std::uint64_t count = 64;
    std::uint64_t offset = 0;
    unsigned distribution = 0;
    EXPECT_EQ(launch(function("fill_fp32"), 1, 64, nullptr,
                     {&out, &count, &seed, &offset, &distribution}),
              CUDA_SUCCESS);
    return download(out, 64);
  };
  const std::uint64_t looks_like_an_address = allocate(4096);
  const std::vector<float> got = filled(looks_like_an_address);
  use("device a100-80gb");
  start();
  std::size_t size = 0;
  ASSERT_EQ(symbol<decltype(&::cuMemGetAddressRange)>(library, "cuMemGetAddressRange_v2")(
                nullptr, &size, looks_like_an_address),
            CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(filled(looks_like_an_address), got);
}

TEST_F(Launches, RefuseImpossibleShapes) {
  const CUfunction empty = function("empty");
  const auto result = [&](unsigned gx, unsigned gy, unsigned bx, unsigned bz, unsigned shared) {
    return cu.cuLaunchKernel(empty, gx, gy, 1, bx, 1, bz, shared, nullptr, nullptr, nullptr);
  };
  EXPECT_EQ(result(1, 1, 1024, 1, 0), CUDA_SUCCESS);
  EXPECT_EQ(result(0, 1, 32, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(result(1, 1, 0, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(result(1, 1, 1025, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(result(1, 1, 1, 65, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(result(1, 65536, 32, 1, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(result(1, 1, 32, 1, 48 * 1024 + 1), CUDA_ERROR_INVALID_VALUE);
  ASSERT_EQ(
      cu.cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 163 * 1024),
      CUDA_SUCCESS);
  EXPECT_EQ(result(1, 1, 32, 1, 163 * 1024), CUDA_SUCCESS);
  EXPECT_EQ(
      cu.cuFuncSetAttribute(empty, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 164 * 1024),
      CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(Launches, RefuseMoreThreadsThanTheKernelWasCompiledFor) {
  int most = 0;
  const CUfunction fill = function("fill_fp32");
  ASSERT_EQ(cu.cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, fill),
            CUDA_SUCCESS);
  EXPECT_EQ(most, 256);
  CUdeviceptr out = allocate(4096);
  std::uint64_t zero = 0;
  EXPECT_EQ(launch(fill, 1, 512, nullptr, {&out, &zero, &zero, &zero, &zero}),
            CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch(fill, 1, 256, nullptr, {&out, &zero, &zero, &zero, &zero}), CUDA_SUCCESS);
}

TEST_F(Launches, RefuseMissingArguments) {
  const CUfunction fill = function("fill_fp32");
  EXPECT_EQ(cu.cuLaunchKernel(fill, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  std::uint64_t zero = 0;
  EXPECT_EQ(launch(fill, 1, 32, nullptr, {&zero, &zero, &zero, nullptr, &zero}),
            CUDA_ERROR_INVALID_VALUE);
}

// void fill(void* out, u64 n, u64 seed, u64 offset, u32 distribution)
TEST_F(Launches, KnowTheirParameters) {
  const CUfunction fill = function("fill_fp32");
  const std::size_t sizes[] = {8, 8, 8, 8, 4};
  for (std::size_t i = 0; i < 5; ++i) {
    std::size_t offset = 0;
    std::size_t size = 0;
    ASSERT_EQ(cu.cuFuncGetParamInfo(fill, i, &offset, &size), CUDA_SUCCESS);
    EXPECT_EQ(offset, 8 * i);
    EXPECT_EQ(size, sizes[i]);
  }
  std::size_t offset = 0;
  EXPECT_EQ(cu.cuFuncGetParamInfo(fill, 5, &offset, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(Launches, WithAPointerToNothingFail) {
  const CUdeviceptr a = allocate(4096);
  const CUdeviceptr gone = allocate(4096);
  ASSERT_EQ(cu.cuMemFree(gone), CUDA_SUCCESS);
  EXPECT_EQ(copy(a, gone, 1024), CUDA_SUCCESS) << "seen later";
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(cu.cuMemFree(a), CUDA_ERROR_ILLEGAL_ADDRESS) << "and for ever";
}

TEST_F(Launches, WithAPointerToTheHostFail) {
  std::vector<float> host(1024);
  EXPECT_EQ(copy(allocate(4096), reinterpret_cast<CUdeviceptr>(host.data()), 1024), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Launches, WithMemoryOfAnotherDeviceFail) {
  use("device h100 x2");
  start(1);
  const CUdeviceptr other = allocate(4096);
  start(0);
  EXPECT_EQ(copy(allocate(4096), other, 1024), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Launches, ThatRunPastTheEndFail) {
  const CUdeviceptr a = allocate(4096);
  const CUdeviceptr b = allocate(4096);
  EXPECT_EQ(copy(a, b, 1024), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(copy(a, b, 1025), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
}

TEST_F(Launches, OfMisalignedVectorsFail) {
  const CUdeviceptr a = allocate(4096);
  const CUdeviceptr b = allocate(4096);
  EXPECT_EQ(copy(a, b + 4, 1000), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_MISALIGNED_ADDRESS);
}

TEST_F(Launches, MayReadPageLockedMemory) {
  void* pinned = nullptr;
  ASSERT_EQ(cu.cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP), CUDA_SUCCESS);
  static_cast<float*>(pinned)[7] = 42;
  const CUdeviceptr a = allocate(4096);
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(copy(a, reinterpret_cast<CUdeviceptr>(pinned), 1024), CUDA_SUCCESS);
  }
  EXPECT_EQ(download(a, 1024)[7], 42);
  static_cast<float*>(pinned)[7] = 43;
  ASSERT_EQ(copy(a, reinterpret_cast<CUdeviceptr>(pinned), 1024), CUDA_SUCCESS);
  EXPECT_EQ(download(a, 1024)[7], 43);
}

TEST_F(Launches, MayBeWrong) {
  start("device a100-80gb\nfault kernel 2 corrupt");
  const CUdeviceptr a = allocate(4096);
  const CUdeviceptr b = upload(ramp(1024, 1));
  ASSERT_EQ(copy(a, b, 1024), CUDA_SUCCESS);
  EXPECT_EQ(download(a, 1024), ramp(1024, 1));
  ASSERT_EQ(copy(a, b, 1024), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS) << "nobody says so";
  EXPECT_NE(download(a, 1024), ramp(1024, 1));
  ASSERT_EQ(copy(a, b, 1024), CUDA_SUCCESS);
  EXPECT_EQ(download(a, 1024), ramp(1024, 1));
}

TEST_F(Launches, ThatNobodyReadsAreNotComputedAgain) {
  const CUdeviceptr b = upload(ramp(1024, 1));
  const CUdeviceptr first = allocate(4096);
  const CUdeviceptr second = allocate(4096);
  ASSERT_EQ(copy(first, b, 1024), CUDA_SUCCESS);
  ASSERT_EQ(copy(second, b, 1024), CUDA_SUCCESS);
  const std::uint64_t before = machine().kernels_executed;
  for (int i = 0; i < 1000; ++i) {
    ASSERT_EQ(copy(first, b, 1024), CUDA_SUCCESS);
    ASSERT_EQ(copy(second, b, 1024), CUDA_SUCCESS);
  }
  EXPECT_EQ(machine().kernels_executed, before);
  EXPECT_EQ(download(second, 1024), ramp(1024, 1));
  EXPECT_LE(machine().kernels_executed, before + 2);
}

TEST_F(Launches, AreComputedBeforeSomebodyReads) {
  const CUdeviceptr a = upload(ramp(1024, 1));
  for (int i = 0; i < 4; ++i) ASSERT_EQ(stream_kernel("update", a, 0, 0, 1024), CUDA_SUCCESS);
  EXPECT_EQ(download(a, 1024)[9], 10.F * 81) << "3 to the power of 4";
}

TEST_F(Launches, OfUpdatesThatAreOverwrittenCostNothing) {
  const CUdeviceptr a = upload(ramp(1024, 1));
  ASSERT_EQ(stream_kernel("update", a, 0, 0, 1024), CUDA_SUCCESS);
  const std::uint64_t before = machine().kernels_executed;
  for (int i = 0; i < 500; ++i) ASSERT_EQ(stream_kernel("update", a, 0, 0, 1024), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemcpyHtoD(a, ramp(1024, 5).data(), 4096), CUDA_SUCCESS);
  EXPECT_EQ(download(a, 1024), ramp(1024, 5));
  EXPECT_EQ(machine().kernels_executed, before);
}

}  // namespace
}  // namespace fakegpu
