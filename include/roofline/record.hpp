// Records: what was asked, what was counted, what was predicted, what was measured, where it lies
// under each roof and what is doubtful about it. Plain values; how they look as text is not known
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/account.hpp"
#include "roofline/fact.hpp"
#include "roofline/hypothesis.hpp"
#include "roofline/placement.hpp"
#include "roofline/roof.hpp"
#include "roofline/rooflines.hpp"
#include "roofline/statistics.hpp"
#include "roofline/telemetry.hpp"
#include "roofline/text.hpp"
#include "roofline/time_fit.hpp"
#include "roofline/units.hpp"
#include "roofline/workload.hpp"

namespace roofline {

/// What spoils a sample. It is kept, but counts for nothing.
enum class Disturbance {
  contended,  ///< other work had a CPU, or the device, for part of the time
  moved,      ///< the threads lay otherwise before and after, or than in the samples that count
  throttled,  ///< the clock was well below that of the samples that count
};
[[nodiscard]] std::string_view name(Disturbance disturbance);

/// One timed interval: `iterations` calls that together took `duration`.
struct Sample {
  Seconds duration;
  std::uint64_t iterations = 1;
  /// Smallest ratio of CPU time to wall time over the threads that ran it; nothing where that means
  /// nothing.
  std::optional<double> cpu_share = {};
  std::optional<Frequency> clock = {};  ///< core clock around the sample
  /// How the threads lay to each other (`near`, `far`): figures of one placement say nothing of
  /// another. Empty for one thread, and where it cannot be told.
  Text placement = {};
  std::optional<Disturbance> disturbance = {};
  Telemetry telemetry = {};  ///< read while it ran; nothing of it where nobody could
  /// Which repetition of the whole point it belongs to, from 1; 0 where the point has only one.
  std::uint64_t repetition = 0;

