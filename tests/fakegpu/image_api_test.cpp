// The kernels' own image, as the program embeds it, loaded by each kind of device.
#include "fake_gpu.hpp"
#include "kernels/cuda/kernels.hpp"

namespace fakegpu {
namespace {

class OurImage : public FakeGpu {
 protected:
  CUresult load() {
    CUmodule module = nullptr;
    return cu.cuModuleLoadData(&module, roofline_cuda_fatbin);
  }
};

TEST_F(OurImage, LoadsOnEveryDeviceFromTuringOn) {
  for (const char* const preset :
       {"t4", "a100-80gb", "a100-80gb/1g.10gb", "h100", "h200", "a100-80gb cc=12.0"}) {
    start("device " + std::string(preset));
    EXPECT_EQ(load(), CUDA_SUCCESS) << preset;
  }
}

TEST_F(OurImage, LoadsByItsPtxOnWhatComesLater) {
  start("device h200 cc=15.0");
  EXPECT_EQ(load(), CUDA_SUCCESS);
}

TEST_F(OurImage, HasNothingForVolta) {
  start("device v100");
  EXPECT_EQ(load(), CUDA_ERROR_NO_BINARY_FOR_GPU);
}

TEST_F(OurImage, NeedsADriverOfItsRelease) {
  start("driver " + std::to_string(CUDA_VERSION / 1000 - 1) + ".9\ndevice a100-80gb");
  EXPECT_EQ(load(), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
}

TEST_F(OurImage, HasEveryKernelOfTheList) {
  start();
  CUmodule module = nullptr;
  ASSERT_EQ(cu.cuModuleLoadData(&module, roofline_cuda_fatbin), CUDA_SUCCESS);
  for (const roofline::cuda::KernelEntry& kernel : roofline::cuda::kKernels) {
    CUfunction found = nullptr;
    ASSERT_EQ(cu.cuModuleGetFunction(&found, module, kernel.entry), CUDA_SUCCESS) << kernel.entry;
    int most = 0;
    ASSERT_EQ(cu.cuFuncGetAttribute(&most, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, found),
              CUDA_SUCCESS);
    EXPECT_EQ(most, static_cast<int>(kernel.max_block)) << kernel.entry;
  }
}

}  // namespace
}  // namespace fakegpu
