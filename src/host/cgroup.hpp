// The limits that control groups, version 1 or 2, put on this process: CPU quota and memory. Pure
// parsers, and one reader that walks from the process's group up to the root, because every
// ancestor's limit holds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::host {

/// A line of /proc/self/cgroup: `4:memory:/docker/1234`, `0::/user.slice`.
struct CgroupMembership {
  std::vector<std::string> controllers;  ///< empty for version 2
  std::string path;
  bool version2 = false;
};
[[nodiscard]] std::vector<CgroupMembership> parse_cgroup(std::string_view text);

/// A control-group line of /proc/self/mountinfo.
struct CgroupMount {
  std::string root;  ///< the group that the mount point shows
  std::string mount_point;
  std::vector<std::string> controllers;  ///< of version 1
  bool version2 = false;
};
[[nodiscard]] std::vector<CgroupMount> parse_cgroup_mounts(std::string_view text);

/// `150000 100000` of cpu.max is 1.5 CPUs; `max 100000` is nothing.
[[nodiscard]] std::optional<double> parse_cpu_max(std::string_view text);
/// cpu.cfs_quota_us and cpu.cfs_period_us; a quota of -1 is nothing.
[[nodiscard]] std::optional<double> parse_cfs_quota(std::string_view quota_us,
                                                    std::string_view period_us);
/// memory.max or memory.limit_in_bytes; `max`, and version 1's 2^63 less a page, are nothing.
[[nodiscard]] std::optional<std::uint64_t> parse_memory_limit(std::string_view text);

struct CgroupLimits {
  std::optional<int> version;  ///< of the hierarchy that the limits were read from
  std::optional<double> cpus;  ///< quota / period, the smallest on the way up; nothing: no limit
  std::optional<std::uint64_t> memory_bytes;  ///< the smallest limit on the way up
  std::optional<std::uint64_t>
      memory_left_bytes;  ///< the smallest limit less what that group uses already
  std::string problem;    ///< why nothing could be read; empty otherwise
};

/// Everything is read below `root` ("/" for this machine).
[[nodiscard]] CgroupLimits read_cgroup_limits(const std::filesystem::path& root);

/// Threads that a quota has room for: ceil(cpus), at least 1.
[[nodiscard]] unsigned threads_within(double cpus);

}  // namespace roofline::host
