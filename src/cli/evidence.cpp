// The measured part of `roofline doctor`: who uses the CPUs, how steady the core clock is, what the
// timer costs.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "backend/cpu/timer.hpp"
#include "cli/doctor.hpp"

namespace roofline::cli {
namespace {

host::Use watch_cpus(const std::filesystem::path& root) {
  using namespace std::chrono_literals;
  const host::Activity before = host::read_activity(root, host::Instant::begin);
  // 20 ticks of 10 ms: enough to tell a busy CPU from an idle one.
  std::this_thread::sleep_for(200ms);
  return host::use_between(before, host::read_activity(root, host::Instant::end),
                           static_cast<unsigned>(getpid()));
}

/// Chains of additions on whatever CPU the scheduler chooses, over 0.2 s after a short warm-up.
std::optional<host::ClockStudy> study_clock() {
  constexpr double kWarmUpS = 0.05;
  constexpr double kStudyS = 0.2;
  constexpr double kSampleS = 1e-3;
  std::vector<double> hz;
  const double start = cpu::wall_s();
  while (cpu::wall_s() - start < kWarmUpS + kStudyS) {
    const auto sample = cpu::core_clock_hz(kSampleS);
    if (!sample) return std::nullopt;
    if (cpu::wall_s() - start > kWarmUpS) hz.push_back(*sample);
  }
  if (hz.empty()) return std::nullopt;
  std::sort(hz.begin(), hz.end());
  const std::size_t cut = hz.size() / 20;
  const double median = hz[hz.size() / 2];
  return host::ClockStudy{median, (hz[hz.size() - 1 - cut] - hz[cut]) / median};
}

host::TimerStudy study_timer() {
  constexpr int kReadings = 10000;
  host::TimerStudy out;
  const double start = cpu::wall_s();
  double last = start;
  double step = 1;
  for (int i = 0; i < kReadings; ++i) {
    const double now = cpu::wall_s();
    if (now > last) step = std::min(step, now - last);
    last = now;
  }
  out.read_s = (last - start) / kReadings;
  out.step_s = step;
  return out;
}

}  // namespace

host::Evidence gather_evidence(const std::filesystem::path& root, bool with_clocks) {
  host::Evidence out;
  out.host = host::read_host(root);
  out.conditions = host::read_conditions(root, out.host.allowed_cpus);
  if (root != "/") return out;
  out.environment = host::this_environment();
  out.build = host::this_build();
  out.use = watch_cpus(root);
  if (with_clocks) {
    out.clock = study_clock();
    out.timer = study_timer();
  }
  return out;
}

std::optional<std::string> spoilt_sentence(const std::vector<host::Finding>& findings) {
  const auto spoils = [](const host::Finding& f) { return f.severity == host::Severity::spoils; };
  const auto first = std::find_if(findings.begin(), findings.end(), spoils);
  if (first == findings.end()) return std::nullopt;
  const auto count = std::count_if(findings.begin(), findings.end(), spoils);
  std::string out = "this would spoil the figures: " + first->found;
  if (count > 1) out += ", and " + std::to_string(count - 1) + " more";
  return out + "; roofline doctor tells more";
}

std::optional<std::string> spoilt_now() {
  return spoilt_sentence(host::findings(gather_evidence("/", false)));
}

}  // namespace roofline::cli
