// What an observed figure of a step says once it is held against the step's floor, and whether a
// faster kernel would be worth writing. Pure arithmetic: knows no device and no lever by name.
#pragma once

#include <cstdint>
#include <string_view>

#include "roofline/units.hpp"

namespace roofline::model {

/// A figure that says how fast a step was.
struct Reading {
  enum class Kind { mfu, tokens_per_s, step_time, bandwidth };
  Kind kind = Kind::step_time;
  double value = 0;  ///< a ratio, tokens/s of all devices that share the step, s, or byte/s of one
};
[[nodiscard]] std::string_view name(Reading::Kind kind);

/// What turns a reading into a time. Work and traffic are those of one device.
struct ReadStep {
  Flops work;         ///< by the convention that MFU counts
  Bytes traffic;      ///< by the account that bandwidth counts
  double tokens = 1;  ///< that the step gives
  Performance peak;   ///< that MFU is a part of
};
[[nodiscard]] Seconds observed_time(const Reading& reading, const ReadStep& step);

/// An observed time beside the floor of the same step: nothing is clipped.
struct Held {
  double of_ceiling = 0;  ///< floor / observed, which is MFU / its ceiling, too
  bool above_roof = false;
  bool impossible = false;
};
/// `margin`: how far a reading may pass this roof before it cannot be, 1.03 of a rated one.
[[nodiscard]] Held hold(Seconds observed, Seconds floor, double margin);

struct Range {
  double low = 0;
  double high = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Amdahl: how much faster a step becomes when a kernel that takes `share` of it, and runs at
/// `of_roof` of its own roof, reaches that roof: 1 / (1 - s (1 - f)).
[[nodiscard]] double kernel_gain(double share, double of_roof);
/// From the least to the most; the lower fraction of the roof leaves the higher gain.
[[nodiscard]] Range kernel_gain(double share, Range of_roof);

enum class Answer { no, undecided, yes };
[[nodiscard]] std::string_view name(Answer answer);

/// Whether so much of a roof is at it: kAtRoof, but for rounding.
[[nodiscard]] bool at_roof(double of_roof);

/// A kernel is worth writing only if what it can gain passes the best that configuration gains
/// without code, and if it runs below kAtRoof of its own roof: else there is nothing to mend.
struct KernelJudgement {
  Answer passes_levers = Answer::no;
  Answer below_roof = Answer::no;
  Answer justified = Answer::no;
};
[[nodiscard]] KernelJudgement judge_kernel(Range gain, Range of_roof, double best_lever);

/// Tokens that one verification of `drafted` tokens yields, each accepted with the same chance and
/// only behind accepted ones: (1 - a^(g+1)) / (1 - a).
[[nodiscard]] double expected_tokens(double acceptance, std::uint64_t drafted);

}  // namespace roofline::model
