// What this machine is and what limits this process on it: read once, as plain values. It measures
// nothing and gives no advice; what it could not read it says why.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/cgroup.hpp"
#include "host/isa.hpp"
#include "host/proc_text.hpp"
#include "host/topology.hpp"
#include "roofline/fact.hpp"

namespace roofline::host {

struct Host {
  CpuInfo cpu;
  std::string architecture;  ///< `x86_64`, `aarch64`
  std::string kernel;        ///< release
  IsaFeatures isa;
  Topology topology;
  std::vector<unsigned> allowed_cpus;  ///< affinity mask (a cpuset shows there too), sorted
  CgroupLimits limits;
  MemInfo memory;
  std::optional<std::string> huge_pages;  ///< always, madvise or never
  std::optional<std::string> governor;
  std::optional<std::uint64_t> max_clock_hz;
};

/// Everything below `root`; another root than "/" shows a machine laid out as files, and then
/// architecture, ISA and affinity mask (which are no files) stay those of the CPUs that the files
/// list.
[[nodiscard]] Host read_host(const std::filesystem::path& root = "/");

/// CPUs for one thread per physical core in the affinity mask; spare hardware threads of those
/// cores go to `spare`.
[[nodiscard]] std::vector<unsigned> usable_cores(const Host& host,
                                                 std::vector<unsigned>* spare = nullptr);

/// Memory that may still be taken: MemAvailable or what the control group leaves, whichever is
/// less. Read anew.
[[nodiscard]] std::optional<std::uint64_t> memory_left(const std::filesystem::path& root = "/");

/// For the report. Sizes in byte; what is not known has its reason.
[[nodiscard]] Facts facts(const Host& host);

}  // namespace roofline::host
