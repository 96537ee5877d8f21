#include "host/findings.hpp"

#include <algorithm>
#include <cstdlib>

#include "host/checks/check.hpp"
#include "host/checks/each_gpu.hpp"
#include "host/checks/variables.hpp"

namespace roofline::host {
namespace {

struct Topic {
  std::string_view name;
  std::span<const Check> (*checks)();
  bool (*applies)(const Evidence&) = [](const Evidence&) { return true; };
};

/// Where nobody looked for them a driver speaks for GPUs.
bool has_gpus(const Evidence& e) {
  return e.gpus ? !e.gpus->devices.empty() : e.conditions.nvidia_driver.has_value();
}

constexpr Topic kTopics[] = {
    {"other work", checks_of_other_work},
    {"processors", checks_of_processors},
    {"clock", checks_of_clock},
    {"memory", checks_of_memory},
    {"environment", checks_of_environment},
    {"gpu", checks_of_gpu},
    {"gpu", checks_of_gpu_state, has_gpus},
    {"gpu", checks_of_gpu_settings, has_gpus},
};

Finding finding_of(const Check& check, std::string_view topic, const Evidence& evidence) {
  Verdict verdict = check.look(evidence);
  Finding out{check.id,
              topic,
              verdict.severity,
              std::move(verdict.found),
              std::move(verdict.effect),
              std::move(verdict.remedy)};
  if (out.effect.empty()) out.effect = check.effect;
  const bool harmless = out.severity == Severity::ok || out.severity == Severity::unknown;
  if (harmless) {
    out.remedy = {};
  } else if (out.remedy.action.empty()) {
    out.remedy = {std::string(check.action), check.needs_root, std::string(check.without_root)};
  }
  return out;
}

#if defined(__has_feature)
#define ROOFLINE_HAS_FEATURE(feature) __has_feature(feature)
#else
#define ROOFLINE_HAS_FEATURE(feature) 0
#endif

}  // namespace

std::string_view name(Severity severity) {
  switch (severity) {
    case Severity::spoils:
      return "spoils";
    case Severity::lowers:
      return "lowers";
    case Severity::unknown:
      return "unknown";
    case Severity::note:
      return "note";
    case Severity::ok:
      return "ok";
  }
  return "unknown";
}

Build this_build() {
  Build out;
#if !defined(__OPTIMIZE__)
  out.optimised = false;
#endif
#if defined(__SANITIZE_ADDRESS__) || ROOFLINE_HAS_FEATURE(address_sanitizer)
  out.sanitizer = "AddressSanitizer";
#elif defined(__SANITIZE_THREAD__) || ROOFLINE_HAS_FEATURE(thread_sanitizer)
  out.sanitizer = "ThreadSanitizer";
#elif ROOFLINE_HAS_FEATURE(undefined_behavior_sanitizer)
  out.sanitizer = "UndefinedBehaviorSanitizer";
#endif
  return out;
}

Environment this_environment() {
  Environment out;
  for (const char* variable : kVariables) {
    if (const char* value = std::getenv(variable)) out[variable] = value;
  }
  return out;
}

std::vector<Finding> findings(const Evidence& evidence) {
  std::vector<Finding> out;
  for (const Topic& topic : kTopics) {
    if (!topic.applies(evidence)) continue;
    for (const Check& check : topic.checks())
      out.push_back(finding_of(check, topic.name, evidence));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const Finding& a, const Finding& b) { return a.severity < b.severity; });
  return out;
}

std::vector<std::string_view> check_ids() {
  std::vector<std::string_view> out;
  for (const Topic& topic : kTopics) {
    for (const Check& check : topic.checks()) out.push_back(check.id);
  }
  return out;
}

}  // namespace roofline::host
