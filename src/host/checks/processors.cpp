// Which CPUs there are, which of them may be used, and what code they run.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "host/checks/check.hpp"

namespace roofline::host {
namespace {

std::vector<unsigned> online(const Evidence& e) {
  std::vector<unsigned> out;
  for (const LogicalCpu& cpu : e.host.topology.cpus) out.push_back(cpu.id);
  return out;
}

Verdict affinity(const Evidence& e) {
  if (e.host.allowed_cpus.empty()) return unknown("sched_getaffinity failed");
  const std::vector<unsigned> all = online(e);
  if (all.empty()) return unknown("the CPUs of this machine are not known");
  const std::string mine = format_cpu_list(e.host.allowed_cpus);
  const std::string list = format_cpu_list(all);
  if (e.host.allowed_cpus.size() >= all.size()) return {Severity::ok, "all CPUs allowed: " + mine};
  return {Severity::lowers,
          fmt::format("{} of {} allowed: {} of {}", e.host.allowed_cpus.size(),
                      counted(all.size(), "CPU"), mine, list),
          {"taskset -c " + list +
           " roofline run; in a container give it the CPUs with --cpuset-cpus=" + list}};
}

Verdict cpu_quota(const Evidence& e) {
  const CgroupLimits& limits = e.host.limits;
  if (!limits.cpus) {
    if (!limits.version)
      return unknown(limits.problem.empty() ? "no control group was read" : limits.problem);
    return {Severity::ok, "no quota on CPU time"};
  }
  const double quota = *limits.cpus;
  const auto cores = static_cast<double>(usable_cores(e.host).size());
  const std::string text = fmt::format(
      "the control group has the time of {:.3g} CPUs; {:.0f} cores are allowed", quota, cores);
  if (cores > 0 && quota >= cores) return {Severity::ok, text};
  const double whole = std::floor(quota);
  if (whole == quota) return {Severity::lowers, text};
  Remedy remedy{
      "a whole number: docker update --cpus=N NAME, or systemctl set-property UNIT "
      "CPUQuota=N00%",
      true, ""};
  if (whole >= 1) {
    remedy.without_root = fmt::format("roofline run --threads {:.0f}", whole);
  } else {
    remedy.without_root = "none: not even one thread runs without being stopped";
  }
  return {Severity::spoils, text, std::move(remedy),
          "when the quota of a period (100 ms as a rule) is spent, all threads are stopped until "
          "the next: with a fraction of a CPU one thread more than there is time for"};
}

Verdict smt(const Evidence& e) {
  const std::vector<unsigned> all = online(e);
  if (all.empty()) return unknown("the CPUs of this machine are not known");
  const std::size_t cores = one_cpu_per_core(e.host.topology, all).size();
  if (all.size() == cores) return {Severity::ok, "one hardware thread for each core"};
  std::vector<unsigned> outside;
  const auto& mask = e.host.allowed_cpus;
  const std::vector<unsigned> used = usable_cores(e.host);
  for (const LogicalCpu& cpu : e.host.topology.cpus) {
    if (std::binary_search(mask.begin(), mask.end(), cpu.id)) continue;
    const bool sibling = std::any_of(used.begin(), used.end(), [&](unsigned id) {
      return std::any_of(e.host.topology.cpus.begin(), e.host.topology.cpus.end(),
                         [&](const LogicalCpu& c) { return c.id == id && c.core == cpu.core; });
    });
    if (sibling) outside.push_back(cpu.id);
  }
  const std::string text =
      fmt::format("SMT is on: {} hardware threads on {} cores", all.size(), cores);
  if (outside.empty()) return {Severity::note, text};
  return {Severity::lowers, text + "; CPUs " + format_cpu_list(outside) +
                                " share a core with an allowed CPU and are left to others"};
}

Verdict unequal_cores(const Evidence& e) {
  const auto& capacities = e.conditions.capacities;
  if (capacities.empty()) return unknown("the kernel gives no capacity for the CPUs");
  const auto [low, high] = std::minmax_element(capacities.begin(), capacities.end());
  if (*low == *high) return {Severity::ok, "all allowed CPUs are of one kind"};
  return {Severity::lowers,
          fmt::format("CPUs of different kinds: relative capacity {} to {}", *low, *high)};
}

Verdict virtual_machine(const Evidence& e) {
  if (!e.host.cpu.hypervisor)
    return unknown("/proc/cpuinfo has no flag for it on this architecture");
  if (!*e.host.cpu.hypervisor) return {Severity::ok, "no hypervisor"};
  return {Severity::lowers, "a virtual machine"};
}

Verdict instructions(const Evidence& e) {
  // An empty architecture: the files of another machine, whose CPUID cannot be asked.
  if (e.host.architecture.empty()) return unknown("the CPU itself was not asked");
  const IsaFeatures& isa = e.host.isa;
  std::string have;
  for (const std::string& word : names(isa)) have += (have.empty() ? "" : " ") + word;
  if (e.host.architecture != "x86_64")
    return {Severity::lowers,
            "no own SIMD kernels for " + e.host.architecture + ": portable code",
            {"none in this version; GEMM still runs in the library's own kernels"},
            "streams and peaks run at what the compiler makes of plain loops"};
  if (!isa.avx2 || !isa.fma)
    return {
        Severity::lowers,
        "no AVX2 with FMA: portable code",
        {"none on this CPU; under valgrind or an emulator run it directly"},
        "SSE2 multiply and add reached under a sixth of an AVX-512 core's peak, under a third of "
        "AVX2's"};
  std::string missing;
  std::string effect;
  const auto miss = [&](const char* what, const char* costs) {
    missing += (missing.empty() ? "" : "; ") + std::string(what);
    effect += (effect.empty() ? "" : "; ") + std::string(costs);
  };
  if (!isa.avx512f) miss("no AVX-512", "half the lanes for each instruction");
  if (!isa.avx512_bf16 && !isa.amx_bf16)
    miss("bf16 is emulated",
         "bf16 GEMM without its instructions ran at 87 GFLOP/s where they give 526, below fp32's "
         "256");
  if (!isa.avx512_vnni && !isa.avx_vnni && !isa.amx_int8)
    miss(
        "int8 products are added in 16 bits",
        "int8 GEMM runs at half of what its instructions give, and saturates: sums of large values "
        "come out wrong");
  if (!isa.avx512_fp16) miss("no fp16 arithmetic", "fp16 is a way to store, not a peak");
  if (missing.empty()) return {Severity::ok, have};
  return {Severity::note, missing + " (has " + have + ")", {}, effect};
}

constexpr Check kChecks[] = {
    {"affinity",
     "roofs are those of the allowed part; libraries that start more threads than the mask has "
     "CPUs lose a quarter (3 threads on 2 cores: 365 GFLOP/s instead of 499)",
     "taskset -c CPUS roofline run", false, "", affinity},
    {"cpu_quota",
     "no more threads than the quota has room for are started, so roofs are those of that part; "
     "threads beside them still spend it",
     "docker update --cpus=N NAME, or systemctl set-property UNIT CPUQuota=N00%", true,
     "report the figures as those of the quota", cpu_quota},
    {"smt",
     "two threads on one core share its units: a peak counts cores, and decode with a thread on "
     "every hardware thread was 2.3 times slower; what runs on a sibling takes from the core",
     "one thread per core, which is what roofline does unless --threads says more; for nobody "
     "beside it: echo off > /sys/devices/system/cpu/smt/control",
     true, "allow both hardware threads of each core (taskset) so that nothing else is put there",
     smt},
    {"unequal_cores",
     "threads that wait for each other run at the pace of the slowest core: the roof of all is "
     "that of the small cores",
     "taskset -c to the CPUs of one kind (lscpu -e shows them)", false, "", unequal_cores},
    {"virtual_machine",
     "the host may move the CPUs to other dies between minutes: two-thread DRAM bandwidth was "
     "seen to flip between 48 and 81 GB/s; one-thread figures did not move",
     "compare one-thread figures, or several-thread figures of one placement (reports carry the "
     "core-to-core latency); use bare metal or pinned vCPUs for more",
     false, "", virtual_machine},
    {"instructions", "figures of some dtypes are those of an emulation",
     "none on this CPU; the report names the code path of every point", false, "", instructions},
};

}  // namespace

std::span<const Check> checks_of_processors() { return kChecks; }

}  // namespace roofline::host
