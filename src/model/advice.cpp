#include "model/advice.hpp"

#include <algorithm>
#include <cmath>

#include "roofline/placement.hpp"

namespace roofline::model {

std::string_view name(Reading::Kind kind) {
  switch (kind) {
    case Reading::Kind::mfu:
      return "mfu";
    case Reading::Kind::tokens_per_s:
      return "tokens_per_s";
    case Reading::Kind::step_time:
      return "step_time";
    case Reading::Kind::bandwidth:
      break;
  }
  return "bandwidth";
}

std::string_view name(Answer answer) {
  switch (answer) {
    case Answer::no:
      return "no";
    case Answer::undecided:
      return "undecided";
    case Answer::yes:
      break;
  }
  return "yes";
}

Seconds observed_time(const Reading& reading, const ReadStep& step) {
  switch (reading.kind) {
    case Reading::Kind::mfu:
      return step.work / (step.peak * reading.value);
    case Reading::Kind::tokens_per_s:
      return second(step.tokens / reading.value);
    case Reading::Kind::bandwidth:
      return step.traffic / byte_per_s(reading.value);
    case Reading::Kind::step_time:
      break;
  }
  return second(reading.value);
}

Held hold(Seconds observed, Seconds floor, double margin) {
  Held out;
  out.of_ceiling = floor / observed;
  out.above_roof = out.of_ceiling > 1 + kRounding;
  out.impossible = out.of_ceiling > margin * (1 + kRounding);
  return out;
}

double kernel_gain(double share, double of_roof) { return 1 / (1 - share * (1 - of_roof)); }

Range kernel_gain(double share, Range of_roof) {
  return {kernel_gain(share, of_roof.high), kernel_gain(share, of_roof.low)};
}

bool at_roof(double of_roof) { return of_roof >= kAtRoof * (1 - kRounding); }

KernelJudgement judge_kernel(Range gain, Range of_roof, double best_lever) {
  const auto answer = [](bool always, bool never) {
    return always ? Answer::yes : never ? Answer::no : Answer::undecided;
  };
  KernelJudgement out;
  out.passes_levers = answer(gain.low > best_lever, gain.high <= best_lever);
  out.below_roof = answer(!at_roof(of_roof.high), at_roof(of_roof.low));
  out.justified = std::min(out.passes_levers, out.below_roof);
  return out;
}

double expected_tokens(double acceptance, std::uint64_t drafted) {
  const double tokens = static_cast<double>(drafted) + 1;
  if (acceptance >= 1) return tokens;
  return (1 - std::pow(acceptance, tokens)) / (1 - acceptance);
}

}  // namespace roofline::model
