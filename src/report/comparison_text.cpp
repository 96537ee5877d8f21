#include "report/comparison_text.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/format.hpp"

namespace roofline::report {
namespace {

/// Two digits where a tenth of a per cent is noise, one more where it is not.
std::string percent(double change) {
  const double value = 100 * change;
  return fmt::format("{:+.{}f}", value,
                     std::abs(value) < 0.95   ? 2
                     : std::abs(value) < 9.95 ? 1
                                              : 0);
}

}  // namespace

std::string change_text(double ratio) {
  if (ratio > 2 || ratio < 0.5) return "x" + format_number(ratio);
  return percent(ratio - 1) + " %";
}

std::string interval_text(const Ratio& ratio) {
  if (ratio.high > 2 || ratio.low < 0.5)
    return "x" + format_number(ratio.low) + " .. x" + format_number(ratio.high);
  return percent(ratio.low - 1) + " .. " + percent(ratio.high - 1) + " %";
}

std::string figure_text(const ComparedTimes& times) {
  const Seconds time = second(times.time_s);
  if (times.work) return format(flop(times.work->as_double()) / time);
  if (times.bytes) return format(byte(times.bytes->as_double()) / time);
  return format(time);
}

std::string summary_text(const Comparison& comparison) {
  std::string out;
  for (std::size_t i = 0; i < kComparedAsCount; ++i) {
    const auto verdict = static_cast<ComparedAs>(i);
    const std::size_t count = comparison.count(verdict);
    if (count == 0) continue;
    out += (out.empty() ? "" : ", ") + std::to_string(count) + " " + std::string(name(verdict));
  }
  if (out.empty()) out = "no point to compare";
  const std::size_t broken = comparison.count_broken();
  if (broken != 0) out += "; " + std::to_string(broken) + " of them broken";
  return out;
}

std::string advice_text(const Comparison& comparison) {
  if (comparison.count(ComparedAs::ambiguous) == 0) return {};
  return "what is ambiguous takes more runs to tell: run --repeat 5 on both sides, or several "
         "reports of each taken in turns (--base, --new)";
}

}  // namespace roofline::report
