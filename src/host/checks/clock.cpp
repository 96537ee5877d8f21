// What moves the core clock, and the clock that times are read from.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "host/checks/check.hpp"

namespace roofline::host {
namespace {

constexpr double kClockSpoils = 0.10;
constexpr double kClockLowers = 0.03;
constexpr double kOfMaximumLowers = 0.85;

std::string no_policy(const Evidence& e) {
  std::string out = "no cpufreq folder in /sys";
  if (e.host.cpu.hypervisor.value_or(false)) out += " (the host's, not shown to a guest)";
  return out + "; the clock is measured under load instead";
}

template <class Get>
std::string distinct(const std::vector<ClockPolicy>& policies, Get&& get) {
  std::set<std::string> seen;
  for (const ClockPolicy& policy : policies) seen.insert(get(policy));
  std::string out;
  for (const std::string& word : seen) out += (out.empty() ? "" : ", ") + word;
  return out;
}

Verdict governor(const Evidence& e) {
  const auto& policies = e.conditions.clock_policies;
  if (policies.empty()) return unknown(no_policy(e));
  const std::string names = distinct(policies, [](const ClockPolicy& p) { return p.governor; });
  if (names == "performance") return {Severity::ok, "governor performance"};
  return {Severity::lowers, "governor " + names};
}

Verdict energy_preference(const Evidence& e) {
  const auto& policies = e.conditions.clock_policies;
  if (policies.empty()) return unknown(no_policy(e));
  const std::string names =
      distinct(policies, [](const ClockPolicy& p) { return p.preference.value_or(std::string()); });
  if (names.empty()) return {Severity::ok, "the clock driver has no such preference"};
  const bool saves = std::any_of(policies.begin(), policies.end(), [](const ClockPolicy& p) {
    return p.preference && (p.preference == "power" || p.preference == "balance_power");
  });
  return {saves ? Severity::lowers : Severity::ok, "energy preference " + names};
}

Verdict boost(const Evidence& e) {
  if (!e.conditions.boost) {
    return unknown(e.conditions.clock_policies.empty()
                       ? no_policy(e)
                       : "the clock driver shows neither boost nor no_turbo");
  }
  return {Severity::note, *e.conditions.boost ? "boost clocks are on" : "boost clocks are off"};
}

Verdict power_profile(const Evidence& e) {
  if (!e.conditions.power_profile) return {Severity::ok, "the firmware has no power profiles"};
  const std::string& profile = *e.conditions.power_profile;
  const bool saves = profile == "low-power" || profile == "quiet" || profile == "cool";
  return {saves ? Severity::lowers : Severity::ok, "power profile " + profile};
}

Verdict battery(const Evidence& e) {
  if (!e.conditions.on_battery) return unknown("/sys/class/power_supply cannot be read");
  return *e.conditions.on_battery ? Verdict{Severity::lowers, "runs on its battery"}
                                  : Verdict{Severity::ok, "not on a battery"};
}

Verdict throttling(const Evidence& e) {
  if (!e.use || !e.use->throttlings) {
    return unknown(
        "no thermal_throttle counters in /sys; the clock beside every sample shows it instead");
  }
  const std::uint64_t events = *e.use->throttlings;
  if (events == 0) return {Severity::ok, "no core was throttled just now"};
  return {Severity::spoils, fmt::format("cores were throttled {} times within a moment", events)};
}

Verdict core_clock(const Evidence& e) {
  if (!e.clock) return unknown("the clock was not measured");
  const double ghz = e.clock->median_hz * 1e-9;
  std::string text =
      fmt::format("{:.2f} GHz under load, within {:.1f} %", ghz, 100 * e.clock->spread);
  if (e.host.max_clock_hz) {
    const auto most = static_cast<double>(*e.host.max_clock_hz);
    text += fmt::format(", of {:.2f} GHz at most", most * 1e-9);
    if (e.clock->spread < kClockSpoils && e.clock->median_hz < kOfMaximumLowers * most)
      return {Severity::lowers, text};
  }
  if (e.clock->spread >= kClockSpoils) return {Severity::spoils, text};
  return {e.clock->spread >= kClockLowers ? Severity::lowers : Severity::ok, text};
}

Verdict clocksource(const Evidence& e) {
  if (!e.conditions.clocksource) return unknown("the kernel does not name its clocksource");
  const std::string& name = *e.conditions.clocksource;
  // These are read without a system call (the kernel's vDSO code for x86 and arm64).
  for (const char* fast : {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"}) {
    if (name == fast) return {Severity::ok, "clocksource " + name};
  }
  return {Severity::lowers, "clocksource " + name};
}

Verdict timer(const Evidence& e) {
  if (!e.timer) return unknown("the timer was not measured");
  constexpr double kSlow = 0.5e-6;
  const double worst = std::max(e.timer->read_s, e.timer->step_s);
  return {worst > kSlow ? Severity::lowers : Severity::ok,
          fmt::format("the timer takes {:.0f} ns to read and moves in steps of {:.0f} ns",
                      e.timer->read_s * 1e9, e.timer->step_s * 1e9)};
}

constexpr Check kChecks[] = {
    {"governor",
     "the clock follows the load of the last milliseconds, so short points are measured before it "
     "has risen; points differ by what ran before them",
     "cpupower frequency-set -g performance", true,
     "trust figures per cycle and the measured clock of each point; give points longer warm-up",
     governor},
    {"energy_preference", "the CPU is told to save power: it clocks lower and rises later",
     "cpupower set --epp performance, or echo performance into every "
     "cpufreq/energy_performance_preference",
     true, "powerprofilesctl set performance (asks the desktop's service)", energy_preference},
    {"boost",
     "with boost the clock depends on temperature and on how many cores work; without it peaks "
     "are those of the base clock; either way figures per cycle stay",
     "for the same clock in every run: echo 0 > /sys/devices/system/cpu/cpufreq/boost (or echo 1 > "
     "intel_pstate/no_turbo)",
     true, "compare figures per cycle, or at the measured clock", boost},
    {"power_profile", "the firmware holds power and clocks down",
     "echo performance > /sys/firmware/acpi/platform_profile", true,
     "powerprofilesctl set performance (asks the desktop's service)", power_profile},
    {"battery", "firmware caps power on a battery: clocks are lower and fall during the run",
     "plug it in and run again", false, "", battery},
    {"throttling",
     "the cores are too hot or at their power limit: the clock falls while a point is measured",
     "let it cool, clear its air flow, or lower the load; then run again", false, "", throttling},
    {"core_clock",
     "a peak scales with the clock: what the clock moves by, every compute figure moves by; "
     "steady machines stay within 1 to 2 %",
     "see the other findings on the clock and on other work; then compare figures per cycle", false,
     "", core_clock},
    {"clocksource",
     "each reading of the time is a system call or a slow device: microseconds instead of tens of "
     "nanoseconds, which samples of small points contain",
     "boot with tsc=reliable clocksource=tsc", true,
     "keep samples at 15 ms or more, as the suites do", clocksource},
    {"timer", "samples must be long beside the timer: at 15 ms a microsecond is 0.007 %",
     "keep samples at 15 ms or more, as the suites do", false, "", timer},
};

}  // namespace

std::span<const Check> checks_of_clock() { return kChecks; }

}  // namespace roofline::host
