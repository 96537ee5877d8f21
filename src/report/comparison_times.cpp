#include "report/comparison_times.hpp"

#include "roofline/statistics.hpp"

namespace roofline::report {

Times times_of(const std::vector<const RunPoint*>& usable) {
  Times out;
  out.runs = usable;
  std::vector<double> clocks;
  std::vector<double> medians;
  for (const RunPoint* const run : usable) {
    medians.push_back(run->median_s / run->per);
    clocks.insert(clocks.end(), run->clocks.begin(), run->clocks.end());
    if (run->seconds.empty()) continue;
    out.repetitions += run->seconds.size();
    out.seconds.push_back(run->seconds);
    if (!run->cycles.empty()) out.cycles.push_back(run->cycles);
  }
  if (!medians.empty()) out.median_s = median(medians) * usable.front()->per;
  if (out.cycles.size() != out.seconds.size()) out.cycles.clear();
  if (!clocks.empty()) out.clock = median(clocks);
  return out;
}

}  // namespace roofline::report
