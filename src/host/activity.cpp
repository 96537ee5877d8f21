#include "host/activity.hpp"

#include <algorithm>
#include <array>

#include "host/files.hpp"
#include "host/proc_text.hpp"

namespace roofline::host {
namespace {

std::string_view next_word(std::string_view& text) {
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view word = text.substr(begin, end - begin);
  text.remove_prefix(end);
  return word;
}

std::optional<CpuTicks> parse_cpu_line(std::string_view line) {
  if (!line.starts_with("cpu")) return std::nullopt;
  line.remove_prefix(3);
  const auto cpu = parse_number(next_word(line));
  // proc_stat(5): user nice system idle iowait irq softirq steal; kernels before 2.6.11 have fewer.
  std::array<std::uint64_t, 8> field{};
  for (std::uint64_t& value : field) {
    const auto number = parse_number(next_word(line));
    if (!number) return std::nullopt;
    value = *number;
  }
  if (!cpu || *cpu > UINT32_MAX) return std::nullopt;
  const auto& [user, nice, system, idle, iowait, irq, softirq, steal] = field;
  CpuTicks out;
  out.cpu = static_cast<unsigned>(*cpu);
  out.busy = user + nice + system + irq + softirq;
  out.steal = steal;
  out.total = out.busy + idle + iowait + steal;
  return out;
}

std::vector<ProcessTicks> read_processes(const std::filesystem::path& root) {
  std::vector<ProcessTicks> out;
  std::error_code error;
  // Processes end while the folder is read: those are left out.
  for (std::filesystem::directory_iterator at(below(root, "/proc"), error), end;
       !error && at != end; at.increment(error)) {
    if (!parse_number(at->path().filename().string())) continue;
    const auto text = read_text(at->path() / "stat");
    if (!text) continue;
    if (auto process = parse_process_ticks(*text)) out.push_back(std::move(*process));
  }
  std::sort(out.begin(), out.end(),
            [](const ProcessTicks& a, const ProcessTicks& b) { return a.pid < b.pid; });
  return out;
}

std::optional<std::uint64_t> read_throttlings(const std::filesystem::path& root,
                                              const std::vector<CpuTicks>& cpus) {
  std::optional<std::uint64_t> out;
  for (const CpuTicks& cpu : cpus) {
    const auto text =
        read_text(below(root, "/sys/devices/system/cpu/cpu" + std::to_string(cpu.cpu) +
                                  "/thermal_throttle/core_throttle_count"));
    const auto count = text ? parse_number(*text) : std::nullopt;
    if (count) out = out.value_or(0) + *count;
  }
  return out;
}

/// Counters of a CPU that was taken offline and came back may start again.
double share(std::uint64_t before, std::uint64_t after, std::uint64_t ticks) {
  if (after <= before || ticks == 0) return 0;
  return std::min(1.0, static_cast<double>(after - before) / static_cast<double>(ticks));
}

std::vector<ProcessUse> process_use(const Activity& before, const Activity& after, unsigned self,
                                    double ticks) {
  std::vector<ProcessUse> out;
  for (const ProcessTicks& process : after.processes) {
    if (process.pid == self) continue;
    const auto earlier = std::find_if(before.processes.begin(), before.processes.end(),
                                      [&](const ProcessTicks& p) { return p.pid == process.pid; });
    // One that started in between ran all its ticks in between.
    const std::uint64_t start = earlier == before.processes.end() ? 0 : earlier->busy;
    if (process.busy <= start || ticks <= 0) continue;
    out.push_back({process.pid, process.name, static_cast<double>(process.busy - start) / ticks});
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const ProcessUse& a, const ProcessUse& b) { return a.cpus > b.cpus; });
  return out;
}

}  // namespace

std::vector<CpuTicks> parse_cpu_ticks(std::string_view text) {
  std::vector<CpuTicks> out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (const auto ticks = parse_cpu_line(text.substr(0, end))) out.push_back(*ticks);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::optional<ProcessTicks> parse_process_ticks(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::size_t close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open)
    return std::nullopt;
  const auto pid = parse_number(text.substr(0, open));
  if (!pid || *pid > UINT32_MAX) return std::nullopt;
  // proc_pid_stat(5): utime and stime are fields 14 and 15; the name is field 2.
  std::string_view rest = text.substr(close + 1);
  for (int field = 3; field < 14; ++field) next_word(rest);
  const auto user = parse_number(next_word(rest));
  const auto system = parse_number(next_word(rest));
  if (!user || !system) return std::nullopt;
  return ProcessTicks{static_cast<unsigned>(*pid),
                      std::string(text.substr(open + 1, close - open - 1)), *user + *system};
}

Activity read_activity(const std::filesystem::path& root, Instant instant) {
  Activity out;
  if (instant == Instant::begin) out.processes = read_processes(root);
  if (const auto text = read_text(below(root, "/proc/stat"))) out.cpus = parse_cpu_ticks(*text);
  if (instant == Instant::end) out.processes = read_processes(root);
  out.throttlings = read_throttlings(root, out.cpus);
  return out;
}

Use use_between(const Activity& before, const Activity& after, unsigned self) {
  Use out;
  double all_ticks = 0;
  for (const CpuTicks& now : after.cpus) {
    const auto then = std::find_if(before.cpus.begin(), before.cpus.end(),
                                   [&](const CpuTicks& c) { return c.cpu == now.cpu; });
    if (then == before.cpus.end() || now.total <= then->total) continue;
    const std::uint64_t ticks = now.total - then->total;
    all_ticks += static_cast<double>(ticks);
    out.cpus.push_back(
        {now.cpu, share(then->busy, now.busy, ticks), share(then->steal, now.steal, ticks)});
  }
  if (!out.cpus.empty()) {
    out.processes =
        process_use(before, after, self, all_ticks / static_cast<double>(out.cpus.size()));
  }
  if (before.throttlings && after.throttlings && *after.throttlings >= *before.throttlings)
    out.throttlings = *after.throttlings - *before.throttlings;
  return out;
}

}  // namespace roofline::host
