// The driver API's modules and functions.
#include <algorithm>

#include "api.hpp"
#include "module_image.hpp"

using fakegpu::Context;
using fakegpu::Driver;
using fakegpu::Function;
using fakegpu::Module;

namespace {

constexpr int kRegisters = 32;

Function* find_function(Driver& all, const Context& context, CUfunction handle) {
  Function* const function = all.functions.find(handle);
  return function != nullptr && function->context == &context ? function : nullptr;
}

CUresult attribute(const Function& function, CUfunction_attribute which, int* value) {
  const fakegpu::DeviceModel& model = function.context->device->model();
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = static_cast<int>(function.kernel->max_block);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = kRegisters;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = 10 * model.major + model.minor;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = static_cast<int>(function.dynamic_shared_limit);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
      *value = 0;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = -1;
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuModuleLoadData(CUmodule* module, const void* image) {
  return fakegpu::uncaptured_call("cuModuleLoadData", [&](Driver& all, Context& context) {
    if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const fakegpu::DeviceModel& model = context.device->model();
    const CUresult result =
        fakegpu::check_image(image, model.major, model.minor, all.scenario.driver);
    if (result == CUDA_SUCCESS) *module = all.modules.add(Module{.context = &context});
    return result;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuModuleUnload(CUmodule handle) {
  return fakegpu::uncaptured_call("cuModuleUnload", [&](Driver& all, Context& context) {
    const Module* const module = all.modules.find(handle);
    if (module == nullptr || module->context != &context) return CUDA_ERROR_INVALID_HANDLE;
    all.functions.erase_if([&](const Function& function) { return function.module == handle; });
    all.modules.erase(handle);
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuModuleGetFunction(CUfunction* out, CUmodule handle,
                                                    const char* name) {
  return fakegpu::context_call("cuModuleGetFunction", [&](Driver& all, Context& context) {
    Module* const module = all.modules.find(handle);
    if (module == nullptr || module->context != &context) return CUDA_ERROR_INVALID_HANDLE;
    if (out == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
    const auto known = module->functions.find(name);
    if (known != module->functions.end()) {
      *out = known->second;
      return CUDA_SUCCESS;
    }
    const fakegpu::Kernel* const kernel = fakegpu::find_kernel(name);
    if (kernel == nullptr) return CUDA_ERROR_NOT_FOUND;
    *out = all.functions.add(Function{.context = &context, .module = handle, .kernel = kernel});
    module->functions[name] = *out;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuFuncGetAttribute(int* value, CUfunction_attribute which,
                                                   CUfunction handle) {
  return fakegpu::context_call("cuFuncGetAttribute", [&](Driver& all, Context& context) {
    const Function* const function = find_function(all, context, handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    return value == nullptr ? CUDA_ERROR_INVALID_VALUE : attribute(*function, which, value);
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuFuncSetAttribute(CUfunction handle, CUfunction_attribute which,
                                                   int value) {
  return fakegpu::context_call("cuFuncSetAttribute", [&](Driver& all, Context& context) {
    Function* const function = find_function(all, context, handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    if (which == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return CUDA_SUCCESS;
    const auto most = static_cast<int>(context.device->model().shared_opt_in_bytes);
    if (which != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value < 0 || value > most) {
      return CUDA_ERROR_INVALID_VALUE;
    }
    function->dynamic_shared_limit = static_cast<unsigned>(value);
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuFuncGetParamInfo(CUfunction handle, std::size_t index,
                                                   std::size_t* offset, std::size_t* size) {
  return fakegpu::context_call("cuFuncGetParamInfo", [&](Driver& all, Context& context) {
    const Function* const function = find_function(all, context, handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const auto& parameters = function->kernel->parameters;
    if (offset == nullptr || index >= parameters.size()) return CUDA_ERROR_INVALID_VALUE;
    std::size_t at = 0;
    for (std::size_t i = 0; i <= index; ++i) {
      const std::size_t bytes = parameters[i].bytes;
      at = (at + bytes - 1) / bytes * bytes;  // each is aligned to its size
      if (i < index) at += bytes;
    }
    *offset = at;
    if (size != nullptr) *size = parameters[index].bytes;
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int* blocks, CUfunction handle, int block_size, std::size_t dynamic_shared) {
  return fakegpu::context_call("cuOccupancyMaxActiveBlocksPerMultiprocessor", [&](Driver& all,
                                                                                  Context&
                                                                                      context) {
    const Function* const function = find_function(all, context, handle);
    if (function == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    const int most_threads = static_cast<int>(function->kernel->max_block);
    if (blocks == nullptr || block_size <= 0) return CUDA_ERROR_INVALID_VALUE;
    const fakegpu::DeviceModel& model = context.device->model();
    const int by_threads = static_cast<int>(model.threads_per_sm) / block_size;
    const int by_registers = 65536 / (kRegisters * block_size);
    constexpr std::size_t reserved = 1024;  // for each block, by the system
    const auto by_shared =
        static_cast<int>(model.shared_per_sm_bytes / (dynamic_shared + reserved));
    *blocks = block_size > most_threads ? 0 : std::min({by_threads, by_registers, by_shared, 32});
    return CUDA_SUCCESS;
  });
}
