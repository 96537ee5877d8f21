#include "host/host.hpp"

#include <sched.h>
#include <sys/utsname.h>

#include <algorithm>

#include "host/files.hpp"

namespace roofline::host {
namespace {

std::vector<unsigned> affinity_mask() {
  // The kernel refuses a mask smaller than its own (up to 8192 CPUs are configured in practice).
  for (int cpus = CPU_SETSIZE; cpus <= (1 << 16); cpus *= 2) {
    const std::size_t bytes = CPU_ALLOC_SIZE(cpus);
    cpu_set_t* const set = CPU_ALLOC(cpus);
    if (set == nullptr) return {};
    std::vector<unsigned> out;
    const bool read = sched_getaffinity(0, bytes, set) == 0;
    for (int cpu = 0; read && cpu < cpus; ++cpu) {
      if (CPU_ISSET_S(static_cast<std::size_t>(cpu), bytes, set))
        out.push_back(static_cast<unsigned>(cpu));
    }
    CPU_FREE(set);
    if (read) return out;
  }
  return {};
}

std::optional<std::string> read_word(const std::filesystem::path& path) {
  const auto text = read_text(path);
  if (!text || trimmed(*text).empty()) return std::nullopt;
  return std::string(trimmed(*text));
}

void read_files(const std::filesystem::path& root, Host& out) {
  if (const auto text = read_text(below(root, "/proc/cpuinfo"))) out.cpu = parse_cpuinfo(*text);
  if (const auto text = read_text(below(root, "/proc/meminfo"))) out.memory = parse_meminfo(*text);
  out.limits = read_cgroup_limits(root);
  if (const auto text = read_text(below(root, "/sys/kernel/mm/transparent_hugepage/enabled"))) {
    out.huge_pages = parse_choice(*text);
  }
  const auto cpufreq = below(root, "/sys/devices/system/cpu/cpu0/cpufreq");
  out.governor = read_word(cpufreq / "scaling_governor");
  if (const auto khz = read_word(cpufreq / "cpuinfo_max_freq")) {
    const auto number = parse_number(*khz);
    if (number && *number != 0 && *number < UINT64_MAX / 1000) out.max_clock_hz = *number * 1000;
  }
  if (const auto release = read_word(below(root, "/proc/sys/kernel/osrelease")))
    out.kernel = *release;
}

}  // namespace

Host read_host(const std::filesystem::path& root) {
  Host out;
  read_files(root, out);
  if (root != "/") {
    out.topology = read_topology_sysfs(root);
    for (const LogicalCpu& cpu : out.topology.cpus) out.allowed_cpus.push_back(cpu.id);
    return out;
  }
  utsname names{};
  if (uname(&names) == 0) {
    out.architecture = static_cast<const char*>(names.machine);
    if (out.kernel.empty()) out.kernel = static_cast<const char*>(names.release);
  }
  out.isa = detect_isa();
  auto topology = read_topology_hwloc();
  out.topology = topology ? std::move(*topology) : read_topology_sysfs(root);
  out.allowed_cpus = affinity_mask();
  if (out.topology.cpus.empty()) {
    // Neither source works in some sandboxes: then each allowed CPU is taken for a core.
    for (const unsigned cpu : out.allowed_cpus) out.topology.cpus.push_back({cpu, cpu});
  }
  return out;
}

std::vector<unsigned> usable_cores(const Host& host, std::vector<unsigned>* spare) {
  return one_cpu_per_core(host.topology, host.allowed_cpus, spare);
}

std::optional<std::uint64_t> memory_left(const std::filesystem::path& root) {
  const auto text = read_text(below(root, "/proc/meminfo"));
  auto left = text ? parse_meminfo(*text).available_bytes : std::nullopt;
  const auto group = read_cgroup_limits(root).memory_left_bytes;
  if (group && (!left || *group < *left)) left = group;
  return left;
}

}  // namespace roofline::host
