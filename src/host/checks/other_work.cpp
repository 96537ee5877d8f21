// Whether something else uses the CPUs.
#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "host/checks/check.hpp"

namespace roofline::host {
namespace {

/// Ticks are 10 ms: over 200 ms a share moves in steps of 5 %, and one step is what a quiet system
/// does by itself.
constexpr double kBusySpoils = 0.2;
constexpr double kBusyLowers = 0.075;
constexpr double kStealSpoils = 0.05;
constexpr double kPressureLowers = 0.05;
/// Runnable threads for each CPU, as a mean of the last minute.
constexpr double kLoadLowers = 0.25;

bool allowed(const Evidence& e, unsigned cpu) {
  const auto& mask = e.host.allowed_cpus;
  return mask.empty() || std::binary_search(mask.begin(), mask.end(), cpu);
}

std::string busiest(const std::vector<ProcessUse>& processes) {
  constexpr std::size_t kMost = 3;
  constexpr double kWorthNaming = 0.05;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, processes.size()); ++i) {
    const ProcessUse& p = processes[i];
    if (p.cpus < kWorthNaming) break;
    out +=
        fmt::format("{}{} (pid {}) {:.0f} %", out.empty() ? "" : ", ", p.name, p.pid, 100 * p.cpus);
  }
  return out.empty() ? "none of the processes that can be seen here" : out;
}

std::string shares(const std::vector<CpuUse>& cpus) {
  constexpr std::size_t kMost = 4;
  std::string out;
  for (std::size_t i = 0; i < std::min(kMost, cpus.size()); ++i)
    out += fmt::format("{}CPU {} {:.0f} %", i == 0 ? "" : ", ", cpus[i].cpu, 100 * cpus[i].busy);
  return out + (cpus.size() > kMost ? ", ..." : "");
}

void sort_by_use(std::vector<CpuUse>& cpus) {
  std::stable_sort(cpus.begin(), cpus.end(),
                   [](const CpuUse& a, const CpuUse& b) { return a.busy > b.busy; });
}

constexpr const char* kNotSampled = "no two samples of /proc/stat to compare";

Verdict busy_cpus(const Evidence& e) {
  if (!e.use || e.use->cpus.empty()) return unknown(kNotSampled);
  std::vector<CpuUse> busy;
  std::vector<unsigned> quiet;
  for (const CpuUse& cpu : e.use->cpus) {
    if (!allowed(e, cpu.cpu)) continue;
    if (cpu.busy < kBusyLowers) {
      quiet.push_back(cpu.cpu);
    } else {
      busy.push_back(cpu);
    }
  }
  if (busy.empty()) return {Severity::ok, "no other work on the allowed CPUs"};
  sort_by_use(busy);
  const std::string text = fmt::format("other work uses {} of {}: {}; by {}", busy.size(),
                                       counted(busy.size() + quiet.size(), "CPU"), shares(busy),
                                       busiest(e.use->processes));
  Remedy remedy{"wait for it or stop it"};
  if (!quiet.empty()) {
    remedy.action += ", or measure where it is quiet: taskset -c " + format_cpu_list(quiet) +
                     " roofline run (caches and memory stay shared)";
  }
  return {busy.front().busy >= kBusySpoils ? Severity::spoils : Severity::lowers, text,
          std::move(remedy)};
}

/// The physical cores of the CPUs that may be used.
std::set<unsigned> own_cores(const Evidence& e) {
  std::set<unsigned> out;
  for (const LogicalCpu& cpu : e.host.topology.cpus) {
    if (allowed(e, cpu.id)) out.insert(cpu.core);
  }
  return out;
}

Verdict neighbours(const Evidence& e) {
  if (!e.use || e.use->cpus.empty()) return unknown(kNotSampled);
  const std::set<unsigned> cores = own_cores(e);
  std::vector<CpuUse> busy;
  bool same_core = false;
  for (const CpuUse& cpu : e.use->cpus) {
    if (allowed(e, cpu.cpu) || cpu.busy < kBusySpoils) continue;
    busy.push_back(cpu);
    same_core |= std::any_of(
        e.host.topology.cpus.begin(), e.host.topology.cpus.end(),
        [&](const LogicalCpu& c) { return c.id == cpu.cpu && cores.count(c.core) != 0; });
  }
  if (busy.empty()) return {Severity::ok, "no work beside the allowed CPUs"};
  sort_by_use(busy);
  const std::string text =
      "CPUs outside the mask are busy: " + shares(busy) + "; by " + busiest(e.use->processes);
  if (!same_core) return {Severity::lowers, text};
  return {
      Severity::spoils,
      text + "; of these at least one shares a core with an allowed CPU",
      {},
      "both hardware threads of a core share its units and its first caches: peaks may come out "
      "at half while thread CPU time looks clean"};
}

