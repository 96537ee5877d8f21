// What goes wrong when the scenario says so, and what it takes to go on.
#include <chrono>
#include <csignal>
#include <thread>

#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

using Clock = std::chrono::steady_clock;

class Faults : public FakeGpu {
 protected:
  CUresult allocate_result() {
    CUdeviceptr pointer = 0;
    return cu.cuMemAlloc(&pointer, 4096);
  }
  CUresult sync() { return cu.cuCtxSynchronize(); }
};

TEST_F(Faults, HappenAtTheNthCall) {
  start("device a100-80gb\nfault cuMemAlloc 3 out_of_memory");
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS);
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS);
  EXPECT_EQ(allocate_result(), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS) << "once, and not sticky";
}

TEST_F(Faults, HappenFromTheNthCallOn) {
  start("device a100-80gb\nfault cuMemAlloc 2+ out_of_memory\nfault cuStreamCreate 1-2 304");
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(allocate_result(), CUDA_ERROR_OUT_OF_MEMORY);
  CUstream on = nullptr;
  EXPECT_EQ(cu.cuStreamCreate(&on, 0), CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(cu.cuStreamCreate(&on, 0), CUDA_ERROR_OPERATING_SYSTEM);
  EXPECT_EQ(cu.cuStreamCreate(&on, 0), CUDA_SUCCESS);
}

TEST_F(Faults, AreCountedForEachDevice) {
  use("device h100 x2\nfault cuMemAlloc 2 out_of_memory\nfault cuStreamCreate 1 999 device=1");
  start(0);
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS);
  start(1);
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS);
  EXPECT_EQ(allocate_result(), CUDA_ERROR_OUT_OF_MEMORY);
  start(0);
  EXPECT_EQ(allocate_result(), CUDA_ERROR_OUT_OF_MEMORY);
  CUstream on = nullptr;
  EXPECT_EQ(cu.cuStreamCreate(&on, 0), CUDA_SUCCESS);
}

struct KernelFault {
  const char* word;
  CUresult code;
  bool heals;
};

class KernelFaults : public Faults, public testing::WithParamInterface<KernelFault> {};

// A kernel's end is seen by a later call, which says so until the context is made anew.
TEST_P(KernelFaults, AreSeenLaterAndStay) {
  start("device a100-80gb\nfault kernel 3 " + std::string(GetParam().word));
  const CUstream on = stream();
  ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_EQ(launch_empty(on), CUDA_SUCCESS) << "the launch itself goes well";
  const std::uint64_t executed = machine().kernels_executed;
  EXPECT_EQ(launch_empty(on), CUDA_SUCCESS) << "the kernel has not ended yet";
  EXPECT_EQ(machine().kernels_executed, executed) << "nothing runs behind it";
  EXPECT_EQ(cu.cuStreamSynchronize(on), GetParam().code);
  EXPECT_EQ(cu.cuStreamSynchronize(on), GetParam().code);
  EXPECT_EQ(allocate_result(), GetParam().code);
  EXPECT_EQ(cu.cuStreamDestroy(on), GetParam().code);

  ASSERT_EQ(cu.cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  if (!GetParam().heals) {
    EXPECT_EQ(cu.cuDevicePrimaryCtxRetain(&context, 0), GetParam().code);
    return;
  }
  start();
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS);
  const CUstream again = stream();
  EXPECT_EQ(launch_empty(again), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(again), CUDA_SUCCESS);
}

INSTANTIATE_TEST_SUITE_P(
    Each, KernelFaults,
    testing::Values(KernelFault{"illegal_address", CUDA_ERROR_ILLEGAL_ADDRESS, true},
                    KernelFault{"misaligned_address", CUDA_ERROR_MISALIGNED_ADDRESS, true},
                    KernelFault{"launch_failed", CUDA_ERROR_LAUNCH_FAILED, true},
                    KernelFault{"launch_timeout", CUDA_ERROR_LAUNCH_TIMEOUT, true},
                    KernelFault{"ecc", CUDA_ERROR_ECC_UNCORRECTABLE, false},
                    KernelFault{"device_lost", CUDA_ERROR_DEVICE_UNAVAILABLE, false}),
    [](const auto& of) { return std::string(of.param.word); });

TEST_F(Faults, MayComeOutOfSynchronising) {
  start("device a100-80gb\nfault sync 2 ecc");
  EXPECT_EQ(sync(), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(nullptr), CUDA_ERROR_ECC_UNCORRECTABLE);
  EXPECT_EQ(allocate_result(), CUDA_ERROR_ECC_UNCORRECTABLE);
}

