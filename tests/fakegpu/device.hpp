// One simulated GPU: its clock, temperature and cache as load changes them, and the times at which
// its engines are free again. Times are in s on the one simulated time line. Knows no API.
#pragma once

#include <cstdint>

#include "kernel_library.hpp"
#include "l2_cache.hpp"
#include "model.hpp"
#include "random.hpp"
#include "scenario.hpp"

namespace fakegpu {

/// What a kernel moved, and from where.
struct KernelWork {
  std::uint64_t loaded_bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t cached_bytes = 0;  ///< of both, those that L2 served
  double flop = 0;
  unsigned flop_bits = 32;  ///< of the type: picks the rate
  double sm_clocks = 0;     ///< that it takes whatever it moves
};

class Device {
 public:
  Device(const Scenario& scenario, const DeviceModel& model, int index);

  [[nodiscard]] const DeviceModel& model() const { return *model_; }
  [[nodiscard]] int index() const { return index_; }

  /// SM clock in Hz after the load so far.
  [[nodiscard]] double clock() const;
  [[nodiscard]] double temperature_c() const;
  [[nodiscard]] double power_w(double now) const;
  [[nodiscard]] std::uint64_t slowdown_reasons() const;
  /// Nothing has run for so long that the clock went down.
  [[nodiscard]] bool idle(double now) const;
  /// s of load, of which idle time takes back as much.
  [[nodiscard]] double load() const { return load_; }

  /// How long the work takes with nothing else going on.
  [[nodiscard]] double duration(const KernelWork& work, const LaunchShape& shape) const;
  /// The time of a kernel with what makes two of them differ: jitter, spikes, drift.
  [[nodiscard]] double disturbed(double time);
  /// It is `now`, and nothing has run since the last kernel: it cools down.
  void rest(double now);
  /// The engine is occupied from `start`, when it had rested, to `end`, by what would draw so many
  /// watts at the highest clock; 0: an ordinary kernel.
  void occupy(double start, double end, double watts = 0);
  /// W of a kernel that keeps the device busy with no tensor cores.
  [[nodiscard]] double load_power_w() const;
  /// What the scenario says about tensor cores; null for nothing.
  [[nodiscard]] const PowerDraw* power_draw() const;
  /// SM cycles since the beginning, `inside` s after `start`.
  [[nodiscard]] std::uint64_t cycles(double inside) const;

  double engine_free = 0;        ///< for kernels
  double copy_free[2] = {0, 0};  ///< for copies to the device and to the host
  L2Cache l2;
  int hardware_error = 0;  ///< CUresult that no reset mends; 0: none
  bool lost = false;

 private:
  [[nodiscard]] const Throttle* throttle() const;
  /// Has drawn more than its limit for so long that the clock has to give way.
  [[nodiscard]] bool capped() const;
  [[nodiscard]] double memory_time(const KernelWork& work, const LaunchShape& shape) const;

  const Scenario* scenario_;
  const DeviceModel* model_;
  int index_;
  Random random_;
  double load_ = 0;
  double excess_ = 0;    ///< s of load above the power limit; other time takes back as much
  double excess_w_ = 0;  ///< what it would have drawn
  double drawn_w_ = 0;   ///< averaged over the last kernels
  double last_end_ = 0;
  double rested_ = 0;  ///< until then `load_` and `cycles_` are up to date
  double cycles_ = 0;
};

}  // namespace fakegpu