Verdict load_average(const Evidence& e) {
  if (!e.conditions.load) return unknown("/proc/loadavg cannot be read");
  const std::size_t cpus = e.host.topology.cpus.size();
  if (cpus == 0) return unknown("the number of CPUs is not known");
  const double load = *e.conditions.load;
  const std::string text =
      fmt::format("{:.2f} runnable threads in the last minute, on {}", load, counted(cpus, "CPU"));
  const bool much = load >= kLoadLowers * static_cast<double>(cpus);
  return {much ? Severity::lowers : Severity::ok, text};
}

Verdict cpu_pressure(const Evidence& e) {
  if (!e.conditions.cpu_pressure)
    return unknown("/proc/pressure/cpu cannot be read (a kernel option, or hidden in a container)");
  const double share = *e.conditions.cpu_pressure;
  return {share >= kPressureLowers ? Severity::lowers : Severity::ok,
          fmt::format("a thread waited for a CPU in {:.1f} % of the last 10 s", 100 * share)};
}

Verdict steal(const Evidence& e) {
  if (!e.use || e.use->cpus.empty()) return unknown(kNotSampled);
  const CpuUse* worst = nullptr;
  for (const CpuUse& cpu : e.use->cpus) {
    if (allowed(e, cpu.cpu) && (worst == nullptr || cpu.steal > worst->steal)) worst = &cpu;
  }
  if (worst == nullptr || worst->steal < kStealSpoils)
    return {Severity::ok, "the hypervisor took no time from the allowed CPUs"};
  return {Severity::spoils,
          fmt::format("the hypervisor took {:.0f} % of CPU {}", 100 * worst->steal, worst->cpu)};
}

Verdict isolation(const Evidence& e) {
  if (!e.conditions.isolated_cpus)
    return unknown("/sys/devices/system/cpu/isolated cannot be read");
  const auto& isolated = *e.conditions.isolated_cpus;
  if (isolated.empty()) return {Severity::ok, "no CPU is set apart from the scheduler"};
  const std::string list = format_cpu_list(isolated);
  const bool used = std::all_of(
      e.host.allowed_cpus.begin(), e.host.allowed_cpus.end(),
      [&](unsigned cpu) { return std::binary_search(isolated.begin(), isolated.end(), cpu); });
  if (used && !e.host.allowed_cpus.empty())
    return {Severity::ok, "measured on CPUs " + list + ", set apart from the scheduler"};
  return {Severity::note,
          "CPUs " + list + " are set apart from the scheduler and not used",
          {"taskset -c " + list + " roofline run"}};
}

constexpr Check kChecks[] = {
    {"busy_cpus",
     "a sample counts only if every thread had its CPU for 98.5 % of it; beside another process "
     "threads had 42 to 98 %, and with one busy CPU no sample on all CPUs is clean",
     "wait for it or stop it", false, "", busy_cpus},
    {"neighbours",
     "the last-level cache and the memory's bandwidth are shared: both are lower by what others "
     "take, and no counter of this process shows it",
     "wait for it or stop it", false, "", neighbours},
    {"load_average",
     "work that comes and goes: points are measured again until the budget is spent, and what was "
     "disturbed is dropped (a run of roofline that just ended counts here too)",
     "see with top what it is, wait until the load has fallen", false, "", load_average},
    {"cpu_pressure",
     "threads are waiting for CPUs, so samples are cut short or thrown away as contended",
     "see with top what it is, wait until nothing waits", false, "", cpu_pressure},
    {"steal",
     "the guest's clock runs on while its CPU stands still: every rate comes out lower by that "
     "share, and more at every barrier",
     "use a guest with dedicated CPUs, or measure at another hour", false, "", steal},
    {"isolation", "a CPU that nothing else is scheduled on gives the steadiest figures",
     "taskset -c CPUS roofline run", false, "", isolation},
};

}  // namespace

std::span<const Check> checks_of_other_work() { return kChecks; }

}  // namespace roofline::host
