// What an error leaves behind, and what is said of it.
#include "backend/cuda/cuda_error.hpp"

#include <gtest/gtest.h>

#include <string>

namespace roofline::cuda {
namespace {

TEST(CudaError, WhatIsLeftAfterIt) {
  for (const int code : {2, 209, 222, 701, 801}) EXPECT_EQ(aftermath(code), Aftermath::call_failed);
  // cuda.h: "the context cannot be used".
  for (const int code : {700, 715, 716, 719, 4711})
    EXPECT_EQ(aftermath(code), Aftermath::context_lost) << code;
  EXPECT_EQ(aftermath(214), Aftermath::device_lost);
}

TEST(CudaError, OneSentenceWithTheCallTheNameAndAWayOut) {
  const CudaError error(209, "cuModuleLoadData");
  EXPECT_EQ(std::string(error.what()),
            "cuModuleLoadData: this build has no kernels for this GPU "
            "(CUDA_ERROR_NO_BINARY_FOR_GPU); use a build for its compute capability (7.5 and later "
            "are built by default)");
  EXPECT_EQ(error.code(), 209);
  const std::string old_driver = CudaError(222, "cuModuleLoadData").what();
  EXPECT_NE(old_driver.find("update the NVIDIA driver"), std::string::npos) << old_driver;
}

TEST(CudaError, AnUnknownCodeIsANumber) {
  EXPECT_EQ(error_name(4711), "error 4711");
  EXPECT_NE(std::string(CudaError(4711, "cuX").what()).find("error 4711"), std::string::npos);
}

TEST(CudaError, WhatIsMissingIsNamed) {
  try {
    throw_missing("cuGraphLaunch");
  } catch (const backend::BackendError& error) {
    EXPECT_NE(std::string(error.what()).find("cuGraphLaunch"), std::string::npos);
  }
}

}  // namespace
}  // namespace roofline::cuda
