// Launches that are captured once and replayed as a whole, which costs the host one call.
#pragma once

#include <cstdint>
#include <functional>

#include "backend/cuda/context.hpp"

namespace roofline::cuda {

class Graph {
 public:
  /// Captures what `enqueue` enqueues into the context's stream; nothing of it runs.
  Graph(Context& context, const std::function<void()>& enqueue);
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  void launch();
  /// Of the captured graph, as the driver counts them.
  [[nodiscard]] std::uint64_t nodes() const { return nodes_; }

 private:
  Context& context_;
  unsigned generation_;
  CUgraphExec exec_ = nullptr;
  std::uint64_t nodes_ = 0;
};

}  // namespace roofline::cuda
