#include "backend/cuda/graph.hpp"

namespace roofline::cuda {

Graph::Graph(Context& context, const std::function<void()>& enqueue)
    : context_(context), generation_(context.generation()) {
  const DriverApi& driver = context.driver();
  CUgraph graph = nullptr;
  driver.capture_begin(context.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  try {
    enqueue();
  } catch (...) {
    // A stream that stays in capture could never be used again.
    if (driver.capture_end.result(context.stream(), &graph) == CUDA_SUCCESS && graph != nullptr)
      static_cast<void>(driver.graph_destroy.result(graph));
    throw;
  }
  driver.capture_end(context.stream(), &graph);
  std::size_t nodes = 0;
  CUresult made = driver.graph_nodes.result(graph, nullptr, &nodes);
  nodes_ = made == CUDA_SUCCESS ? nodes : 0;
  made = driver.graph_instantiate.result(&exec_, graph, 0);
  static_cast<void>(driver.graph_destroy.result(graph));
  if (made == CUDA_SUCCESS) return;
  exec_ = nullptr;
  throw CudaError(static_cast<int>(made), "cuGraphInstantiate");
}

Graph::~Graph() {
  if (exec_ == nullptr || context_.generation() != generation_ || !context_.active()) return;
  static_cast<void>(context_.driver().graph_exec_destroy.result(exec_));
}

void Graph::launch() { context_.driver().graph_launch(exec_, context_.stream()); }

}  // namespace roofline::cuda
