#include "fake_gpu.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace fakegpu {

// The header's macros supply the versions.
#define FAKEGPU_TEXT_OF(text) #text
#define FAKEGPU_TEXT(name) FAKEGPU_TEXT_OF(name)

Cuda::Cuda(void* library) {
#define FAKEGPU_BIND(name)                                             \
  this->name = symbol<decltype(&::name)>(library, FAKEGPU_TEXT(name)); \
  EXPECT_NE(this->name, nullptr) << FAKEGPU_TEXT(name);
  FAKEGPU_FUNCTIONS(FAKEGPU_BIND)
#undef FAKEGPU_BIND
}

void* open_library(const std::string& name) {
  void* const library = dlopen((FAKEGPU_FOLDER "/" + name).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) throw std::runtime_error(dlerror());
  return library;
}

void* find_symbol(void* library, const char* name) { return dlsym(library, name); }

FakeGpu::FakeGpu() : library(open_library("libcuda.so.1")), cu(library) {
  unsetenv("CUDA_VISIBLE_DEVICES");
  scenario_file_ = testing::TempDir() + "fakegpu-" + std::to_string(getpid()) + ".scenario";
  use("device a100-80gb\n");
}

FakeGpu::~FakeGpu() {
  use("device a100-80gb\n");
  unsetenv("CUDA_VISIBLE_DEVICES");
  std::remove(scenario_file_.c_str());
}

void FakeGpu::use(const std::string& scenario) {
  std::ofstream(scenario_file_) << scenario;
  setenv("FAKEGPU", scenario_file_.c_str(), 1);
  symbol<decltype(&::fakegpu_reset)>(library, "fakegpu_reset")();
  module_ = nullptr;
}

void FakeGpu::start(int device) {
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  CUcontext context = nullptr;
  ASSERT_EQ(cu.cuDevicePrimaryCtxRetain(&context, device), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxSetCurrent(context), CUDA_SUCCESS);
  module_ = nullptr;
}

CUdeviceptr FakeGpu::allocate(std::size_t bytes) {
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cu.cuMemAlloc(&pointer, bytes), CUDA_SUCCESS);
  return pointer;
}

CUstream FakeGpu::stream(unsigned flags) {
  CUstream out = nullptr;
  EXPECT_EQ(cu.cuStreamCreate(&out, flags), CUDA_SUCCESS);
  return out;
}

CUevent FakeGpu::event() {
  CUevent out = nullptr;
  EXPECT_EQ(cu.cuEventCreate(&out, 0), CUDA_SUCCESS);
  return out;
}

CUfunction FakeGpu::function(const std::string& name) {
  if (module_ == nullptr) {
    EXPECT_EQ(cu.cuModuleLoadData(&module_, ".version 8.0\n"), CUDA_SUCCESS);
  }
  CUfunction out = nullptr;
  EXPECT_EQ(cu.cuModuleGetFunction(&out, module_, ("roofline_" + name).c_str()), CUDA_SUCCESS);
  return out;
}

CUresult FakeGpu::launch(CUfunction what, unsigned grid, unsigned block, CUstream on,
                         std::vector<void*> arguments) {
  return cu.cuLaunchKernel(what, grid, 1, 1, block, 1, 1, 0, on, arguments.data(), nullptr);
}

CUresult FakeGpu::launch_empty(CUstream on) { return launch(function("empty"), 1, 32, on, {}); }

CUresult FakeGpu::spin(CUstream on, double seconds) {
  auto nanoseconds = static_cast<std::uint64_t>(seconds * 1e9);
  return launch(function("spin"), 1, 1, on, {&nanoseconds});
}

double FakeGpu::elapsed(CUevent first, CUevent second) {
  EXPECT_EQ(cu.cuEventSynchronize(second), CUDA_SUCCESS);
  float milliseconds = -1;
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, first, second), CUDA_SUCCESS);
  return static_cast<double>(milliseconds) * 1e-3;
}

MachineState FakeGpu::machine() const {
  MachineState state;
  symbol<decltype(&::fakegpu_machine)>(library, "fakegpu_machine")(&state);
  return state;
}

}  // namespace fakegpu
