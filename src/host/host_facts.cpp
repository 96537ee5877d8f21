// How a Host looks in a report.
#include "host/host.hpp"

namespace roofline::host {
namespace {

template <class T>
FactValue value_or(const std::optional<T>& value, std::string reason) {
  if (!value) return Unknown{std::move(reason)};
  if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return static_cast<std::uint64_t>(*value);
  } else {
    return *value;
  }
}

FactValue text_or(const std::string& text, std::string reason) {
  if (text.empty()) return Unknown{std::move(reason)};
  return text;
}

void add_cpu(const Host& host, Facts& out) {
  const std::string no_model = host.cpu.note.empty()
                                   ? "/proc/cpuinfo names no model"
                                   : "/proc/cpuinfo names no model, only " + host.cpu.note;
  out.push_back({"cpu_model", value_or(host.cpu.model, no_model)});
  out.push_back({"cpu_vendor", value_or(host.cpu.vendor, "/proc/cpuinfo names no vendor")});
  out.push_back({"architecture", text_or(host.architecture, "the kernel does not say")});
  out.push_back({"isa", names(host.isa)});
  out.push_back({"hypervisor", value_or(host.cpu.hypervisor,
                                        "/proc/cpuinfo has no flag for it on this architecture")});
}

void add_cores(const Host& host, Facts& out) {
  std::vector<unsigned> all;
  for (const LogicalCpu& cpu : host.topology.cpus) all.push_back(cpu.id);
  const std::uint64_t cores = one_cpu_per_core(host.topology, all).size();
  const std::string none =
      host.topology.problem.empty() ? "no CPU is listed" : host.topology.problem;
  out.push_back({"physical_cores", cores != 0 ? FactValue{cores} : Unknown{none}});
  out.push_back(
      {"hardware_threads", cores != 0 ? FactValue{std::uint64_t{all.size()}} : Unknown{none}});
  out.push_back({"smt", cores != 0 ? FactValue{all.size() > cores} : Unknown{none}});
  out.push_back(
      {"allowed_cpus", text_or(format_cpu_list(host.allowed_cpus), "sched_getaffinity failed")});
  out.push_back({"allowed_cores", std::uint64_t{usable_cores(host).size()}});
  out.push_back(
      {"numa_nodes", value_or(host.topology.numa_nodes, "the kernel lists no memory node")});
  out.push_back({"topology_source", text_or(host.topology.source, none)});
}

void add_caches(const Host& host, Facts& out) {
  constexpr const char* kKeys[] = {"l1d", "l2", "l3", "l4"};
  for (unsigned level = 1; level <= 4; ++level) {
    const auto use = caches_used(host.topology, level, host.allowed_cpus);
    if (!use && level == 4) continue;
    const std::string key = kKeys[level - 1];
    const std::string reason = "no data cache of level " + std::to_string(level) + " is listed";
    out.push_back({key + "_byte", use ? FactValue{use->bytes_each} : Unknown{reason}});
    out.push_back(
        {key + "_instances", use ? FactValue{std::uint64_t{use->instances}} : Unknown{reason}});
  }
  const auto last = last_level_used(host.topology, host.allowed_cpus);
  out.push_back({"last_level_cache_total_byte",
                 last ? FactValue{last->bytes_total} : Unknown{"no data cache is listed"}});
}

void add_limits(const Host& host, Facts& out) {
  const CgroupLimits& limits = host.limits;
  const std::string unread = limits.problem;
  out.push_back({"cgroup_version", value_or(limits.version, unread)});
  out.push_back(
      {"cgroup_cpus", value_or(limits.cpus, unread.empty() ? "no limit is set" : unread)});
  out.push_back({"cgroup_memory_byte",
                 value_or(limits.memory_bytes, unread.empty() ? "no limit is set" : unread)});
}

}  // namespace

Facts facts(const Host& host) {
  Facts out;
  add_cpu(host, out);
  add_cores(host, out);
  add_caches(host, out);
  add_limits(host, out);
  out.push_back(
      {"memory_total_byte", value_or(host.memory.total_bytes, "/proc/meminfo has no MemTotal")});
  out.push_back({"memory_available_byte",
                 value_or(host.memory.available_bytes, "/proc/meminfo has no MemAvailable")});
  out.push_back(
      {"huge_pages", value_or(host.huge_pages, "the kernel has no transparent huge pages")});
  out.push_back(
      {"governor",
       value_or(host.governor,
                "the kernel shows no cpufreq: clocks are the hypervisor's or firmware's")});
  out.push_back({"max_clock_hz", value_or(host.max_clock_hz, "the kernel shows no cpufreq")});
  out.push_back({"kernel", text_or(host.kernel, "uname failed")});
  return out;
}

}  // namespace roofline::host