  [[nodiscard]] bool clean() const { return !disturbance; }
};

enum class VerificationState { verified, incorrect, unverified };
[[nodiscard]] std::string_view name(VerificationState state);

struct Verification {
  VerificationState state = VerificationState::unverified;
  Text detail;  ///< against what, how many values, the largest error
};

/// Why sampling ended: well (converged), for want of time, or with what spoils the figure.
enum class MeasurementEnd {
  converged,
  budget_spent,
  contended,           ///< too few samples had the machine to themselves
  throttled,           ///< the clock fell under load and stayed down
  placement_unstable,  ///< the threads were moved about; the figure is of the commonest placement
  interrupted,         ///< the user ended it
  unsettled,  ///< the rate moved by more than its noise: what it shares with others changed
};
/// Whether a figure that ended so may be a roof. An unsettled one may: it is of its moment, and
/// says so.
[[nodiscard]] bool trusted(MeasurementEnd end);
[[nodiscard]] std::string_view name(MeasurementEnd end);

struct Measured {
  std::vector<Sample> samples;            ///< all of them, disturbed ones too, in the order taken
  Seconds time_median;                    ///< per call, over clean samples (all, when contended)
  std::optional<Interval> time_interval;  ///< distribution-free interval of that median, in seconds
  Seconds time_min;
  double noise = 0;                     ///< MAD / median
  std::optional<Frequency> clock = {};  ///< median over the samples that count
  Text placement = {};                  ///< of the samples that count
  Telemetry telemetry = {};  ///< medians of the samples that count; hottest of all, events of all
  MeasurementEnd end = MeasurementEnd::budget_spent;
  Verification verification;
};

struct Skipped {
  Text reason;
};
struct Failed {
  Text reason;
};
/// It ran and its result was wrong: the time is no result.
struct Incorrect {
  Verification verification;
};

using Outcome = std::variant<Measured, Skipped, Failed, Incorrect>;
/// measured, skipped, failed, incorrect.
[[nodiscard]] std::string_view outcome_name(const Outcome& outcome);

/// The side of the ridge a point was expected on, fixed before it was measured.
struct Prediction {
  std::optional<Bound> side;  ///< memory or compute; nothing when there is no ridge yet
  std::optional<Intensity> ridge;
  std::optional<Origin> ridge_origin;  ///< measured when either roof was measured
  Text reason;                         ///< why there is no side
};

enum class Agreement { confirmed, refuted, undecided };
[[nodiscard]] std::string_view name(Agreement agreement);

/// The side that the measured time speaks for: the term, traffic / bandwidth or work / compute,
/// that it is nearer to. Undecided within kNearRidge of the ridge.
struct ObservedSide {
  std::optional<Bound> side;
  Agreement agreement = Agreement::undecided;
};
[[nodiscard]] ObservedSide observe_side(const Account& account, const Roofs& roofs,
                                        const Prediction& predicted, Seconds time);

/// What arithmetic says of one workload on one device and, with an observation, how that compares.
struct Explanation {
  std::string device_id;    ///< `cpu`, `cuda:0`, or a catalogue id when only reasoned about
  std::string device_name;  ///< what the hardware calls itself
  Workload workload;
  Account account;
  Roofs roofs;
  Placement placement;
  RowsToRidge rows;
  std::optional<Assessment> assessment;  ///< nothing without an observation
};

/// The lever for the verdict, or for the bound where nothing was judged. Empty when neither is
/// known.
[[nodiscard]] std::string_view lever(const Explanation& explanation);

/// An explanation whose observation is a measurement, and what was expected before it.
struct Record : Explanation {
  std::string id;  ///< unique among those of its device: `gemm/bf16/4096x4096x4096`
  Prediction prediction;
  Outcome outcome = Skipped{};
  bool defines_roof =
      false;  ///< a stream or probe whose own figure became the roof it is held against
  ObservedSide observed;
  Rooflines rooflines;
  std::vector<Hypothesis> hypotheses;  ///< what may explain the figure, likeliest first
  /// What the other points of its kind and level say it takes (time_model.hpp).
  std::optional<Seconds> modelled_time = {};
  Facts implementation;  ///< provider, version, ISA path, threads, packing time ...
};

/// A roof of the device that was measured or looked up, for readers of the report.
struct RoofEntry {
  std::string name;  ///< `fp32`, `read`, `copy` ...
  std::variant<ComputeRoof, MemoryRoof, OverheadRoof> roof;
  std::string point;        ///< id of the point that demonstrated it; empty for a datasheet roof
  std::string device = {};  ///< id; empty where the report is of one device
};

/// One of the devices that a run measured.
struct ReportedDevice {
  std::string id;    ///< `cpu`, `cuda:0`
  std::string name;  ///< what the hardware calls itself
  Facts facts;       ///< of this device alone, beside the environment's
  friend bool operator==(const ReportedDevice&, const ReportedDevice&) = default;
};

/// How a run came to its end, beyond how each of its points did.
enum class RunEnd {
  completed,
  budget_spent,  ///< of the session as a whole; points that got none of it are skipped
  interrupted,   ///< by a signal, or cut short without a word
  hung,          ///< a point did not return, and the run was given up
};
[[nodiscard]] std::string_view name(RunEnd end);

struct RunInfo {
  std::string id;
  std::string started;  ///< RFC 3339, UTC
  Seconds duration;
  std::string command_line;
  std::string suite;
  bool interrupted = false;  ///< before all points were measured
  RunEnd end = RunEnd::completed;
  std::string resumed_from = {};  ///< id of the run whose points were taken over
  std::uint64_t seed = 0;         ///< of the order that the points were interleaved in
};

/// One of the runs that a merged report is made of.
struct MergedRun {
  std::string file;  ///< that held it, as it was named
  std::string tool_version;
  RunInfo run;
  std::vector<std::string> devices;  ///< ids in the merged report
};

struct Report {
  static constexpr int kSchemaVersion = 1;
  int schema_version = kSchemaVersion;
  std::string tool_version;
  RunInfo run;
  std::vector<MergedRun> merged_from;  ///< empty unless it was merged from others
  Facts environment;        ///< of the machine; without `devices`, of the one device as well
  std::string device_id;    ///< of the first device
  std::string device_name;  ///< likewise
  /// In the order measured. Empty where there is one and the environment says all that is known.
  std::vector<ReportedDevice> devices;
  std::vector<RoofEntry> roofs;
  std::vector<TimeFit> time_model;  ///< overhead and bandwidth of every level that was swept
  std::vector<Finding> findings;    ///< what the points say together, likeliest first
  std::vector<Record> points;
};

/// Whether it is of more than one device, so that roofs, fits and findings name theirs.
[[nodiscard]] bool of_several_devices(const Report& report);
/// The same as only_device() without its points.
[[nodiscard]] Report head_of_device(const Report& report, const ReportedDevice& device);
/// What a report says of one of its devices: its facts among the environment's, its roofs, fits,
/// findings and points, none of which names the device any more. Of a report of one device, all.
[[nodiscard]] Report only_device(const Report& report, const ReportedDevice& device);
/// `cuda:1 (NVIDIA H100 PCIe)`, for sentences.
[[nodiscard]] std::string spoken_name(std::string_view id, std::string_view name);

}  // namespace roofline
