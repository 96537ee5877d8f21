#include "host/proc_text.hpp"

#include <charconv>
#include <system_error>

namespace roofline::host {
namespace {

/// Calls `use(key, value)` for every `key : value` line until it returns false.
template <class Use>
void for_each_field(std::string_view text, Use&& use) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (!use(trimmed(line.substr(0, colon)), trimmed(line.substr(colon + 1)))) return;
  }
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const bool starts = at == 0 || text[at - 1] == ' ';
    const std::size_t end = at + word.size();
    if (starts && (end == text.size() || text[end] == ' ')) return true;
  }
  return false;
}

struct MidrName {
  std::string_view implementer;
  std::string_view part;  ///< empty: the implementer alone
  const char* name;
};

/// Arm's MIDR_EL1 numbers, as listed by Linux (arch/arm64/include/asm/cputype.h) and lscpu.
constexpr MidrName kMidrNames[] = {
    {"0x41", "", "Arm"},
    {"0x41", "0xd0c", "Neoverse N1"},
    {"0x41", "0xd40", "Neoverse V1"},
    {"0x41", "0xd49", "Neoverse N2"},
    {"0x41", "0xd4f", "Neoverse V2"},
    {"0x41", "0xd84", "Neoverse V3"},
    {"0x41", "0xd08", "Cortex-A72"},
    {"0x41", "0xd0b", "Cortex-A76"},
    {"0x46", "", "Fujitsu"},
    {"0x46", "0x001", "A64FX"},
    {"0x48", "", "HiSilicon"},
    {"0x48", "0xd01", "Kunpeng 920"},
    {"0x61", "", "Apple"},
    {"0xc0", "", "Ampere"},
    {"0xc0", "0xac3", "AmpereOne"},
};

std::optional<std::string> midr_name(std::string_view implementer, std::string_view part) {
  for (const MidrName& entry : kMidrNames) {
    if (entry.implementer == implementer && entry.part == part) return entry.name;
  }
  return std::nullopt;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::optional<std::uint64_t> parse_number(std::string_view text) {
  const std::string_view digits = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size() || digits.empty())
    return std::nullopt;
  return value;
}

CpuInfo parse_cpuinfo(std::string_view text) {
  CpuInfo out;
  std::string_view implementer;
  std::string_view part;
  // Cores of one machine may differ (big.LITTLE); the first of each field speaks for it.
  for_each_field(text, [&](std::string_view key, std::string_view value) {
    if (key == "model name" && !out.model && !value.empty()) out.model = value;
    if (key == "vendor_id" && !out.vendor && !value.empty()) out.vendor = value;
    if (key == "flags" && !out.hypervisor) out.hypervisor = has_word(value, "hypervisor");
    if (key == "CPU implementer" && implementer.empty()) implementer = value;
    if (key == "CPU part" && part.empty()) part = value;
    return true;
  });
  if (!implementer.empty()) {
    out.note = "implementer " + std::string(implementer);
    if (!part.empty()) out.note += " part " + std::string(part);
    if (!out.vendor) out.vendor = midr_name(implementer, "");
    if (!out.model && !part.empty()) out.model = midr_name(implementer, part);
  }
  return out;
}

MemInfo parse_meminfo(std::string_view text) {
  MemInfo out;
  const auto bytes = [](std::string_view value) -> std::optional<std::uint64_t> {
    constexpr std::string_view kUnit = " kB";
    if (value.size() <= kUnit.size() || value.substr(value.size() - kUnit.size()) != kUnit)
      return std::nullopt;
    const auto number = parse_number(value.substr(0, value.size() - kUnit.size()));
    if (!number || *number > (UINT64_MAX >> 10)) return std::nullopt;
    return *number * 1024;
  };
  for_each_field(text, [&](std::string_view key, std::string_view value) {
    if (key == "MemTotal") out.total_bytes = bytes(value);
    if (key == "MemAvailable") out.available_bytes = bytes(value);
    return !(out.total_bytes && out.available_bytes);
  });
  return out;
}

std::vector<unsigned> parse_cpu_list(std::string_view text) {
  constexpr std::uint64_t kMostCpus =
      1 << 16;  // far beyond Linux's own limit: a malformed range can't fill memory
  std::vector<unsigned> out;
  text = trimmed(text);
  while (!text.empty()) {
    const std::size_t comma = text.find(',');
    const std::string_view range = text.substr(0, comma);
    text = comma == std::string_view::npos ? std::string_view{} : text.substr(comma + 1);
    const std::size_t dash = range.find('-');
    const auto first = parse_number(range.substr(0, dash));
    const auto last = dash == std::string_view::npos ? first : parse_number(range.substr(dash + 1));
    if (!first || !last || *last < *first || *last >= kMostCpus) return {};
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) out.push_back(static_cast<unsigned>(cpu));
  }
  return out;
}

std::string format_cpu_list(const std::vector<unsigned>& sorted) {
  std::string out;
  for (std::size_t i = 0; i < sorted.size();) {
    std::size_t end = i + 1;
    while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1) ++end;
    if (!out.empty()) out += ',';
    out += std::to_string(sorted[i]);
    if (end - i > 1) out += "-" + std::to_string(sorted[end - 1]);
    i = end;
  }
  return out;
}

std::optional<std::string> parse_choice(std::string_view text) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  if (open == std::string_view::npos || close == std::string_view::npos || close <= open + 1)
    return std::nullopt;
  return std::string(text.substr(open + 1, close - open - 1));
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  unsigned shift = 0;
  switch (text.back()) {
    case 'K':
      shift = 10;
      break;
    case 'M':
      shift = 20;
      break;
    case 'G':
      shift = 30;
      break;
    default:
      break;
  }
  if (shift != 0) text.remove_suffix(1);
  const auto number = parse_number(text);
  if (!number || *number > (UINT64_MAX >> shift)) return std::nullopt;
  return *number << shift;
}

}  // namespace roofline::host
