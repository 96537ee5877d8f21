// The driver API's graphs: lists of what a captured stream was told to do.
#include "api.hpp"

using fakegpu::Context;
using fakegpu::Driver;
using fakegpu::Graph;
using fakegpu::Stream;

namespace {

CUresult instantiate(std::string_view site, CUgraphExec* out, CUgraph handle) {
  return fakegpu::uncaptured_call(site, [&](Driver& all, Context& context) {
    const Graph* const graph = all.graphs.find(handle);
    if (graph == nullptr || graph->context != &context) return CUDA_ERROR_INVALID_HANDLE;
    if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *out = all.graph_execs.add(*graph);
    return CUDA_SUCCESS;
  });
}

}  // namespace

FAKEGPU_EXPORT CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec* out, CUgraph graph,
                                                            unsigned long long) {
  return instantiate("cuGraphInstantiate", out, graph);
}

FAKEGPU_EXPORT CUresult CUDAAPI cuGraphLaunch(CUgraphExec handle, CUstream stream) {
  return fakegpu::context_call("cuGraphLaunch", [&](Driver& all, Context& context) -> CUresult {
    const Graph* const graph = all.graph_execs.find(handle);
    Stream* const target = all.find_stream(context, stream);
    if (graph == nullptr || graph->context != &context || target == nullptr) {
      return CUDA_ERROR_INVALID_HANDLE;
    }
    if (target->capture) return CUDA_ERROR_NOT_SUPPORTED;
    all.host_now += all.scenario.costs.graph_launch;
    for (const fakegpu::Operation& node : graph->nodes) {
      if (const CUresult result = node(*target, true)) return result;
    }
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuGraphGetNodes(CUgraph handle, CUgraphNode* nodes,
                                                std::size_t* count) {
  return fakegpu::context_call("cuGraphGetNodes", [&](Driver& all, Context&) -> CUresult {
    const Graph* const graph = all.graphs.find(handle);
    if (graph == nullptr) return CUDA_ERROR_INVALID_HANDLE;
    // Nodes have no handles of their own here: only their number is told.
    if (count == nullptr || nodes != nullptr) return CUDA_ERROR_INVALID_VALUE;
    *count = graph->nodes.size();
    return CUDA_SUCCESS;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec handle) {
  return fakegpu::context_call("cuGraphExecDestroy", [&](Driver& all, Context&) {
    return all.graph_execs.erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}

FAKEGPU_EXPORT CUresult CUDAAPI cuGraphDestroy(CUgraph handle) {
  return fakegpu::context_call("cuGraphDestroy", [&](Driver& all, Context&) {
    return all.graphs.erase(handle) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
  });
}
