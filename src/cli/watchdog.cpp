#include "cli/watchdog.hpp"

namespace roofline::cli {

Watchdog::Watchdog() : thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::expect(std::chrono::duration<double> limit, std::function<void()> give_up) {
  const std::lock_guard lock(mutex_);
  give_up_ = std::move(give_up);
  deadline_ = std::chrono::steady_clock::now() +
              std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
  running_ = true;
  changed_.notify_all();
}

void Watchdog::rest() {
  const std::lock_guard lock(mutex_);
  running_ = false;
  changed_.notify_all();
}

void Watchdog::watch() {
  std::unique_lock lock(mutex_);
  while (!over_) {
    if (!running_) {
      changed_.wait(lock);
    } else if (std::chrono::steady_clock::now() < deadline_) {
      const auto deadline = deadline_;
      changed_.wait_until(lock, deadline);
    } else {
      const std::function<void()> give_up = std::move(give_up_);
      running_ = false;
      lock.unlock();
      give_up();
      lock.lock();
    }
  }
}

}  // namespace roofline::cli
