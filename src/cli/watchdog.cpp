#include "cli/watchdog.hpp"

namespace roofline::cli {

Watchdog::Watchdog(std::function<void(const std::string&)> give_up)
    : give_up_(std::move(give_up)), thread_([this] { watch(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::expect(const std::string& point, std::chrono::duration<double> limit) {
  const std::lock_guard lock(mutex_);
  point_ = point;
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
      const std::string point = point_;
      running_ = false;
      lock.unlock();
      give_up_(point);
      lock.lock();
    }
  }
}

}  // namespace roofline::cli
