#include "backend/cpu/library_thread.hpp"

#include <utility>

namespace roofline::cpu {

LibraryThread::LibraryThread() : thread_([this] { work(); }) {}

LibraryThread::~LibraryThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
}

void LibraryThread::call(const std::function<void()>& function) {
  std::unique_lock lock(mutex_);
  function_ = &function;
  changed_.notify_all();
  changed_.wait(lock, [this] { return function_ == nullptr; });
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
}

void LibraryThread::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || function_ != nullptr; });
    if (stop_) return;
    lock.unlock();
    std::exception_ptr thrown;
    try {
      (*function_)();
    } catch (...) {
      thrown = std::current_exception();
    }
    lock.lock();
    thrown_ = thrown;
    function_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace roofline::cpu
