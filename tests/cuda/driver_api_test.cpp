// The table's signatures are those of the toolkit's header, and what a library lacks is absent.
#include "backend/cuda/driver_api.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace roofline::cuda {
namespace {

template <class Pointer, class Member>
constexpr bool kSame = std::is_same_v<Pointer, typename Member::Pointer>;

TEST(DriverApi, SignaturesAreThoseOfTheHeader) {
  // Compared when compiled: no test may need the functions themselves.
#define ROOFLINE_SAME(member, function) \
  static_assert(kSame<decltype(&(function)), decltype(DriverApi::member)>, #function)
  ROOFLINE_SAME(init, cuInit);
  ROOFLINE_SAME(driver_version, cuDriverGetVersion);
  ROOFLINE_SAME(device_count, cuDeviceGetCount);
  ROOFLINE_SAME(device, cuDeviceGet);
  ROOFLINE_SAME(device_name, cuDeviceGetName);
  ROOFLINE_SAME(device_attribute, cuDeviceGetAttribute);
  ROOFLINE_SAME(device_memory, cuDeviceTotalMem);
  ROOFLINE_SAME(device_uuid, cuDeviceGetUuid);
  ROOFLINE_SAME(device_pci, cuDeviceGetPCIBusId);
  ROOFLINE_SAME(primary_retain, cuDevicePrimaryCtxRetain);
  ROOFLINE_SAME(primary_release, cuDevicePrimaryCtxRelease);
  ROOFLINE_SAME(primary_reset, cuDevicePrimaryCtxReset);
  ROOFLINE_SAME(set_current, cuCtxSetCurrent);
  ROOFLINE_SAME(memory_info, cuMemGetInfo);
  ROOFLINE_SAME(mem_alloc, cuMemAlloc);
  ROOFLINE_SAME(mem_free, cuMemFree);
  ROOFLINE_SAME(host_alloc, cuMemHostAlloc);
  ROOFLINE_SAME(host_free, cuMemFreeHost);
  ROOFLINE_SAME(copy_to_device_async, cuMemcpyHtoDAsync);
  ROOFLINE_SAME(copy_to_host_async, cuMemcpyDtoHAsync);
  ROOFLINE_SAME(memset_async, cuMemsetD8Async);
  ROOFLINE_SAME(stream_create, cuStreamCreate);
  ROOFLINE_SAME(stream_destroy, cuStreamDestroy);
  ROOFLINE_SAME(stream_synchronize, cuStreamSynchronize);
  ROOFLINE_SAME(event_create, cuEventCreate);
  ROOFLINE_SAME(event_destroy, cuEventDestroy);
  ROOFLINE_SAME(event_record, cuEventRecord);
  ROOFLINE_SAME(event_synchronize, cuEventSynchronize);
  ROOFLINE_SAME(event_query, cuEventQuery);
  ROOFLINE_SAME(event_elapsed, cuEventElapsedTime);
  ROOFLINE_SAME(module_load, cuModuleLoadData);
  ROOFLINE_SAME(module_unload, cuModuleUnload);
  ROOFLINE_SAME(module_function, cuModuleGetFunction);
  ROOFLINE_SAME(function_set_attribute, cuFuncSetAttribute);
  ROOFLINE_SAME(launch_kernel, cuLaunchKernel);
  ROOFLINE_SAME(blocks_per_sm, cuOccupancyMaxActiveBlocksPerMultiprocessor);
  ROOFLINE_SAME(capture_begin, cuStreamBeginCapture);
  ROOFLINE_SAME(capture_end, cuStreamEndCapture);
  ROOFLINE_SAME(graph_nodes, cuGraphGetNodes);
  ROOFLINE_SAME(graph_instantiate, cuGraphInstantiate);
  ROOFLINE_SAME(graph_launch, cuGraphLaunch);
  ROOFLINE_SAME(graph_exec_destroy, cuGraphExecDestroy);
  ROOFLINE_SAME(graph_destroy, cuGraphDestroy);
#if CUDA_VERSION >= 12040
  ROOFLINE_SAME(function_parameter, cuFuncGetParamInfo);
#endif
#undef ROOFLINE_SAME
}

TEST(DriverApi, WhatALibraryLacksIsAnErrorOnlyWhenNeeded) {
  void* const library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const DriverApi api = bind_driver(library);
  EXPECT_FALSE(api.init.present());
  EXPECT_EQ(api.init.result(0), CUDA_ERROR_NOT_FOUND);
  EXPECT_THROW(api.init(0), backend::BackendError);
}

}  // namespace
}  // namespace roofline::cuda
