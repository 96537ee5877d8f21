// What the texts of /proc and /sys say, as pure functions: text in, values out. A field that is
// missing or malformed is nothing, never 0. No file is opened here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::host {

[[nodiscard]] std::string_view trimmed(std::string_view text);
[[nodiscard]] std::optional<std::uint64_t> parse_number(std::string_view text);

struct CpuInfo {
  std::optional<std::string> model;   ///< `model name`; on arm64 the name of a known MIDR
  std::optional<std::string> vendor;  ///< `vendor_id`, or the implementer of a MIDR
  std::optional<bool> hypervisor;     ///< nothing where the text has no flag for it (all but x86)
  std::string note;  ///< what stands in for a missing model: `implementer 0x41 part 0xd40`
};

/// /proc/cpuinfo of x86-64 or arm64. "cpu MHz" is not read: on a virtual machine it is the TSC's
/// rate.
[[nodiscard]] CpuInfo parse_cpuinfo(std::string_view text);

struct MemInfo {
  std::optional<std::uint64_t> total_bytes;
  std::optional<std::uint64_t> available_bytes;
};
/// /proc/meminfo; its kB are 1024 bytes.
[[nodiscard]] MemInfo parse_meminfo(std::string_view text);

/// `0-3,8,10-11` of sysfs; empty for an empty or malformed list.
[[nodiscard]] std::vector<unsigned> parse_cpu_list(std::string_view text);
/// The inverse, for reports.
[[nodiscard]] std::string format_cpu_list(const std::vector<unsigned>& sorted);

/// The chosen word of `always [madvise] never`.
[[nodiscard]] std::optional<std::string> parse_choice(std::string_view text);

/// `32768K`, `1M` or plain bytes, as sysfs states cache sizes.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace roofline::host
