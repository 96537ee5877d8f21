// Tests drive the simulated libraries as a program does: opened by path, functions by name.
#pragma once

#include <cuda.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "inspection.hpp"
#include "nvml_abi.hpp"

namespace fakegpu {

// clang-format off
#define FAKEGPU_FUNCTIONS(X) \
  X(cuInit) X(cuDriverGetVersion) X(cuDeviceGetCount) X(cuDeviceGet) X(cuDeviceGetName) \
  X(cuDeviceGetAttribute) X(cuDeviceTotalMem) X(cuDeviceGetUuid) X(cuDeviceGetPCIBusId) \
  X(cuDevicePrimaryCtxRetain) X(cuDevicePrimaryCtxRelease) X(cuDevicePrimaryCtxReset) \
  X(cuDevicePrimaryCtxSetFlags) X(cuDevicePrimaryCtxGetState) X(cuCtxSetCurrent) \
  X(cuCtxGetCurrent) X(cuCtxGetDevice) X(cuCtxSynchronize) X(cuCtxGetLimit) X(cuCtxSetLimit) \
  X(cuCtxResetPersistingL2Cache) X(cuMemGetInfo) X(cuMemAlloc) X(cuMemFree) X(cuMemAllocHost) \
  X(cuMemHostAlloc) X(cuMemFreeHost) X(cuMemcpyHtoD) X(cuMemcpyDtoH) X(cuMemcpyDtoD) \
  X(cuMemcpyHtoDAsync) X(cuMemcpyDtoHAsync) X(cuMemsetD8) X(cuMemsetD32) X(cuMemsetD8Async) \
  X(cuMemsetD32Async) X(cuStreamCreate) X(cuStreamDestroy) X(cuStreamSynchronize) \
  X(cuStreamQuery) X(cuStreamWaitEvent) X(cuStreamBeginCapture) X(cuStreamEndCapture) \
  X(cuStreamIsCapturing) X(cuEventCreate) X(cuEventDestroy) X(cuEventRecord) X(cuEventQuery) \
  X(cuEventSynchronize) X(cuEventElapsedTime) X(cuModuleLoadData) X(cuModuleUnload) \
  X(cuModuleGetFunction) X(cuFuncGetAttribute) X(cuFuncSetAttribute) X(cuFuncGetParamInfo) \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) X(cuLaunchKernel) \
  X(cuGraphInstantiateWithFlags) X(cuGraphLaunch) X(cuGraphGetNodes) X(cuGraphExecDestroy) \
  X(cuGraphDestroy) X(cuGetErrorName) X(cuGetErrorString)
// clang-format on

/// The functions of libcuda.so.1, as members of their own names.
struct Cuda {
  explicit Cuda(void* library);
// NOLINTNEXTLINE(bugprone-macro-parentheses): a name that is declared can stand in none.
#define FAKEGPU_MEMBER(name) decltype(&::name) name = nullptr;
  FAKEGPU_FUNCTIONS(FAKEGPU_MEMBER)
#undef FAKEGPU_MEMBER
};

/// A process that begins anew with each scenario.
class FakeGpu : public testing::Test {
 protected:
  FakeGpu();
  ~FakeGpu() override;

  /// The text of a scenario; everything before is forgotten.
  void use(const std::string& scenario);
  /// Initialises, and makes the primary context of `device` current.
  void start(int device = 0);
  /// The same with the scenario.
  void start(const std::string& scenario) {
    use(scenario);
    start();
  }

  [[nodiscard]] CUdeviceptr allocate(std::size_t bytes);
  [[nodiscard]] CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  [[nodiscard]] CUevent event();
  /// An entry point of kernels.def, without `roofline_`.
  [[nodiscard]] CUfunction function(const std::string& name);
  /// Of a kernel without pointers to spoil: `roofline_empty`.
  CUresult launch_empty(CUstream on);
  CUresult launch(CUfunction what, unsigned grid, unsigned block, CUstream on,
                  std::vector<void*> arguments);
  /// Occupies the stream for so long.
  CUresult spin(CUstream on, double seconds);
  /// s between two events, after waiting for the second.
  [[nodiscard]] double elapsed(CUevent first, CUevent second);
  [[nodiscard]] MachineState machine() const;

  void* library;
  Cuda cu;

 private:
  std::string scenario_file_;
  CUmodule module_ = nullptr;
};

/// A symbol of an opened library; null when it is not exported.
template <class Function>
Function symbol(void* library, const char* name);

/// Opens build/fakegpu/<name>.
[[nodiscard]] void* open_library(const std::string& name);
[[nodiscard]] void* find_symbol(void* library, const char* name);

template <class Function>
Function symbol(void* library, const char* name) {
  return reinterpret_cast<Function>(find_symbol(library, name));
}

}  // namespace fakegpu
