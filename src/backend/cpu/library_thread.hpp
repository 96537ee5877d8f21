// The one thread that GEMM libraries are driven from. A second caller would get a second pool of
// OpenMP threads, and the main thread must stay free of the pins that the pool's threads are given.
#pragma once

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace roofline::cpu {

class LibraryThread {
 public:
  LibraryThread();
  LibraryThread(const LibraryThread&) = delete;
  LibraryThread& operator=(const LibraryThread&) = delete;
  ~LibraryThread();

  /// Runs the function on the thread and waits for it; what it throws comes out here.
  void call(const std::function<void()>& function);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  const std::function<void()>* function_ = nullptr;
  std::exception_ptr thrown_;
  bool stop_ = false;
  std::jthread thread_;
};

}  // namespace roofline::cpu
