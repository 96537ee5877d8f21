// Gives up on a point that does not return. A call into a driver or a library can't be interrupted,
// so what is measured is saved from another thread and the program ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace roofline::cli {

class Watchdog {
 public:
  Watchdog();
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From now on something runs for `limit` at most. Where it takes longer, `give_up` is called
  /// once, from another thread. It must not return to a program that goes on as if nothing had
  /// happened.
  void expect(std::chrono::duration<double> limit, std::function<void()> give_up);
  /// Nothing runs that could hang.
  void rest();

 private:
  void watch();

  std::function<void()> give_up_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::chrono::steady_clock::time_point deadline_;
  bool running_ = false;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace roofline::cli
