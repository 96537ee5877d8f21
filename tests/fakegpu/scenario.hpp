// A scenario: which GPUs there are, how long things take on them and what goes wrong, as a person
// wrote it down (README.md has every statement). Reading only; what follows from it is elsewhere.
#pragma once

#include <cstdint>
#include <limits>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "model.hpp"

namespace fakegpu {

/// Names the scenario, the line, the word at fault and what would be right.
class ScenarioError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

constexpr int kEveryDevice = -1;
constexpr std::uint64_t kForEver = std::numeric_limits<std::uint64_t>::max();

enum class FaultKind {
  error,    ///< the call fails, or the kernel ends with it
  hang,     ///< the call does not come back, or not before `seconds` of real time
  corrupt,  ///< the kernel's first operand gets a wrong bit
};

struct Fault {
  std::string site;  ///< `cuMemAlloc`, `kernel`, `kernel:stream_*`, `nvmlDeviceGetPowerUsage`
  std::uint64_t first = 1;  ///< calls counted from 1, for each device
  std::uint64_t last = 1;
  FaultKind kind = FaultKind::error;
  int code = 0;        ///< CUresult; nvmlReturn_t, cublasStatus_t for a site of theirs
  double seconds = 0;  ///< of a hang; 0: for ever
  int device = kEveryDevice;
  bool lost = false;  ///< the device is gone for good, for NVML too
};

/// What calls and operations take beyond their bytes, in s.
struct Costs {
  double call = 0.2e-6;        ///< any call, on the host
  double launch = 2.2e-6;      ///< of a kernel or copy, on the host
  double graph_launch = 5e-6;  ///< of a graph, on the host
  double submit = 3e-6;        ///< until an idle stream begins
  double kernel = 1.6e-6;      ///< of a kernel that does nothing, on the stream
  double node = 0.9e-6;        ///< the same, inside a graph
  double event = 0.6e-6;       ///< of an event, on the stream
  double copy = 6e-6;          ///< of a copy, on the stream
  double first_launch = 0;     ///< more, when a function is launched for the first time
};

struct Throttle {
  double after = 0;      ///< s of load
  double fraction = 1;   ///< of the SM clock
  double bandwidth = 1;  ///< of the memory's rate
  std::uint64_t reasons = 0;
  int device = kEveryDevice;
};

/// NVML functions that answer with `code` whatever happens.
struct NvmlAnswer {
  std::string function;  ///< a pattern: `*` for any characters
  int code = 0;
};

/// What the simulated cuBLASLt does otherwise than usual.
struct CublasLtRules {
  std::vector<std::string> without_algorithm = {};  ///< types, as patterns
  std::vector<std::string> withheld = {};           ///< functions, as patterns
  int most_candidates = 0;                          ///< 0: as many as there are
};

/// What tensor cores draw under load, and how long a device gets away with more than its limit.
struct PowerDraw {
  double random_w = 0;  ///< on random operands, at the highest clock
  double zeros_w = 0;   ///< on operands of zeros
  double after = 0;     ///< s of such load until the clock gives way
  int device = kEveryDevice;
};

struct Scenario {
  std::string label;        ///< the file or preset, for errors
  int driver = 13000;       ///< as cuDriverGetVersion counts
  std::string driver_text;  ///< NVML's; empty: made of `driver`
  int init_code = 0;        ///< CUresult of cuInit
  bool stub = false;        ///< a toolkit's stub library: every call says so
  bool wsl = false;
  bool host_follows_clock = false;  ///< real time between calls passes on the host too
  std::uint64_t seed = 1;
  double jitter = 0;             ///< standard deviation, relative
  double spike_probability = 0;  ///< of a kernel
  double spike_factor = 1;
  double drift = 0;      ///< of kernel times, relative, per s of load
  double ramp_time = 0;  ///< s of load until the clock is within 1/e
  double ramp_from = 1;  ///< fraction of the clock at the beginning
  double event_resolution = 0.5e-6;
  Costs costs = {};
  std::vector<DeviceModel> devices = {};
  std::vector<Throttle> throttles = {};
  std::vector<PowerDraw> power = {};
  CublasLtRules cublaslt = {};
  std::vector<Fault> faults = {};
  int nvml_init_code = 0;
  std::vector<NvmlAnswer> nvml_answers = {};
};

/// `label` is what to call the text in errors. Throws ScenarioError.
[[nodiscard]] Scenario parse_scenario(std::string_view text, const std::string& label);

/// The scenario that the variable FAKEGPU names: a file, a preset, a box; unset: one A100. Throws
/// ScenarioError.
[[nodiscard]] Scenario scenario_of_environment();

/// `*` stands for any characters.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

}  // namespace fakegpu
