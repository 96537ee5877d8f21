#include "backend/cpu/timer.hpp"

#include <algorithm>

#include "kernels/cpu/clock.hpp"

namespace roofline::cpu {

std::optional<double> core_clock_hz(double seconds) {
  constexpr double kGuessHz = 4e9;
  constexpr int kParts = 6;
  const auto links = static_cast<std::uint64_t>(
      std::max(1.0, seconds * kGuessHz / kParts / static_cast<double>(kChainAdditions)));
  // Disturbance only lowers the figure, so the best of a few short chains is the clock. CPU time,
  // not wall time: a thread that waits for its CPU has not slowed down.
  double best = 0;
  for (int part = 0; part < kParts; ++part) {
    const double start = thread_cpu_s();
    if (add_chain(links) == 0) return std::nullopt;
    const double took = thread_cpu_s() - start;
    if (took > 0) best = std::max(best, static_cast<double>(links * kChainAdditions) / took);
  }
  if (best <= 0) return std::nullopt;
  return best;
}

}  // namespace roofline::cpu
