#include "findings_cases.hpp"

namespace roofline::host {
namespace {

constexpr std::uint64_t kMib = 1ULL << 20;
constexpr std::uint64_t kGib = 1ULL << 30;

}  // namespace

Evidence quiet() {
  Evidence e;
  e.host.cpu.hypervisor = false;
  e.host.architecture = "x86_64";
  e.host.isa.avx2 = e.host.isa.fma = e.host.isa.avx512f = e.host.isa.avx512_bf16 =
      e.host.isa.avx512_vnni = e.host.isa.avx512_fp16 = true;
  for (unsigned cpu = 0; cpu < 4; ++cpu) e.host.topology.cpus.push_back({cpu, cpu});
  e.host.topology.caches.push_back({3, CacheKind::unified, 32 * kMib, {0, 1, 2, 3}});
  e.host.topology.numa_nodes = 1;
  e.host.allowed_cpus = {0, 1, 2, 3};
  e.host.memory = {16 * kGib, 12 * kGib};
  e.host.huge_pages = "madvise";
  e.host.limits.version = 2;
  Conditions& c = e.conditions;
  c.load = 0.1;
  c.cpu_pressure = 0;
  c.memory_pressure = 0;
  c.swap_used_bytes = 0;
  for (unsigned cpu = 0; cpu < 4; ++cpu) {
    c.clock_policies.push_back({cpu, "performance", "intel_pstate", "performance"});
    c.capacities.push_back(1024);
  }
  c.boost = false;
  c.clocksource = "tsc";
  c.numa_balancing = false;
  c.isolated_cpus.emplace();
  c.on_battery = false;
  c.traced = false;
  e.use = Use{{{0, 0, 0}, {1, 0.05, 0}, {2, 0, 0}, {3, 0, 0.02}}, {}, 0};
  e.clock = ClockStudy{4.2e9, 0.01};
  e.timer = TimerStudy{25e-9, 20e-9};
  e.environment.emplace();
  e.build.emplace();
  return e;
}

namespace {

/// Two hardware threads on each of two cores, of which CPUs 0 and 1 are allowed.
Evidence half_of_an_smt_machine() {
  Evidence e = quiet();
  e.host.topology.cpus = {{0, 0}, {1, 1}, {2, 0}, {3, 1}};
  e.host.allowed_cpus = {0, 1};
  return e;
}

using Variables = std::initializer_list<std::pair<const char*, const char*>>;
std::function<void(Evidence&)> with(Variables variables) {
  return [list = std::vector<std::pair<const char*, const char*>>(variables)](Evidence& e) {
    for (const auto& [name, value] : list) (*e.environment)[name] = value;
  };
}
const auto kNoEnvironment = [](Evidence& e) { e.environment.reset(); };
const auto kNoUse = [](Evidence& e) { e.use.reset(); };
const auto kAsIs = [](Evidence&) {};

std::vector<Case> other_work_cases() {
  using enum Severity;
  return {
      {"busy_cpus", ok, "no other work", "", kAsIs},
      {"busy_cpus", unknown, "/proc/stat", "", kNoUse},
      {"busy_cpus", lowers, "CPU 2 10 %", "taskset -c 0-1,3 ",
       [](Evidence& e) { e.use->cpus[2].busy = 0.1; }},
      {"busy_cpus", spoils, "1 of 4 CPUs: CPU 2 95 %; by cc1plus (pid 7) 95 %", "taskset -c 0-1,3 ",
       [](Evidence& e) {
         e.use->cpus[2].busy = 0.95;
         e.use->processes.push_back({7, "cc1plus", 0.95});
       }},
      {"busy_cpus", spoils, "none of the processes", "wait for it",
       [](Evidence& e) {
         for (CpuUse& cpu : e.use->cpus) cpu.busy = 1;
       }},
      {"busy_cpus", ok, "no other work", "",
       [](Evidence& e) {
         e.host.allowed_cpus = {0, 1};
         e.use->cpus[2].busy = 1;
       }},
      {"neighbours", ok, "no work beside", "", kAsIs},
      {"neighbours", unknown, "/proc/stat", "", kNoUse},
      {"neighbours", lowers, "CPU 2 100 %", "stop it",
       [](Evidence& e) {
         e.host.allowed_cpus = {0, 1};
         e.use->cpus[2].busy = 1;
       }},
      {"neighbours", spoils, "shares a core", "stop it",
       [](Evidence& e) {
         e = half_of_an_smt_machine();
         e.use->cpus[2].busy = 1;
       }},
      {"load_average", ok, "0.10 runnable", "", kAsIs},
      {"load_average", lowers, "3.55 runnable threads in the last minute, on 4 CPUs", "top",
       [](Evidence& e) { e.conditions.load = 3.55; }},
      {"load_average", unknown, "/proc/loadavg", "",
       [](Evidence& e) { e.conditions.load.reset(); }},
      {"cpu_pressure", ok, "0.0 %", "", kAsIs},
      {"cpu_pressure", lowers, "12.5 %", "top",
       [](Evidence& e) { e.conditions.cpu_pressure = 0.125; }},
      {"cpu_pressure", unknown, "/proc/pressure/cpu", "",
       [](Evidence& e) { e.conditions.cpu_pressure.reset(); }},
      {"steal", ok, "no time", "", kAsIs},
      {"steal", spoils, "8 % of CPU 3", "dedicated",
       [](Evidence& e) { e.use->cpus[3].steal = 0.08; }},
      {"steal", unknown, "/proc/stat", "", kNoUse},
      {"isolation", ok, "no CPU", "", kAsIs},
      {"isolation", note, "CPUs 2-3", "taskset -c 2-3 ",
       [](Evidence& e) {
         e.conditions.isolated_cpus = std::vector<unsigned>{2, 3};
       }},
      {"isolation", ok, "measured on CPUs 2-3", "",
       [](Evidence& e) {
         e.conditions.isolated_cpus = std::vector<unsigned>{2, 3};
         e.host.allowed_cpus = {2, 3};
       }},
      {"isolation", unknown, "isolated", "",
       [](Evidence& e) { e.conditions.isolated_cpus.reset(); }},
  };
}

std::vector<Case> processor_cases() {
  using enum Severity;
  const auto quota = [](double cpus) { return [cpus](Evidence& e) { e.host.limits.cpus = cpus; }; };
  return {
      {"affinity", ok, "0-3", "", kAsIs},
      {"affinity", lowers, "1 of 4 CPUs allowed: 0 of 0-3", "taskset -c 0-3 ",
       [](Evidence& e) { e.host.allowed_cpus = {0}; }},
      {"affinity", unknown, "sched_getaffinity", "",
       [](Evidence& e) { e.host.allowed_cpus.clear(); }},
      {"affinity", unknown, "not known", "", [](Evidence& e) { e.host.topology.cpus.clear(); }},
      {"cpu_quota", ok, "no quota", "", kAsIs},
      {"cpu_quota", ok, "4 CPUs", "", quota(4)},
      {"cpu_quota", ok, "7.5 CPUs", "", quota(7.5)},
      {"cpu_quota", lowers, "2 CPUs", "docker update --cpus", quota(2)},
      {"cpu_quota", spoils, "1.5 CPUs", "docker update --cpus", quota(1.5)},
      {"cpu_quota", spoils, "0.5 CPUs", "docker update --cpus", quota(0.5)},
      {"cpu_quota", unknown, "no cgroups", "",
       [](Evidence& e) {
         e.host.limits = {{}, {}, {}, {}, "no cgroups"};
       }},
      {"smt", ok, "one hardware thread", "", kAsIs},
      {"smt", note, "4 hardware threads on 2 cores", "smt/control",
       [](Evidence& e) {
         e = half_of_an_smt_machine();
         e.host.allowed_cpus = {0, 1, 2, 3};
       }},
      {"smt", lowers, "CPUs 2-3 share a core", "smt/control",
       [](Evidence& e) { e = half_of_an_smt_machine(); }},
      {"smt", unknown, "not known", "", [](Evidence& e) { e.host.topology.cpus.clear(); }},
      {"unequal_cores", ok, "one kind", "", kAsIs},
      {"unequal_cores", lowers, "446 to 1024", "lscpu",
       [](Evidence& e) { e.conditions.capacities.back() = 446; }},
      {"unequal_cores", unknown, "capacity", "",
       [](Evidence& e) { e.conditions.capacities.clear(); }},
      {"virtual_machine", ok, "no hypervisor", "", kAsIs},
      {"virtual_machine", lowers, "virtual machine", "one-thread figures",
       [](Evidence& e) { e.host.cpu.hypervisor = true; }},
      {"virtual_machine", unknown, "architecture", "",
       [](Evidence& e) { e.host.cpu.hypervisor.reset(); }},
      {"instructions", ok, "avx512_bf16", "", kAsIs},
      {"instructions", note, "bf16 is emulated", "none on this CPU",
       [](Evidence& e) { e.host.isa.avx512_bf16 = false; }},
      {"instructions", note, "int8 products are added in 16 bits", "none on this CPU",
       [](Evidence& e) { e.host.isa.avx512_vnni = false; }},
      {"instructions", ok, "avx_vnni", "",
       [](Evidence& e) {
         e.host.isa.avx512_vnni = false;
         e.host.isa.avx_vnni = true;
       }},
      {"instructions", lowers, "no AVX2", "none on this CPU", [](Evidence& e) { e.host.isa = {}; }},
      {"instructions", lowers, "aarch64", "none in this version",
       [](Evidence& e) { e.host.architecture = "aarch64"; }},
      {"instructions", unknown, "not asked", "", [](Evidence& e) { e.host.architecture.clear(); }},
  };
}

std::vector<Case> clock_cases() {
  using enum Severity;
  const auto no_policies = [](Evidence& e) { e.conditions.clock_policies.clear(); };
  return {
      {"governor", ok, "performance", "", kAsIs},
      {"governor", lowers, "performance, schedutil", "cpupower frequency-set -g performance",
       [](Evidence& e) { e.conditions.clock_policies[2].governor = "schedutil"; }},
      {"governor", unknown, "measured under load instead", "", no_policies},
      {"energy_preference", ok, "performance", "", kAsIs},
      {"energy_preference", lowers, "balance_power", "--epp performance",
       [](Evidence& e) { e.conditions.clock_policies[1].preference = "balance_power"; }},
      {"energy_preference", ok, "no such preference", "",
       [](Evidence& e) {
         for (ClockPolicy& policy : e.conditions.clock_policies) policy.preference.reset();
       }},
      {"energy_preference", unknown, "measured under load instead", "", no_policies},
      {"boost", note, "off", "figures per cycle", kAsIs},
      {"boost", note, "on", "cpufreq/boost", [](Evidence& e) { e.conditions.boost = true; }},
      {"boost", unknown, "neither", "", [](Evidence& e) { e.conditions.boost.reset(); }},
      {"power_profile", ok, "no power profiles", "", kAsIs},
      {"power_profile", ok, "balanced", "",
       [](Evidence& e) { e.conditions.power_profile = "balanced"; }},
      {"power_profile", lowers, "low-power", "platform_profile",
       [](Evidence& e) { e.conditions.power_profile = "low-power"; }},
      {"battery", ok, "not on a battery", "", kAsIs},
      {"battery", lowers, "on its battery", "plug it in",
       [](Evidence& e) { e.conditions.on_battery = true; }},
      {"battery", unknown, "power_supply", "",
       [](Evidence& e) { e.conditions.on_battery.reset(); }},
      {"throttling", ok, "no core", "", kAsIs},
      {"throttling", spoils, "3 times", "cool", [](Evidence& e) { e.use->throttlings = 3; }},
      {"throttling", unknown, "thermal_throttle", "",
       [](Evidence& e) { e.use->throttlings.reset(); }},
      {"core_clock", ok, "4.20 GHz under load, within 1.0 %", "", kAsIs},
      {"core_clock", lowers, "within 5.0 %", "per cycle",
       [](Evidence& e) { e.clock->spread = 0.05; }},
      {"core_clock", spoils, "within 50.0 %", "per cycle",
       [](Evidence& e) { e.clock->spread = 0.5; }},
      {"core_clock", ok, "of 4.40 GHz", "", [](Evidence& e) { e.host.max_clock_hz = 4400000000; }},
      {"core_clock", lowers, "of 5.70 GHz", "per cycle",
       [](Evidence& e) { e.host.max_clock_hz = 5700000000; }},
      {"core_clock", unknown, "not measured", "", [](Evidence& e) { e.clock.reset(); }},
      {"clocksource", ok, "tsc", "", kAsIs},
      {"clocksource", ok, "kvm-clock", "",
       [](Evidence& e) { e.conditions.clocksource = "kvm-clock"; }},
      {"clocksource", lowers, "hpet", "clocksource=tsc",
       [](Evidence& e) { e.conditions.clocksource = "hpet"; }},
      {"clocksource", unknown, "clocksource", "",
       [](Evidence& e) { e.conditions.clocksource.reset(); }},
      {"timer", ok, "25 ns to read and moves in steps of 20 ns", "", kAsIs},
      {"timer", lowers, "1200 ns to read", "15 ms", [](Evidence& e) { e.timer->read_s = 1.2e-6; }},
      {"timer", unknown, "not measured", "", [](Evidence& e) { e.timer.reset(); }},
  };
}

std::vector<Case> memory_cases() {
  using enum Severity;
  const auto available = [](double gib) {
    return [gib](Evidence& e) {
      e.host.memory.available_bytes = static_cast<std::uint64_t>(gib * static_cast<double>(kGib));
    };
  };
  return {
      // 3 arrays x 8 x 32 MiB = 0.75 GiB must fit into 70 % of what is available: from 1.07 GiB.
      {"memory_size", ok, "32 MiB of last-level cache take 768 MiB", "", available(1.08)},
      {"memory_size", lowers, "1.06 GiB available", "free memory", available(1.06)},
      {"memory_size", lowers, "553 MiB available", "free memory", available(0.54)},
      {"memory_size", spoils, "543 MiB available", "free memory", available(0.53)},
      {"memory_size", spoils, "256 MiB available", "free memory",
       [](Evidence& e) { e.host.limits.memory_left_bytes = 256 * kMib; }},
      {"memory_size", unknown, "MemAvailable", "",
       [](Evidence& e) { e.host.memory.available_bytes.reset(); }},
      {"memory_size", unknown, "caches", "", [](Evidence& e) { e.host.topology.caches.clear(); }},
      {"memory_limit", ok, "no limit", "", kAsIs},
      {"memory_limit", note, "4 GiB, of which 3 GiB are left", "MemoryMax",
       [](Evidence& e) {
         e.host.limits.memory_bytes = 4 * kGib;
         e.host.limits.memory_left_bytes = 3 * kGib;
       }},
      {"memory_limit", unknown, "no cgroups", "",
       [](Evidence& e) {
         e.host.limits = {{}, {}, {}, {}, "no cgroups"};
       }},
      {"swap", ok, "nothing", "", kAsIs},
      {"swap", note, "100 MiB", "swapoff",
       [](Evidence& e) { e.conditions.swap_used_bytes = 100 * kMib; }},
      {"swap", lowers, "2 GiB", "swapoff",
       [](Evidence& e) { e.conditions.swap_used_bytes = 2 * kGib; }},
      {"swap", unknown, "SwapTotal", "", [](Evidence& e) { e.conditions.swap_used_bytes.reset(); }},
      {"memory_pressure", ok, "0.0 %", "", kAsIs},
      {"memory_pressure", lowers, "2.0 %", "stop the programs",
       [](Evidence& e) { e.conditions.memory_pressure = 0.02; }},
      {"memory_pressure", spoils, "30.0 %", "stop the programs",
       [](Evidence& e) { e.conditions.memory_pressure = 0.3; }},
      {"memory_pressure", unknown, "/proc/pressure/memory", "",
       [](Evidence& e) { e.conditions.memory_pressure.reset(); }},
      {"huge_pages", ok, "madvise", "", kAsIs},
      {"huge_pages", ok, "always", "", [](Evidence& e) { e.host.huge_pages = "always"; }},
      {"huge_pages", lowers, "never", "transparent_hugepage/enabled",
       [](Evidence& e) { e.host.huge_pages = "never"; }},
      {"huge_pages", unknown, "no setting", "", [](Evidence& e) { e.host.huge_pages.reset(); }},
      {"numa", ok, "one memory node", "", kAsIs},
      {"numa", note, "2 memory nodes", "numactl",
       [](Evidence& e) { e.host.topology.numa_nodes = 2; }},
      {"numa", unknown, "no memory node", "",
       [](Evidence& e) { e.host.topology.numa_nodes.reset(); }},
      {"numa_balancing", ok, "one memory node", "",
       [](Evidence& e) { e.conditions.numa_balancing = true; }},
      {"numa_balancing", lowers, "moves pages", "sysctl kernel.numa_balancing=0",
       [](Evidence& e) {
         e.host.topology.numa_nodes = 2;
         e.conditions.numa_balancing = true;
       }},
      {"numa_balancing", ok, "stay", "", [](Evidence& e) { e.host.topology.numa_nodes = 2; }},
      {"numa_balancing", unknown, "numa_balancing", "",
       [](Evidence& e) {
         e.host.topology.numa_nodes = 2;
         e.conditions.numa_balancing.reset();
       }},
  };
}

std::vector<Case> environment_cases() {
  using enum Severity;
  return {
      {"thread_counts", note, "OMP_NUM_THREADS=2", "unset OMP_NUM_THREADS",
       with({{"OMP_NUM_THREADS", "2"}})},
      {"thread_counts", lowers, "OMP_NUM_THREADS=8,1, with 4 CPUs", "unset OMP_NUM_THREADS",
       with({{"OMP_NUM_THREADS", "8,1"}})},
      {"thread_counts", lowers, "OPENBLAS_NUM_THREADS=5", "unset OPENBLAS_NUM_THREADS",
       with({{"OPENBLAS_NUM_THREADS", "5"}})},
      {"thread_counts", lowers, "OMP_THREAD_LIMIT=3, with 4 cores", "unset OMP_THREAD_LIMIT",
       with({{"OMP_THREAD_LIMIT", "3"}})},
      {"thread_counts", ok, "no thread count", "", with({{"OMP_THREAD_LIMIT", "64"}})},
      {"wait_policy", lowers, "PASSIVE", "unset OMP_WAIT_POLICY",
       with({{"OMP_WAIT_POLICY", "PASSIVE"}})},
      {"wait_policy", ok, "active", "", with({{"OMP_WAIT_POLICY", "active"}})},
      {"thread_binding", note, "OMP_PLACES=cores", "unset OMP_PROC_BIND OMP_PLACES",
       with({{"OMP_PROC_BIND", "close"}, {"OMP_PLACES", "cores"}})},
      {"thread_binding", spoils, "GOMP_CPU_AFFINITY=0-1", "unset GOMP_CPU_AFFINITY",
       with({{"GOMP_CPU_AFFINITY", "0-1"}})},
      {"thread_binding", spoils, "GOMP_CPU_AFFINITY=0-3:2", "unset",
       with({{"GOMP_CPU_AFFINITY", "0-3:2"}})},
      {"thread_binding", note, "GOMP_CPU_AFFINITY=3 0-2:1", "unset",
       with({{"GOMP_CPU_AFFINITY", "3 0-2:1"}})},
      {"thread_binding", note, "GOMP_CPU_AFFINITY=junk", "unset",
       with({{"GOMP_CPU_AFFINITY", "junk"}})},
      {"thread_binding", spoils, "OMP_PROC_BIND=master", "unset OMP_PROC_BIND",
       with({{"OMP_PROC_BIND", "master"}})},
      {"openblas_core", lowers, "OPENBLAS_CORETYPE=Haswell", "unset OPENBLAS_CORETYPE",
       with({{"OPENBLAS_CORETYPE", "Haswell"}})},
      {"openblas_core", note, "SkylakeX", "unset OPENBLAS_CORETYPE",
       with({{"OPENBLAS_CORETYPE", "SkylakeX"}})},
      {"openblas_core", note, "Haswell", "unset OPENBLAS_CORETYPE",
       [](Evidence& e) {
         e.host.isa.avx512f = false;
         (*e.environment)["OPENBLAS_CORETYPE"] = "Haswell";
       }},
      {"onednn_isa", lowers, "AVX2", "unset ONEDNN_MAX_CPU_ISA",
       with({{"ONEDNN_MAX_CPU_ISA", "AVX2"}})},
      {"onednn_isa", lowers, "SSE41", "unset DNNL_MAX_CPU_ISA",
       with({{"DNNL_MAX_CPU_ISA", "SSE41"}})},
      {"onednn_isa", ok, "ALL", "", with({{"ONEDNN_MAX_CPU_ISA", "ALL"}})},
      {"onednn_math", spoils, "BF16", "unset ONEDNN_DEFAULT_FPMATH_MODE",
       with({{"ONEDNN_DEFAULT_FPMATH_MODE", "BF16"}})},
      {"onednn_math", ok, "type that it is given", "",
       with({{"ONEDNN_DEFAULT_FPMATH_MODE", "STRICT"}})},
      {"library_output", lowers, "DNNL_VERBOSE=1", "unset DNNL_VERBOSE",
       with({{"DNNL_VERBOSE", "1"}})},
      {"library_output", ok, "nothing", "", with({{"DNNL_VERBOSE", "0"}})},
      {"mkl", note, "MKL_NUM_THREADS=4", "unset MKL_NUM_THREADS", with({{"MKL_NUM_THREADS", "4"}})},
      {"preload", lowers, "libjemalloc.so", "unset LD_PRELOAD",
       with({{"LD_PRELOAD", "/usr/lib/libjemalloc.so"}})},
      {"preload", spoils, "vgpreload_core", "without valgrind",
       with({{"LD_PRELOAD", "/usr/libexec/valgrind/vgpreload_core-amd64-linux.so"}})},
      {"glibc_tunables", note, "GLIBC_TUNABLES=x", "unset GLIBC_TUNABLES",
       with({{"GLIBC_TUNABLES", "x"}})},
      {"build", ok, "optimised", "", kAsIs},
      {"build", unknown, "that machine", "", [](Evidence& e) { e.build.reset(); }},
      {"build", spoils, "ThreadSanitizer", "--preset release",
       [](Evidence& e) { e.build->sanitizer = "ThreadSanitizer"; }},
      {"build", spoils, "without optimisation", "--preset release",
       [](Evidence& e) { e.build->optimised = false; }},
      {"traced", ok, "no debugger", "", kAsIs},
      {"traced", lowers, "attached", "without strace",
       [](Evidence& e) { e.conditions.traced = true; }},
      {"traced", unknown, "/proc/self/status", "",
       [](Evidence& e) { e.conditions.traced.reset(); }},
      {"nvidia_driver", ok, "no NVIDIA driver", "", kAsIs},
      {"nvidia_driver", note, "NVIDIA driver 550.54.15 and ", "roofline explain --device",
       [](Evidence& e) {
         e.conditions.nvidia_driver = "550.54.15";
         e.conditions.libcuda = "/usr/lib64/libcuda.so.1";
       }},
      {"nvidia_driver", note, "no libcuda.so.1", "--gpus all",
       [](Evidence& e) { e.conditions.nvidia_driver = "550.54.15"; }},
      {"nvidia_driver", note, "no driver is loaded", "--gpus all",
       [](Evidence& e) { e.conditions.libcuda = "/usr/lib64/libcuda.so.1"; }},
  };
}

constexpr const char* kByVariables[] = {
    "thread_counts",  "wait_policy", "thread_binding", "openblas_core", "onednn_isa", "onednn_math",
    "library_output", "mkl",         "preload",        "glibc_tunables"};

}  // namespace

std::vector<Case> all_cases() {
  std::vector<Case> out = other_work_cases();
  for (auto more :
       {processor_cases(), clock_cases(), memory_cases(), environment_cases(), gpu_cases()})
    out.insert(out.end(), more.begin(), more.end());
  for (const char* id : kByVariables) {
    out.push_back({id, Severity::ok, "", "", kAsIs});
    out.push_back({id, Severity::unknown, "variables", "", kNoEnvironment});
  }
  return out;
}

}  // namespace roofline::host
