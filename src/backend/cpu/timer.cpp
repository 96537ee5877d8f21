#include "backend/cpu/timer.hpp"

#include <algorithm>

#include "kernels/cpu/clock.hpp"

namespace roofline::cpu {

std::optional<double> core_clock_hz(double seconds) {
  constexpr double kGuessHz = 4e9;
  constexpr int kParts = 4;
  const auto links = static_cast<std::uint64_t>(
      std::max(1.0, seconds * kGuessHz / kParts / static_cast<double>(kChainAdditions)));
  // Disturbance only lowers the figure, so the best of a few short chains is the clock. The wall
  // clock is read in 30 ns, thread CPU time in ten times that: 1 % of a chain. A thread that loses
  // its CPU for a while loses one chain of the few.
  double best = 0;
  for (int part = 0; part < kParts; ++part) {
    const double start = wall_s();
    if (add_chain(links) == 0) return std::nullopt;
    const double took = wall_s() - start;
    if (took > 0) best = std::max(best, static_cast<double>(links * kChainAdditions) / took);
  }
  if (best <= 0) return std::nullopt;
  return best;
}

}  // namespace roofline::cpu
