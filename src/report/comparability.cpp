#include "report/comparability.hpp"

#include <algorithm>
#include <variant>

#include "report/format.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/overloaded.hpp"

namespace roofline::report {
namespace {

struct Rule {
  std::string_view key;
  bool refuses;
};

// Of a device. What is missing or unknown on one side tells nothing.
constexpr Rule kDeviceRules[] = {
    {"backend", true},
    {"cpu_model", true},
    {"architecture", true},
    {"hypervisor", true},
    {"l1d_byte", true},
    {"l2_byte", true},
    {"l3_byte", true},
    {"isa_path", true},
    {"isa_cap", true},
    {"threads", true},
    {"sm_count", true},
    {"memory_bytes", true},
    {"driver_version", true},
    {"cuda_driver_version", true},
    {"mig", true},
    {"mig_profile", true},
    {"virtual_gpu", true},
    {"simulated", true},
    {"ecc", true},
    {"power_limit_w", true},
    {"memory_clock_hz", true},
    {"script", false},
    {"physical_cores", false},
    {"smt", false},
    {"cpus", false},
    {"allowed_cpus", false},
    {"numa_nodes", false},
    {"cgroup_cpus", false},
    {"governor", false},
    {"max_clock_hz", false},
    {"clock_max_hz", false},
    {"huge_pages", false},
    {"kernel", false},
    {"host_name", false},
    {"uuid", false},
    {"pcie_generation", false},
    {"pcie_width", false},
    {"persistence_mode", false},
};

// Of how a point was measured.
constexpr Rule kPointRules[] = {
    {"provider", true},        {"provider_version", true},
    {"library_version", true}, {"isa_path", true},
    {"threads", true},         {"data_pattern", true},
    {"array_byte", true},      {"working_set_byte", true},
    {"rotation_byte", true},   {"weight_layout", true},
    {"level", true},           {"weight_rotation_byte", true},
    {"algo_of", true},         {"stores", true},
    {"library_isa", true},     {"pinned", false},
};

std::string text_of(const FactValue& value) {
  return std::visit(
      Overloaded{[](const Unknown&) { return std::string(); },
                 [](bool v) { return std::string(v ? "yes" : "no"); },
                 [](std::uint64_t v) { return std::to_string(v); },
                 [](double v) { return format_number(v); }, [](const std::string& v) { return v; },
                 [](const std::vector<std::string>& v) {
                   std::string out;
                   for (const std::string& word : v) out += (out.empty() ? "" : " ") + word;
                   return out;
                 }},
      value);
}

void compare_facts(std::span<const Rule> rules, const Facts& base, const Facts& fresh,
                   const std::string& where, std::vector<Difference>& out) {
  for (const Rule& rule : rules) {
    const FactValue* const was = find_fact(base, rule.key);
    const FactValue* const is = find_fact(fresh, rule.key);
    if (was == nullptr || is == nullptr || *was == *is) continue;
    const std::string from = text_of(*was);
    const std::string to = text_of(*is);
    if (from.empty() || to.empty()) continue;
    out.push_back({std::string(rule.key), from, to, where, rule.refuses});
  }
}

bool is_scripted(const DeviceFacts& device) {
  return device.name.starts_with("scripted: ") ||
         text_fact(device.facts, "backend") == "scripted" || flag_fact(device.facts, "simulated");
}

/// Sizes that are left to the device are part of a workload once it has run.
bool same_sizes(const Workload& base, const Workload& fresh) {
  // The work of a probe's iteration is no buffer: it follows how the tool calibrates.
  if (std::holds_alternative<PeakProbe>(base)) return true;
  return base == fresh;
}

}  // namespace

std::vector<DeviceFacts> devices_of(const Report& report) {
  if (report.devices.empty()) return {{report.device_id, report.device_name, report.environment}};
  std::vector<DeviceFacts> out;
  for (const ReportedDevice& device : report.devices) {
    Facts facts = device.facts;
    facts.insert(facts.end(), report.environment.begin(), report.environment.end());
    out.push_back({device.id, device.name, std::move(facts)});
  }
  return out;
}

std::vector<Difference> device_differences(const DeviceFacts& base, const DeviceFacts& fresh) {
  std::vector<Difference> out;
  if (base.name != fresh.name) out.push_back({"device", base.name, fresh.name, {}, true});
  if (is_scripted(base) != is_scripted(fresh)) {
    const auto word = [](const DeviceFacts& device) {
      return std::string(is_scripted(device) ? "scripted or simulated" : "measured");
    };
    out.push_back({"origin of the figures", word(base), word(fresh), base.id, true});
  }
  compare_facts(kDeviceRules, base.facts, fresh.facts, fresh.id, out);
  return out;
}

std::vector<Difference> point_differences(const RunPoint& base, const RunPoint& fresh) {
  // Shorter samples scatter more, and are another measurement.
  constexpr double kOtherProtocol = 3;
  std::vector<Difference> out;
  // Mostly all are the same.
  if (*base.facts != *fresh.facts)
    compare_facts(kPointRules, *base.facts, *fresh.facts, fresh.id, out);
  const bool sizes_said = std::any_of(out.begin(), out.end(), [](const Difference& difference) {
    return difference.what.ends_with("_byte");
  });
  if (!same_sizes(base.workload, fresh.workload) && !sizes_said) {
    const auto bytes = [](const RunPoint& point) {
      return std::to_string(point.bytes ? point.bytes->value() : 0) + " byte moved";
    };
    const std::string was = bytes(base);
    const std::string is = bytes(fresh);
    out.push_back({"workload", was == is ? "other operands or factors" : was,
                   was == is ? "those of the new run" : is, fresh.id, true});
  }
  if (base.many_calls && fresh.many_calls && base.sample_s > 0 && fresh.sample_s > 0) {
    const double ratio =
        std::max(base.sample_s, fresh.sample_s) / std::min(base.sample_s, fresh.sample_s);
    if (ratio > kOtherProtocol) {
      out.push_back({"protocol", "samples of " + format(second(base.sample_s)),
                     "samples of " + format(second(fresh.sample_s)), fresh.id, true});
    }
  }
  return out;
}

Facts compared_facts(Facts implementation) {
  std::erase_if(implementation, [](const Fact& fact) {
    return std::none_of(std::begin(kPointRules), std::end(kPointRules),
                        [&](const Rule& rule) { return rule.key == fact.key; });
  });
  return implementation;
}

std::vector<Difference> run_differences(const Report& base, const Report& fresh) {
  std::vector<Difference> out;
  const auto differs = [&](const char* what, const std::string& was, const std::string& is) {
    if (was != is && !was.empty() && !is.empty()) out.push_back({what, was, is, {}, false});
  };
  differs("version of roofline", base.tool_version, fresh.tool_version);
  differs("suite or command", base.run.suite, fresh.run.suite);
  const auto end = [](const Report& report) {
    return report.run.interrupted ? "interrupted" : "complete";
  };
  differs("run", end(base), end(fresh));
  return out;
}

std::string text_of(const Difference& difference) {
  std::string out = difference.what + ": " + difference.base + " against " + difference.fresh;
  if (!difference.where.empty()) out += " (" + difference.where + ")";
  return out;
}

}  // namespace roofline::report
