#include "backend/cpu/conditions.hpp"

#include <algorithm>

#include "backend/cpu/timer.hpp"

namespace roofline::cpu {
namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// A pair that lay unknown may have lain as it does now.
bool moved(const std::vector<Distance>& before, const std::vector<Distance>& after) {
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] != after[i] && before[i] != Distance::unknown) return true;
  }
  return false;
}

}  // namespace

void judge_sample(Sample& sample, const std::vector<Distance>& before,
                  const std::vector<Distance>& after) {
  sample.placement = placement_text(after);
  if (moved(before, after)) sample.disturbance = Disturbance::moved;
  if (sample.cpu_share && *sample.cpu_share < kCleanShare)
    sample.disturbance = Disturbance::contended;
}

Conditions::Conditions(Team& team, PlacementWatch& watch)
    : team_(team),
      watch_(watch),
      latency_before_(team.size()),
      latency_after_(team.size()),
      before_(team.size()),
      after_(team.size()) {}

Sample Conditions::sample(std::uint64_t iterations, const std::function<void(unsigned)>& job) {
  const TeamTime took = team_.run(job, {
                                           [this](unsigned worker) {
                                             latency_before_.measure(team_, worker);
                                             before_[worker] = core_clock_hz().value_or(0);
                                           },
                                           [this](unsigned worker) {
                                             after_[worker] = core_clock_hz().value_or(0);
                                             latency_after_.measure(team_, worker);
                                           },
                                       });
  Sample out{
      .duration = second(took.seconds), .iterations = iterations, .cpu_share = took.cpu_share};
  std::vector<double> clocks = before_;
  clocks.insert(clocks.end(), after_.begin(), after_.end());
  note_clock(clocks, out);
  const std::vector<Distance> lay = look(latency_before_.seconds());
  judge_sample(out, lay, look(latency_after_.seconds()));
  return out;
}

Sample Conditions::sample(std::uint64_t iterations, LibraryThread& thread,
                          const LibraryWork& work) {
  const std::vector<Distance> lay = work.pinned ? measure_latency() : std::vector<Distance>{};
  Sample out{.duration = {}, .iterations = iterations};
  std::vector<double> clocks(2);
  thread.call([&] {
    clocks[0] = core_clock_hz().value_or(0);
    const std::vector<double> cpu_before = work.cpu_s();
    const double start = wall_s();
    work.run();
    const double took = wall_s() - start;
    const LibraryShare share = library_share(cpu_before, work.cpu_s(), took);
    clocks[1] = core_clock_hz().value_or(0);
    out.duration = second(took);
    if (!work.sleeps) out.cpu_share = share.least;
    library_threads_used_ = std::max(library_threads_used_, share.used);
  });
  note_clock(clocks, out);
  judge_sample(out, lay, work.pinned ? measure_latency() : lay);
  return out;
}

/// The mean over cores and both sides: work is shared evenly, and a clock that falls under the
/// sample shows half of its fall.
void Conditions::note_clock(const std::vector<double>& clocks, Sample& sample) {
  double sum = 0;
  for (const double clock : clocks) {
    if (clock <= 0) return;
    sum += clock;
  }
  const double mean = sum / static_cast<double>(clocks.size());
  clocks_hz_.push_back(mean);
  sample.clock = hertz(mean);
}

std::vector<Distance> Conditions::look(const std::vector<double>& latencies) {
  for (const double latency : latencies) {
    if (latency <= 0) continue;
    longest_latency_s_ = std::max(longest_latency_s_, latency);
    if (shortest_latency_s_ == 0 || latency < shortest_latency_s_) shortest_latency_s_ = latency;
  }
  return watch_.observe(latencies);
}

std::vector<Distance> Conditions::measure_latency() {
  if (team_.size() < 2) return {};
  team_.run([this](unsigned worker) { latency_before_.measure(team_, worker); });
  return look(latency_before_.seconds());
}

Facts Conditions::facts() const {
  Facts out;
  if (!clocks_hz_.empty()) out.push_back({"clock_hz", median(clocks_hz_)});
  if (longest_latency_s_ > 0) {
    out.push_back({"core_to_core_min_s", shortest_latency_s_});
    out.push_back({"core_to_core_max_s", longest_latency_s_});
  }
  if (library_threads_used_ > 0)
    out.push_back({"library_threads_used", std::uint64_t{library_threads_used_}});
  return out;
}

LibraryShare library_share(const std::vector<double>& before, const std::vector<double>& after,
                           double seconds) {
  constexpr double kIdle = 0.05;
  LibraryShare out;
  std::optional<double> busiest;
  if (seconds <= 0 || before.size() != after.size()) return out;
  for (std::size_t i = 0; i < before.size(); ++i) {
    const double share = (after[i] - before[i]) / seconds;
    busiest = std::max(busiest.value_or(0), share);
    if (share < kIdle) continue;
    ++out.used;
    out.least = std::min(out.least.value_or(1), share);
  }
  // Somebody did the work: with none above that, the busiest was kept from its CPU.
  if (out.used == 0) out.least = busiest;
  return out;
}

}  // namespace roofline::cpu
