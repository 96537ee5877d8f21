// Gives up on a point that does not return. A call into a driver or a library can't be interrupted,
// so what is measured is saved from another thread and the program ends.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace roofline::cli {

class Watchdog {
 public:
  /// `give_up(point)` is called once, from another thread, when what expect() announced takes
  /// longer than it may. It must not return to a program that goes on as if nothing had happened.
  explicit Watchdog(std::function<void(const std::string& point)> give_up);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// From now on `point` runs, for `limit` at most.
  void expect(const std::string& point, std::chrono::duration<double> limit);
  /// Nothing runs that could hang.
  void rest();

 private:
  void watch();

  std::function<void(const std::string&)> give_up_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string point_;
  std::chrono::steady_clock::time_point deadline_;
  bool running_ = false;
  bool over_ = false;
  std::thread thread_;
};

}  // namespace roofline::cli
