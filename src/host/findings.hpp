// What on this machine would spoil a measurement, and what to do about it: one row per check, from
// values that were read before. Pure functions; nothing is read, measured or printed here.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/activity.hpp"
#include "host/conditions.hpp"
#include "host/host.hpp"
#include "roofline/fact.hpp"

namespace roofline::host {

/// The worst first.
enum class Severity {
  spoils,   ///< figures taken now can't be trusted, or none come about
  lowers,   ///< figures can be trusted but are lower, or less steady, than the hardware allows
  unknown,  ///< could not be read: not the same as ok
  note,     ///< changes no figure, but whoever compares figures should know
  ok,
};
[[nodiscard]] std::string_view name(Severity severity);

struct Remedy {
  std::string action = {};        ///< a command or setting; empty where nothing can be done
  bool needs_root = false;        ///< `action` does
  std::string without_root = {};  ///< what to do where there is no root
};

struct Finding {
  std::string_view id;     ///< stable: `busy_cpus`
  std::string_view topic;  ///< `other work`, `processors`, `clock`, `memory`, `environment`, `gpu`
  Severity severity = Severity::ok;
  std::string found;        ///< what is there, with its value; for `unknown` why it can't be read
  std::string effect = {};  ///< what that does to a measurement, and how much where that is known
  Remedy remedy = {};
};

/// The core clock by a chain of additions, a few hundred short samples.
struct ClockStudy {
  double median_hz = 0;
  double spread = 0;  ///< (highest - lowest) / median of the samples, outermost 5 % left out
};

/// The clock that samples are timed with.
struct TimerStudy {
  double read_s = 0;  ///< to read it once
  double step_s = 0;  ///< the smallest difference seen
};

/// How the running program was compiled.
struct Build {
  bool optimised = true;
  std::string sanitizer;  ///< `AddressSanitizer`; empty for none
};
[[nodiscard]] Build this_build();

using Environment = std::map<std::string, std::string, std::less<>>;
/// The variables of this process that some check reads.
[[nodiscard]] Environment this_environment();

/// A GPU of this machine, as its driver tells of it. Facts by their keys in reports, those of its
/// condition among them; what can't be read is unknown with the reason.
struct Gpu {
  std::string id;        ///< `cuda:0`
  std::string name;      ///< what the hardware calls itself
  std::string unusable;  ///< why it can't be measured; empty when it can
  Facts facts;
};

struct Gpus {
  std::vector<Gpu> devices;
  std::string none_because;  ///< one sentence; empty when there are some
};

/// All that the checks look at. What is nothing was not read or measured, and becomes `unknown`.
struct Evidence {
  Host host;
  Conditions conditions;
  std::optional<Use> use;
  std::optional<ClockStudy> clock;
  std::optional<TimerStudy> timer;
  std::optional<Environment> environment;
  std::optional<Build> build;
  std::optional<Gpus> gpus;
};

/// A finding for every row of the table, the worst first; within a severity in the table's order.
/// Of GPUs only that there are none, where none was seen.
[[nodiscard]] std::vector<Finding> findings(const Evidence& evidence);

/// The ids of all rows, in the table's order.
[[nodiscard]] std::vector<std::string_view> check_ids();

}  // namespace roofline::host
