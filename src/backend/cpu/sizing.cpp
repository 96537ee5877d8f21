#include "backend/cpu/sizing.hpp"

#include <algorithm>
#include <cmath>

#include "host/cgroup.hpp"

namespace roofline::cpu {

std::uint64_t dram_bytes(std::optional<std::uint64_t> last_level_bytes) {
  constexpr std::uint64_t kUnknown = std::uint64_t{256} << 20;
  if (!last_level_bytes || *last_level_bytes == 0) return kUnknown;
  return kCacheFactor * *last_level_bytes;
}

std::uint64_t stream_array_bytes(std::uint64_t wanted, std::uint64_t arrays, std::uint64_t budget) {
  constexpr std::uint64_t kLine = 64;
  const std::uint64_t bytes = std::min(wanted, budget / std::max<std::uint64_t>(arrays, 1));
  return bytes / kLine * kLine;
}

std::uint64_t rotation_copies(std::uint64_t bytes, std::uint64_t wanted, std::uint64_t fixed,
                              std::uint64_t budget) {
  constexpr std::uint64_t kMostCopies = 1024;
  if (bytes == 0) return 1;
  const std::uint64_t copies = wanted / bytes + (wanted % bytes != 0 ? 1 : 0);
  const std::uint64_t room = budget > fixed ? (budget - fixed) / bytes : 0;
  return std::max<std::uint64_t>(1, std::min({copies, room, kMostCopies}));
}

ThreadChoice choose_threads(unsigned requested, const std::vector<unsigned>& cores,
                            const std::vector<unsigned>& spare, std::optional<double> quota_cpus) {
  std::vector<unsigned> places = cores;
  places.insert(places.end(), spare.begin(), spare.end());
  std::size_t count = requested == 0 ? cores.size() : requested;
  ThreadChoice out;
  if (count > places.size()) {
    count = places.size();
    out.limited_by = "affinity mask";
  }
  if (quota_cpus && count > host::threads_within(*quota_cpus)) {
    count = host::threads_within(*quota_cpus);
    out.limited_by = "control group CPU quota";
  }
  out.shares_cores = count > cores.size();
  out.cpus.assign(places.begin(), places.begin() + static_cast<std::ptrdiff_t>(count));
  return out;
}

double ideal_flop_per_s(unsigned cores, double flops_per_cycle, double clock_hz) {
  return static_cast<double>(cores) * flops_per_cycle * clock_hz;
}

}  // namespace roofline::cpu
