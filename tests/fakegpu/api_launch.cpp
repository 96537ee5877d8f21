// The driver API's kernel launches.
#include <cstring>

#include "api.hpp"
#include "execution.hpp"
#include "submit.hpp"

using fakegpu::Context;
using fakegpu::Driver;
using fakegpu::Function;
using fakegpu::LaunchRequest;
using fakegpu::Stream;

namespace {

/// Arguments are copied now: the caller's may be gone when a graph is launched.
LaunchRequest request_of(const Function& function, const fakegpu::LaunchShape& shape,
                         void** parameters) {
  LaunchRequest request{.kernel = function.kernel, .shape = shape, .first = !function.launched};
  for (std::size_t i = 0; i < function.kernel->parameters.size(); ++i) {
    const auto* const begin = static_cast<const std::byte*>(parameters[i]);
    request.arguments.emplace_back(begin, begin + function.kernel->parameters[i].bytes);
  }
  return request;
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuLaunchKernel(CUfunction handle, unsigned grid_x, unsigned grid_y,
                                               unsigned grid_z, unsigned block_x, unsigned block_y,
                                               unsigned block_z, unsigned shared_bytes,
                                               CUstream stream, void** parameters, void** extra) {
  const fakegpu::LaunchShape shape{
      {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared_bytes};
  LaunchRequest request;
  const CUresult refused =
      fakegpu::context_call("cuLaunchKernel", [&](Driver& all, Context& context) -> CUresult {
        Function* const function = all.functions.find(handle);
        if (function == nullptr || function->context != &context) {
          return CUDA_ERROR_INVALID_HANDLE;
        }
        const CUresult result = fakegpu::check_launch(*function, shape, parameters, extra);
        if (result != CUDA_SUCCESS) return result;
        request = request_of(*function, shape, parameters);
        function->launched = true;
        return CUDA_SUCCESS;
      });
  if (refused != CUDA_SUCCESS) return refused;
  return fakegpu::submit("launch", stream, [request](Stream& target, bool in_graph) {
    return fakegpu::execute(target, request, in_graph);
  });
}