TEST_F(Faults, OfOneDeviceLeaveTheOthersAlone) {
  use("device h100 x2\nfault kernel 1 device_lost device=1");
  start(1);
  ASSERT_EQ(launch_empty(stream()), CUDA_SUCCESS);
  EXPECT_EQ(sync(), CUDA_ERROR_DEVICE_UNAVAILABLE);
  start(0);
  EXPECT_EQ(launch_empty(stream()), CUDA_SUCCESS);
  EXPECT_EQ(sync(), CUDA_SUCCESS);
  char name[64];
  EXPECT_EQ(cu.cuDeviceGetName(name, sizeof(name), 1), CUDA_SUCCESS) << "known since before";
}

TEST_F(Faults, OfOneKernelByItsName) {
  start("device a100-80gb\nfault kernel:roofline_em* 2 launch_failed");
  const CUstream on = stream();
  ASSERT_EQ(spin(on, 1e-6), CUDA_SUCCESS);
  ASSERT_EQ(spin(on, 1e-6), CUDA_SUCCESS);
  ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  ASSERT_EQ(sync(), CUDA_SUCCESS);
  ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  EXPECT_EQ(sync(), CUDA_ERROR_LAUNCH_FAILED);
}

TEST_F(Faults, MayRefuseALaunch) {
  start("device a100-80gb\nfault cuLaunchKernel 2 out_of_resources");
  const CUstream on = stream();
  EXPECT_EQ(launch_empty(on), CUDA_SUCCESS);
  EXPECT_EQ(launch_empty(on), CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES);
  EXPECT_EQ(launch_empty(on), CUDA_SUCCESS);
  EXPECT_EQ(sync(), CUDA_SUCCESS);
}

TEST_F(Faults, NoCodeForThisGpu) {
  CUmodule module = nullptr;
  start("device a100-80gb\nfault cuModuleLoadData 1 no_binary");
  EXPECT_EQ(cu.cuModuleLoadData(&module, ".version 9.0\n"), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(cu.cuModuleLoadData(&module, ".version 9.0\n"), CUDA_SUCCESS);
  CUfunction none = nullptr;
  EXPECT_EQ(cu.cuModuleGetFunction(&none, module, "no_such_kernel"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(Faults, ADriverThatIsTooOldForTheImage) {
  start("driver " + std::to_string(CUDA_VERSION / 1000 - 1) + ".4\ndevice a100-80gb");
  int version = 0;
  ASSERT_EQ(cu.cuDriverGetVersion(&version), CUDA_SUCCESS);
  EXPECT_LT(version / 1000, CUDA_VERSION / 1000);
  CUmodule module = nullptr;
  EXPECT_EQ(cu.cuModuleLoadData(&module, ".version 9.0\n"), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST_F(Faults, ACallThatTakesLong) {
  start("device a100-80gb\nfault cuMemAlloc 1 hang:60ms");
  const auto before = Clock::now();
  EXPECT_EQ(allocate_result(), CUDA_SUCCESS);
  EXPECT_GE(Clock::now() - before, std::chrono::milliseconds(60));
}

TEST_F(Faults, AKernelThatTakesLongHoldsUpWhoWaitsForIt) {
  start("device a100-80gb\nfault kernel 1 hang:60ms");
  const CUstream on = stream();
  const auto before = Clock::now();
  ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamQuery(on), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_GE(Clock::now() - before, std::chrono::milliseconds(60));
}

TEST_F(Faults, ACallThatNeverReturnsHoldsUpNobodyElse) {
  use("device h100 x2\nfault cuMemAlloc 1 hang device=0");
  // The thread stays behind, so this is done in a process of its own.
  EXPECT_EXIT(
      {
        start(0);
        std::thread([&] {
          CUcontext context = nullptr;
          (void)cu.cuDevicePrimaryCtxRetain(&context, 0);
          (void)cu.cuCtxSetCurrent(context);
          (void)allocate_result();
          std::_Exit(3);
        }).detach();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        start(1);
        std::_Exit(allocate_result() == CUDA_SUCCESS ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

TEST(NonsensicalScenario, EndsTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        setenv("FAKEGPU", "/no/such/file", 1);
        const Cuda cu(open_library("libcuda.so.1"));
        (void)cu.cuInit(0);
      },
      "FAKEGPU=/no/such/file is neither a file");
}

}  // namespace
}  // namespace fakegpu
