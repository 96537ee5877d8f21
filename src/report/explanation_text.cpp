#include "report/explanation_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/labels.hpp"
#include "report/unknown.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

std::string words(std::string_view identifier) {
  std::string out(identifier);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

/// Numbered steps, each with a headline and lines of label and text below it.
class Steps {
 public:
  explicit Steps(const TableStyle& style) : style_(style) {}

  void title(const std::string& text) {
    out_ += painted(wrap("", printable(text), style_.width), Paint::bold, style_.colour);
  }
  void step(std::string_view name, const std::string& headline) {
    out_ += painted(wrap(fmt::format("{:<14}", name), printable(headline), style_.width),
                    Paint::bold, style_.colour);
  }
  void line(std::string_view label, const std::string& text) {
    row(fmt::format("{:<12}", label), text);
  }
  /// Text wraps to the right of `first`.
  void row(const std::string& first, const std::string& text) {
    out_ += wrap(std::string(14, ' ') + printable(first), printable(text), style_.width);
  }
  void warning(const std::string& text, Paint paint) {
    out_ +=
        painted(wrap(std::string(14, ' '), printable(text), style_.width), paint, style_.colour);
  }
  void gap() { out_ += '\n'; }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  TableStyle style_;
  std::string out_;
};

std::string from(Origin origin, const std::string& source) {
  return words(name(origin)) + (source.empty() ? "" : ": " + source);
}

std::string subject(const Explanation& in) {
  std::string shape = shape_label(in.workload);
  const std::string_view kind = kind_name(in.workload);
  std::string out = shape == kind ? std::string(kind) : fmt::format("{} {}", kind, shape);
  out += " " + dtype_label(in.workload);
  if (in.device_name.empty() && in.device_id.empty()) return out;
  if (in.device_name.empty()) return out + " on " + in.device_id;
  if (in.device_id.empty()) return out + " on " + in.device_name;
  return fmt::format("{} on {} ({})", out, in.device_name, in.device_id);
}

/// A copy: its rate in FLOP/s is 0, and only bandwidth says anything.
bool does_no_work(const Explanation& in) {
  return in.account.work && in.account.work->value() == 0;
}

std::string intensity_headline(const Explanation& in) {
  const Account& account = in.account;
  const bool counted = account.work && traffic_is_known(account);
  if (!in.placement.intensity) {
    if (counted && account.traffic.empty())
      return "none: no byte crosses " + upper(name(account.boundary));
    return "unknown: " + std::string(unknown_counts_reason(account));
  }
  const std::string value = format(*in.placement.intensity);
  if (!counted) return value + ", as given";
  return fmt::format("{} = {} / {} across {}", value, format(flop(account.work->as_double())),
                     format(byte(total_traffic(account).as_double())),
                     upper(name(account.boundary)));
}

/// Exact counts, aligned at their last digit.
void add_counts(Steps& steps, const Account& account) {
  struct Line {
    std::string label;
    std::string count;
    std::string unit;
    std::string remark;
  };
  std::vector<Line> lines;
  const auto add = [&](std::string label, Count count, std::string unit, std::string remark) {
    lines.push_back(
        {std::move(label), format_exact(count.value()), std::move(unit), std::move(remark)});
  };
  if (account.work) add("work", *account.work, "FLOP", "");
  for (const TensorTraffic& entry : account.traffic) {
    add(entry.tensor, entry.bytes, "B", entry.direction == Direction::read ? "read" : "written");
  }
  if (account.traffic.size() > 1) add("in all", total_traffic(account), "B", "");
  if (account.write_allocate.value() != 0) {
    add("moved", moved_traffic(account), "B", "with the lines that stores read first");
  }
  std::size_t label_width = 10;
  std::size_t count_width = 0;
  for (const Line& line : lines) {
    label_width = std::max(label_width, display_width(line.label));
    count_width = std::max(count_width, line.count.size());
  }
  for (const Line& line : lines) {
    const std::string fill(label_width - display_width(line.label), ' ');
    steps.row(
        fmt::format("{}{}  {:>{}} {:<4}  ", line.label, fill, line.count, count_width, line.unit),
        line.remark);
  }
  if (account.work && !account.convention.empty()) steps.line("counted", account.convention);
}

void add_ridge(Steps& steps, const Explanation& in) {
  const Roofs& roofs = in.roofs;
  if (in.placement.ridge && roofs.compute && roofs.memory) {
    steps.step("2 Ridge",
               fmt::format("{} = {} / {}", format(*in.placement.ridge), format(roofs.compute->peak),
                           format(roofs.memory->bandwidth)));
  } else {
    steps.step("2 Ridge", "unknown: a roof is missing");
  }
  if (roofs.compute) {
    const std::string kind = roofs.compute->sparsity == Sparsity::dense ? "dense" : "2:4 sparse";
    steps.line("peak",
               fmt::format("{}, {} {}, {}", format(roofs.compute->peak), name(roofs.compute->key),
                           kind, from(roofs.compute->origin, roofs.compute->source)));
  } else {
    steps.line("peak", "unknown: " + roofs.compute_reason);
  }
  if (roofs.memory) {
    steps.line("bandwidth", fmt::format("{}, {}, {}", format(roofs.memory->bandwidth),
                                        upper(name(roofs.memory->boundary)),
                                        from(roofs.memory->origin, roofs.memory->source)));
  } else {
    steps.line("bandwidth", "unknown: " + roofs.memory_reason);
  }
}

std::string distance_text(const Placement& placement) {
  if (!placement.ridge_distance || !placement.intensity || !placement.ridge) return {};
  const double distance = *placement.ridge_distance;
  if (!(distance > 0)) return ", no arithmetic at all";
  const std::string here = format_number(in_flop_per_byte(*placement.intensity));
  const std::string ridge = format_number(in_flop_per_byte(*placement.ridge));
  if (distance < 1) {
    return fmt::format(", {} times left of the ridge ({} / {})", format_number(1 / distance), ridge,
                       here);
  }
  return fmt::format(", {} times right of the ridge ({} / {})", format_number(distance), here,
                     ridge);
}

void add_bound(Steps& steps, const Explanation& in) {
  const Placement& at = in.placement;
  steps.step("3 Bound", at.bound ? fmt::format("{}-bound{}", name(*at.bound), distance_text(at))
                                 : "unknown: a roof or a count is missing");
  if (at.near_ridge) steps.line("near ridge", "within 10 %: the side may flip from run to run");
  if (does_no_work(in) && in.roofs.memory) {
    steps.line("ceiling", format(in.roofs.memory->bandwidth) +
                              ": without arithmetic the bandwidth is all there is");
  } else if (at.ceiling) {
    std::string how;
    if (at.intensity && in.roofs.memory && in.roofs.compute) {
      how = fmt::format(" = min({}, {} x {})", format(in.roofs.compute->peak),
                        format(in.roofs.memory->bandwidth), format(*at.intensity));
    }
    steps.line("ceiling", format(*at.ceiling) + how);
  }
  if (at.mfu_ceiling && at.ceiling && in.roofs.compute && !does_no_work(in)) {
    steps.line("MFU", fmt::format("at most {} = {} / {}", format_percent(*at.mfu_ceiling),
                                  format(*at.ceiling), format(in.roofs.compute->peak)));
  }
  if (at.floor) {
    std::string text = "at least " + format(*at.floor);
    if (in.roofs.overhead)
      text += fmt::format(", {} of it for the call itself", format(in.roofs.overhead->time));
    steps.line("time", text);
  }
  const bool has_rows =
      std::holds_alternative<Gemm>(in.workload) || std::holds_alternative<Projection>(in.workload);
  if (in.rows.integer) {
    steps.line("rows", fmt::format("{} rows sharing one read of the weights reach the ridge",
                                   format_exact(*in.rows.integer)));
  } else if (has_rows && !in.rows.reason.empty()) {
    steps.line("rows", in.rows.reason);
  }
}

void add_ceiling_ratio(Steps& steps, const Explanation& in, const Assessment& found) {
  if (!found.of_ceiling) return;
  std::string how;
  if (in.placement.ceiling && found.achieved && in_flop_per_s(*in.placement.ceiling) > 0) {
    how = fmt::format(" = {} / {}", format(*found.achieved), format(*in.placement.ceiling));
  } else if (found.achieved_bandwidth && in.roofs.memory) {
    how = fmt::format(" = {} / {}", format(*found.achieved_bandwidth),
                      format(in.roofs.memory->bandwidth));
  }
  steps.line("of ceiling", format_percent(*found.of_ceiling) + how);
}

void add_observed(Steps& steps, const Explanation& in, const Assessment& found) {
  std::vector<std::string> seen;
  if (found.achieved && !does_no_work(in)) {
    seen.push_back(format(*found.achieved));
  }
  if (found.achieved_bandwidth) seen.push_back(format(*found.achieved_bandwidth));
  std::string headline =
      seen.empty() ? "nothing comparable" : fmt::format("{}", fmt::join(seen, ", "));
  if (found.time) headline += " in " + format(*found.time);
  steps.gap();
  steps.step("  Observed", headline);
  add_ceiling_ratio(steps, in, found);
  if (in.roofs.compute && found.mfu && found.achieved && !does_no_work(in)) {
    steps.line("MFU", fmt::format("{} = {} / {}", format_percent(*found.mfu),
                                  format(*found.achieved), format(in.roofs.compute->peak)));
  }
  if (in.roofs.compute && found.hfu && found.executed) {
    steps.line("HFU", fmt::format("{} = {} / {}", format_percent(*found.hfu),
                                  format(*found.executed), format(in.roofs.compute->peak)));
  }
  steps.line("verdict", words(name(found.verdict)));
  steps.line("lever", std::string(lever(found.verdict)));
  if (!found.above_roof && !found.impossible) return;
  steps.warning(found.impossible
                    ? "This reading cannot be right. Candidate causes, likeliest first:"
                    : "This reading lies above a roof. Candidate causes, likeliest first:",
                found.impossible ? Paint::red : Paint::yellow);
  for (const Cause& cause : found.causes) steps.row("- ", cause.text);
}

}  // namespace

std::string render_explanation(const Explanation& explanation, const TableStyle& style) {
  Steps steps(style);
  steps.title(subject(explanation));
  steps.gap();
  steps.step("1 Intensity", intensity_headline(explanation));
  add_counts(steps, explanation.account);
  add_ridge(steps, explanation);
  add_bound(steps, explanation);
  steps.step("4 Lever", explanation.placement.bound
                            ? std::string(lever(*explanation.placement.bound))
                            : std::string(lever(Verdict::unknown)));
  if (explanation.assessment) add_observed(steps, explanation, *explanation.assessment);
  return std::move(steps).text();
}

}  // namespace roofline::report
