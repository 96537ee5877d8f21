// The clocks of the system, in seconds, and the clock of the core.
#pragma once

#include <ctime>
#include <optional>

namespace roofline::cpu {

[[nodiscard]] inline double read_clock(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}
[[nodiscard]] inline double wall_s() { return read_clock(CLOCK_MONOTONIC); }
[[nodiscard]] inline double thread_cpu_s() { return read_clock(CLOCK_THREAD_CPUTIME_ID); }
[[nodiscard]] inline double process_cpu_s() { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

/// Clock of the core that the calling thread runs on, derived from a chain of additions of about
/// `seconds`. No MHz field is read: on virtual machines it shows the TSC's rate. Nothing where this
/// architecture has no chain.
[[nodiscard]] std::optional<double> core_clock_hz(double seconds = 0.1e-3);

}  // namespace roofline::cpu
