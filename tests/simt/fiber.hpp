// A stack of its own for each CUDA thread. Knows neither blocks nor warps.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>

#include "simt/stack_notes.hpp"

namespace simt {

class Fiber {
 public:
  Fiber();
  ~Fiber();
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// The next resume() calls `body(argument)`, which must not throw.
  void start(void (*body)(void*), void* argument);
  /// Runs the fiber until it suspends or its body returns.
  void resume();
  /// From within: back to whom resumed it.
  void suspend() { leave(false); }

 private:
  static void enter();
  void leave(bool for_good);

  char* stack_ = nullptr;
  void* context_ = nullptr;
  void* resumer_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  StackNotes notes_;
};

/// Fibers to use again. A thread that never waits gives its fiber to the next one, whose stack is
/// then still in the cache. Under ThreadSanitizer, which takes two uses of one fiber for one
/// thread, all threads of a block have fibers of their own.
class FiberPool {
 public:
  /// A block of `threads` threads begins.
  void begin_block(std::size_t threads);
  std::unique_ptr<Fiber> take();
  void give(std::unique_ptr<Fiber> fiber);

 private:
  std::deque<std::unique_ptr<Fiber>> idle_;
};

}  // namespace simt
