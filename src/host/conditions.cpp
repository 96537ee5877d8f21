#include "host/conditions.hpp"

#include <charconv>

#include "host/files.hpp"
#include "host/proc_text.hpp"

namespace roofline::host {
namespace {

std::optional<double> parse_double(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= 0)) return {};
  return value;
}

std::optional<std::string> word_of(const std::filesystem::path& file) {
  const auto text = read_text(file);
  if (!text || trimmed(*text).empty()) return std::nullopt;
  return std::string(trimmed(*text));
}

std::optional<bool> flag_of(const std::filesystem::path& file) {
  const auto word = word_of(file);
  const auto number = word ? parse_number(*word) : std::nullopt;
  if (!number) return std::nullopt;
  return *number != 0;
}

template <class Parse>
auto parsed(const std::filesystem::path& file, Parse&& parse) {
  const auto text = read_text(file);
  return text ? parse(std::string_view(*text)) : decltype(parse(std::string_view{})){};
}

std::optional<std::uint64_t> field_bytes(std::string_view text, std::string_view key) {
  const std::size_t at = text.find(key);
  if (at == std::string_view::npos || (at != 0 && text[at - 1] != '\n')) return std::nullopt;
  std::string_view line = text.substr(at + key.size());
  line = trimmed(line.substr(0, line.find('\n')));
  if (!line.ends_with(" kB")) return std::nullopt;
  const auto number = parse_number(line.substr(0, line.size() - 3));
  if (!number || *number > (UINT64_MAX >> 10)) return std::nullopt;
  return *number * 1024;
}

void read_clock(const std::filesystem::path& root, const std::vector<unsigned>& cpus,
                Conditions& out) {
  const auto folder = below(root, "/sys/devices/system/cpu");
  for (const unsigned cpu : cpus) {
    const auto own = folder / ("cpu" + std::to_string(cpu));
    if (const auto governor = word_of(own / "cpufreq/scaling_governor")) {
      out.clock_policies.push_back({cpu, *governor, word_of(own / "cpufreq/scaling_driver"),
                                    word_of(own / "cpufreq/energy_performance_preference")});
    }
    const auto capacity = word_of(own / "cpu_capacity");
    if (const auto number = capacity ? parse_number(*capacity) : std::nullopt)
      out.capacities.push_back(*number);
  }
  out.boost = flag_of(folder / "cpufreq/boost");
  if (const auto no_turbo = flag_of(folder / "intel_pstate/no_turbo")) out.boost = !*no_turbo;
}

/// A laptop on its battery: a mains supply that is off, or a battery of the machine (not of a
/// mouse) that discharges.
std::optional<bool> read_on_battery(const std::filesystem::path& root) {
  const auto folder = below(root, "/sys/class/power_supply");
  std::error_code error;
  std::filesystem::directory_iterator at(folder, error);
  if (error) return std::nullopt;
  std::optional<bool> mains_off;
  bool discharging = false;
  for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    const auto supply = at->path();
    const auto type = word_of(supply / "type");
    if (word_of(supply / "scope") == "Device") continue;
    if (type == "Mains") {
      if (const auto online = flag_of(supply / "online"))
        mains_off = mains_off.value_or(true) && !*online;
    }
    if (type == "Battery") discharging |= word_of(supply / "status") == "Discharging";
  }
  return discharging || mains_off.value_or(false);
}

/// Where the loader would find it without LD_LIBRARY_PATH; it is not opened.
std::optional<std::string> find_libcuda(const std::filesystem::path& root) {
  for (const char* folder :
       {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib",
        "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/run/opengl-driver/lib"}) {
    std::error_code ignored;
    const std::string file = std::string(folder) + "/libcuda.so.1";
    if (std::filesystem::exists(below(root, file), ignored)) return file;
  }
  return std::nullopt;
}

/// `nvidia-cuda-mps-control` or `-server`; the kernel keeps 15 characters of a name.
std::optional<std::string> find_mps(const std::filesystem::path& root) {
  bool any = false;
  std::error_code error;
  for (std::filesystem::directory_iterator at(below(root, "/proc"), error), end;
       !error && at != end; at.increment(error)) {
    const std::string pid = at->path().filename().string();
    if (!parse_number(pid)) continue;
    const auto name = word_of(at->path() / "comm");
    if (!name) continue;
    any = true;
    if (name->starts_with("nvidia-cuda-mps")) return *name + " (pid " + pid + ")";
  }
  if (!any) return std::nullopt;
  return std::string();
}

std::optional<bool> read_traced(const std::filesystem::path& root) {
  const auto text = read_text(below(root, "/proc/self/status"));
  constexpr std::string_view kKey = "\nTracerPid:";
  const std::size_t at = text ? text->find(kKey) : std::string::npos;
  if (at == std::string::npos) return std::nullopt;
  const std::string_view rest = std::string_view(*text).substr(at + kKey.size());
  const auto pid = parse_number(rest.substr(0, rest.find('\n')));
  if (!pid) return std::nullopt;
  return *pid != 0;
}

}  // namespace

std::optional<double> parse_load(std::string_view text) {
  return parse_double(text.substr(0, text.find(' ')));
}

std::optional<double> parse_pressure(std::string_view text) {
  constexpr std::string_view kStart = "some avg10=";
  if (!text.starts_with(kStart)) return std::nullopt;
  text.remove_prefix(kStart.size());
  const auto percent = parse_double(text.substr(0, text.find(' ')));
  if (!percent || *percent > 100) return std::nullopt;
  return *percent / 100;
}

std::optional<std::uint64_t> parse_swap_used(std::string_view text) {
  const auto total = field_bytes(text, "SwapTotal:");
  const auto free = field_bytes(text, "SwapFree:");
  if (!total || !free || *free > *total) return std::nullopt;
  return *total - *free;
}

std::optional<std::string> parse_nvidia_version(std::string_view text) {
  // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  date ...": the first word of
  // digits and dots. Open modules write "Open Kernel Module for x86_64" there.
  text = text.substr(0, text.find('\n'));
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.find('.') != std::string_view::npos &&
        word.find_first_not_of("0123456789.") == std::string_view::npos)
      return std::string(word);
  }
  return std::nullopt;
}

Conditions read_conditions(const std::filesystem::path& root, const std::vector<unsigned>& cpus) {
  Conditions out;
  out.load = parsed(below(root, "/proc/loadavg"), parse_load);
  out.cpu_pressure = parsed(below(root, "/proc/pressure/cpu"), parse_pressure);
  out.memory_pressure = parsed(below(root, "/proc/pressure/memory"), parse_pressure);
  out.swap_used_bytes = parsed(below(root, "/proc/meminfo"), parse_swap_used);
  read_clock(root, cpus, out);
  out.clocksource =
      word_of(below(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
  out.numa_balancing = flag_of(below(root, "/proc/sys/kernel/numa_balancing"));
  // The file is there and empty where no CPU is isolated.
  if (const auto text = read_text(below(root, "/sys/devices/system/cpu/isolated")))
    out.isolated_cpus = parse_cpu_list(*text);
  out.on_battery = read_on_battery(root);
  out.power_profile = word_of(below(root, "/sys/firmware/acpi/platform_profile"));
  out.nvidia_driver = parsed(below(root, "/proc/driver/nvidia/version"), parse_nvidia_version);
  out.libcuda = find_libcuda(root);
  out.mps_process = find_mps(root);
  std::error_code ignored;
  out.mps_pipe = std::filesystem::exists(below(root, "/tmp/nvidia-mps/control"), ignored);
  out.traced = read_traced(root);
  return out;
}

}  // namespace roofline::host
