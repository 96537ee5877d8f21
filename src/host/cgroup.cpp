#include "host/cgroup.hpp"

#include <algorithm>
#include <cmath>

#include "host/files.hpp"
#include "host/proc_text.hpp"

namespace roofline::host {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> out;
  while (true) {
    const std::size_t at = text.find(separator);
    out.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string> words(std::string_view text, char separator) {
  std::vector<std::string> out;
  for (const std::string_view word : split(text, separator)) {
    if (!word.empty()) out.emplace_back(word);
  }
  return out;
}

bool contains(const std::vector<std::string>& list, std::string_view word) {
  return std::find(list.begin(), list.end(), word) != list.end();
}

/// The folders of this process's group and of its ancestors, innermost first; empty when it isn't
/// mounted here.
std::vector<std::filesystem::path> group_folders(const std::filesystem::path& root,
                                                 const CgroupMembership& group,
                                                 const CgroupMount& mount) {
  // Without a namespace of its own a container sees the host's path, of which only the part below
  // the mount's root exists here; with one, a path outside it shows as /.. and the mount point is
  // the best there is.
  std::string_view inside = group.path;
  if (mount.root != "/" && inside.substr(0, mount.root.size()) == mount.root) {
    inside.remove_prefix(mount.root.size());
  } else if (mount.root != "/") {
    inside = "";
  }
  if (inside.substr(0, 3) == "/..") inside = "";
  const std::filesystem::path top = below(root, mount.mount_point);
  std::filesystem::path folder = top;
  std::vector<std::filesystem::path> out{top};
  for (const std::string& name : words(inside, '/')) {
    folder /= name;
    out.push_back(folder);
  }
  std::reverse(out.begin(), out.end());
  return out;
}

template <class T>
void lower(std::optional<T>& limit, std::optional<T> other) {
  if (other && (!limit || *other < *limit)) limit = other;
}

std::optional<double> cpu_quota(const std::filesystem::path& folder, bool version2) {
  if (version2) {
    const auto text = read_text(folder / "cpu.max");
    return text ? parse_cpu_max(*text) : std::nullopt;
  }
  const auto quota = read_text(folder / "cpu.cfs_quota_us");
  const auto period = read_text(folder / "cpu.cfs_period_us");
  return quota && period ? parse_cfs_quota(*quota, *period) : std::nullopt;
}

void read_memory(const std::filesystem::path& folder, bool version2, CgroupLimits& out) {
  const auto limit_text = read_text(folder / (version2 ? "memory.max" : "memory.limit_in_bytes"));
  const auto limit = limit_text ? parse_memory_limit(*limit_text) : std::nullopt;
  if (!limit) return;
  lower(out.memory_bytes, limit);
  const auto used_text =
      read_text(folder / (version2 ? "memory.current" : "memory.usage_in_bytes"));
  const auto used = used_text ? parse_number(*used_text) : std::nullopt;
  if (used)
    lower(out.memory_left_bytes, std::optional<std::uint64_t>{*limit > *used ? *limit - *used : 0});
}

}  // namespace

std::vector<CgroupMembership> parse_cgroup(std::string_view text) {
  std::vector<CgroupMembership> out;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t first = line.find(':');
    if (first == std::string_view::npos) continue;
    const std::size_t second = line.find(':', first + 1);
    if (second == std::string_view::npos) continue;
    CgroupMembership entry;
    entry.controllers = words(line.substr(first + 1, second - first - 1), ',');
    entry.path = trimmed(line.substr(second + 1));
    entry.version2 = line.substr(0, first) == "0" && entry.controllers.empty();
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text) {
  // 36 35 98:0 /root /mount/point options [optional fields] - fstype source superoptions  (proc(5))
  std::vector<CgroupMount> out;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const std::vector<std::string> before = words(line.substr(0, dash), ' ');
    const std::vector<std::string> after = words(line.substr(dash + 3), ' ');
    if (before.size() < 5 || after.empty()) continue;
    if (after[0] != "cgroup" && after[0] != "cgroup2") continue;
    CgroupMount mount;
    mount.root = before[3];
    mount.mount_point = before[4];
    mount.version2 = after[0] == "cgroup2";
    if (!mount.version2 && after.size() >= 3) mount.controllers = words(after[2], ',');
    out.push_back(std::move(mount));
  }
  return out;
}

std::optional<double> parse_cpu_max(std::string_view text) {
  const std::vector<std::string> fields = words(trimmed(text), ' ');
  if (fields.empty()) return std::nullopt;
  return parse_cfs_quota(fields[0], fields.size() > 1 ? fields[1] : "100000");
}

std::optional<double> parse_cfs_quota(std::string_view quota_us, std::string_view period_us) {
  const auto quota = parse_number(quota_us);
  const auto period = parse_number(period_us);
  if (!quota || !period || *quota == 0 || *period == 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::uint64_t> parse_memory_limit(std::string_view text) {
  // Version 1 has no word for "no limit": it shows the largest whole page below 2^63.
  constexpr std::uint64_t kUnlimited = std::uint64_t{1} << 62;
  const auto number = parse_number(text);
  if (!number || *number >= kUnlimited) return std::nullopt;
  return number;
}

CgroupLimits read_cgroup_limits(const std::filesystem::path& root) {
  CgroupLimits out;
  const auto groups_text = read_text(below(root, "/proc/self/cgroup"));
  const auto mounts_text = read_text(below(root, "/proc/self/mountinfo"));
  if (!groups_text || !mounts_text) {
    out.problem = "/proc/self/cgroup or /proc/self/mountinfo cannot be read";
    return out;
  }
  const std::vector<CgroupMount> mounts = parse_cgroup_mounts(*mounts_text);
  for (const CgroupMembership& group : parse_cgroup(*groups_text)) {
    for (const CgroupMount& mount : mounts) {
      if (mount.version2 != group.version2) continue;
      // A hybrid machine mounts both; a controller lives in one of them, and files of the other
      // don't exist.
      const bool cpu = group.version2 ||
                       (contains(group.controllers, "cpu") && contains(mount.controllers, "cpu"));
      const bool memory = group.version2 || (contains(group.controllers, "memory") &&
                                             contains(mount.controllers, "memory"));
      if (!cpu && !memory) continue;
      const int version = group.version2 ? 2 : 1;
      if (!out.version || version == 1) out.version = version;
      for (const std::filesystem::path& folder : group_folders(root, group, mount)) {
        if (cpu) lower(out.cpus, cpu_quota(folder, group.version2));
        if (memory) read_memory(folder, group.version2, out);
      }
    }
  }
  if (!out.version) out.problem = "no control group with a cpu or memory controller is mounted";
  return out;
}

unsigned threads_within(double cpus) {
  constexpr double kMost = 1e6;
  return static_cast<unsigned>(std::clamp(std::ceil(cpus), 1.0, kMost));
}

}  // namespace roofline::host
