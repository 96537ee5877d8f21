// A script: a machine and the behaviour of its points as a person wrote them down, one statement a
// line (docs/scripted.md). Reading only, from text; what a call takes is worked out in model.hpp.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::scripted {

/// How the times of samples scatter; `noise` is the scale of each, relative to the time.
enum class Distribution {
  normal,   ///< standard deviation `noise`
  uniform,  ///< within +- `noise`
  bimodal,  ///< three in five as stated, the others longer by `noise`
  spikes,   ///< never shorter; how much longer falls off as 1/x^3, as far as 100 noise
};

struct SlowStart {
  double factor = 1;           ///< on the time of the very first call
  Seconds settle = second(1);  ///< the excess falls to 1/e in so much load
};

struct Throttle {
  Seconds after;
  double fraction = 1;  ///< of the core clock
};

/// Other work has the processor in a window of time, or during samples picked at random.
struct Contention {
  Seconds from;
  Seconds to;
  std::optional<double> probability = {};  ///< instead of the window
  double share = 1;                        ///< of the processor that is left to us
};

/// What one point does. Load is counted from its preparation, as if nothing disturbed it.
struct Behaviour {
  std::optional<Seconds> time = {};  ///< of a call, instead of the model's
  std::optional<Seconds> overhead = {};
  double efficiency = 1;
  double traffic_factor = 1;  ///< bytes moved / bytes counted
  double noise = 0;
  Distribution distribution = Distribution::normal;
  SlowStart slow_start = {};
  double drift = 0;                       ///< relative, per second of load
  std::optional<Frequency> clock = {};    ///< instead of the device's
  std::optional<Throttle> throttle = {};  ///< after so much load of this point
  std::optional<Contention> contention = {};
  std::string placement = {};
  double far = 1;                    ///< factor on bandwidths when the placement is far
  std::optional<Seconds> flip = {};  ///< near and far take turns, each for so long
  Telemetry telemetry = {};          ///< of every sample; no clock
  Seconds prepare = {};              ///< how long preparing and verifying take
  Seconds verify = {};
  std::string unsupported = {};
  std::string incorrect = {};
  std::string unverified = {};
  std::string failure = {};
  std::uint64_t fail_at = 0;  ///< the timed call that fails, from 1; 0: preparing does
  bool lost = false;          ///< the failure is the end of the device
  bool hangs = false;         ///< the first timed call never comes back
  Seconds hang = {};          ///< the first timed call takes so much longer
  Facts facts = {};
};

/// One `point` line: what it sets for every point whose name matches.
struct Rule {
  std::string pattern;
  std::vector<std::function<void(Behaviour&)>> settings;
};

struct StatedBandwidth {
  Boundary level = Boundary::dram;
  std::optional<StreamKind> mix = {};  ///< nothing: every mix without a line of its own
  std::optional<TransferDirection> direction = {};  ///< of the link, likewise
  Bandwidth rate;
};

/// One device.
struct Script {
  std::string label;  ///< the file, as errors and the report call it
  std::string id = "scripted";
  std::string name = "unnamed device";
  std::uint64_t seed = 1;
  std::uint64_t threads = 0;  ///< 0: not stated
  std::uint64_t memory = std::uint64_t{16} << 30;
  double pace = 0;  ///< real seconds slept per scripted second
  std::optional<Frequency> clock = {};
  std::optional<Throttle> throttle = {};      ///< of the device, after so long a run
  std::optional<Throttle> heat = {};          ///< after so much load of the device, rests taken off
  std::optional<ClockEvent> heat_event = {};  ///< what the device then gives as the reason
  Facts facts = {};
  std::map<DType, Performance> peaks = {};
  std::vector<StatedBandwidth> bandwidths = {};
  std::map<Boundary, std::uint64_t> levels = {};  ///< sizes in byte
  std::map<LaunchPath, Seconds> overheads = {};
  std::vector<Rule> rules = {};
};

/// Every device of a script, each with what stands before the first `device` line and what its own
/// section says instead; one where there is no such line. `origin` is what to call the text in
/// errors. Throws InputError naming `script ORIGIN line N`, the word at fault and a way out.
[[nodiscard]] std::vector<Script> parse_devices(std::string_view text, std::string_view origin);
/// The first of them.
[[nodiscard]] Script parse_script(std::string_view text, std::string_view origin);

/// The rules that match any of a point's names, later ones over earlier ones.
[[nodiscard]] Behaviour behaviour_of(const Script& script, const std::vector<std::string>& names);

/// `*` stands for any characters, `?` for one.
[[nodiscard]] bool glob_match(std::string_view pattern, std::string_view text);

}  // namespace roofline::scripted
