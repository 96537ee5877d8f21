#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/advise_text.hpp"
#include "cli/step_sheet.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "roofline/placement.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

using report::format;
using report::format_number;
using report::format_percent;
using report::Paint;

std::string times(double gain, int digits = 3) { return format_number(gain, digits) + "x"; }

/// Digits with which neither end of a range reads like the limit that it is compared with.
int digits_beside(const model::Range& range, double limit) {
  return std::max(report::digits_apart(range.low, limit), report::digits_apart(range.high, limit));
}

std::string range_text(const model::Range& range, const auto& one) {
  return range.low == range.high ? one(range.low) : one(range.low) + " to " + one(range.high);
}

/// Lines of a label and text below a bold headline.
class Page {
 public:
  explicit Page(const report::TableStyle& style) : style_(style) {}
  void head(std::string_view label, const std::string& text) {
    out_ += report::painted(line(label, text), Paint::bold, style_.colour);
  }
  void row(std::string_view label, const std::string& text, Paint paint = Paint::none) {
    out_ += report::painted(line(label, text), paint, style_.colour);
  }
  void plain(const std::string& text) { out_ += text; }
  void gap() { out_ += '\n'; }
  void grid(const report::Grid& grid) { out_ += grid.text(style_.width, style_.colour); }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  [[nodiscard]] std::string line(std::string_view label, const std::string& text) const {
    return report::wrap(fmt::format("{:<11}", label), text, style_.width);
  }
  report::TableStyle style_;
  std::string out_;
};

std::string_view spoken(model::Answer answer) {
  return answer == model::Answer::undecided ? "open" : name(answer);
}

std::string gain_text(const KernelAdvice& kernel) {
  const std::string gain = range_text(kernel.gain, [](double one) { return times(one); });
  if (kernel.share_stated)
    return fmt::format("perfect, the kernel that takes {} of the step makes it {} as fast",
                       format_percent(kernel.share), gain);
  return fmt::format("with every kernel perfect the step is {} as fast", gain);
}

/// Of text around a table that is as wide as it is.
constexpr std::size_t kReconciledWidth = 100;

/// A gain below that reads 1.00x.
constexpr double kSeen = 1.005;

/// What settings come to in both regimes.
std::string settings_text(const KernelAdvice& kernel) {
  const BestLever& now = kernel.best_fixed;
  const BestLever& larger = kernel.best_capacity;
  const double best = kernel.best().gain;
  if (best < kSeen) {
    // As the rule shows it, which may need digits to tell it from what the kernel gains.
    const std::string most = times(best, digits_beside(kernel.gain, best));
    return most == times(1) ? "no setting gains anything" : "no setting gains more than " + most;
  }
  std::string out;
  if (now.gain >= kSeen)
    out = fmt::format("{} makes it {} at this batch", now.name, times(now.gain));
  if (larger.name.empty() || larger.gain <= now.gain * (1 + kRounding))
    return out + ", without code";
  if (!out.empty()) out += ", ";
  out += fmt::format("{}{} with the {} sequences that then fit, without code",
                     !out.empty() && now.name == larger.name ? "" : larger.name + " ",
                     times(larger.gain), larger.batch);
  return kernel.rests_on_larger_batch
             ? out + " (this rests on there being so many requests: --max-batch states them)"
             : out;
}

/// Both conditions, with digits that show on which side of its limit each figure lies.
std::string rule_text(const KernelAdvice& kernel) {
  const double best = kernel.best().gain;
  const int gain_digits = digits_beside(kernel.gain, best);
  const int part_digits =
      digits_beside({kernel.of_roof.low * 100, kernel.of_roof.high * 100}, kAtRoof * 100);
  return fmt::format(
      "worth it only if the kernel gains more than the best setting does ({} against {}: {}) and "
      "runs below 70 % of its own roof ({} of the {} one: {})",
      range_text(kernel.gain, [&](double one) { return times(one, gain_digits); }),
      times(best, gain_digits), spoken(kernel.judgement.passes_levers),
      range_text(kernel.of_roof, [&](double one) { return format_percent(one, part_digits); }),
      kernel.roof, spoken(kernel.judgement.below_roof));
}

std::string headline(const KernelAdvice& kernel) {
  const std::string both = gain_text(kernel) + ", and " + settings_text(kernel);
  switch (kernel.judgement.justified) {
    case model::Answer::yes:
      return "a custom kernel is justified: " + both;
    case model::Answer::no:
      return "a custom kernel is not justified: " + both;
    case model::Answer::undecided:
      break;
  }
  return "whether a custom kernel is justified is open: " + both + "; " + kernel.reason;
}

void add_verdict(Page& page, const AdviseSheet& sheet) {
  if (!sheet.misfit.empty()) page.head("impossible", sheet.misfit);
  if (sheet.above_ceiling()) {
    page.head(sheet.misfit.empty() ? "impossible" : "",
              fmt::format("the reading is {} of its ceiling, which cannot be",
                          format_percent(sheet.rated().held.of_ceiling)));
  } else if (sheet.kernel) {
    const KernelAdvice& kernel = *sheet.kernel;
    page.head(spoken(kernel.judgement.justified), headline(kernel));
    page.row("rule", rule_text(kernel));
  }
  std::string_view before;
  for (const ImpossibleCause& cause : sheet.causes) {
    const std::string_view label = cause.explains ? "because" : "perhaps";
    page.row(label == before ? "" : label, cause.text, Paint::yellow);
    before = label;
  }
}

std::string sparse_text(const AdviseSheet& sheet) {
  const SparseCheck& check = *sheet.sparse;
  return fmt::format(
      "taken over the sparse peak ({}) it would be {} of the dense one: {}",
      format(check.sparse_peak), format_percent(check.dense_mfu),
      check.refuted ? fmt::format("above the ceiling of {}, so it was not",
                                  format_percent(sheet.rated().mfu_ceiling))
                    : fmt::format("{} of the ceiling, so ask which peak the dashboard has",
                                  format_percent(check.dense_mfu / sheet.rated().mfu_ceiling)));
}

std::string rate_unit(const AdviseSheet& sheet) {
  return sheet.deployment.phase == Phase::decode ? "tokens/s" : "prompt tokens/s";
}

/// What a figure of the dashboard may have been taken of instead.
void add_assumptions(Page& page, const AdviseSheet& sheet) {
  std::string out;
  for (const Assumption& one : assumptions(sheet.deployment))
    out += fmt::format("{}{} {} ({} states it)", out.empty() ? "" : ", ", one.what, one.value,
                       one.option);
  if (!out.empty()) page.row("assumed", out);
}

void add_reading(Page& page, const AdviseSheet& sheet) {
  const ObservedStep& seen = sheet.observed;
  const bool whole = sheet.scope.whole();
  using Stated = model::Reading::Kind;
  std::string out = fmt::format("{} ({})", seen.given.text, seen.given.origin);
  const auto add = [&](Stated kind, const std::string& text) {
    if (kind != seen.given.reading.kind) out += ", " + text;
  };
  add(Stated::step_time, format(seen.time) + (whole ? " a step" : " in " + sheet.scope.operation));
  if (whole) add(Stated::tokens_per_s, format_number(seen.tokens_per_s) + " " + rate_unit(sheet));
  out += ", " + format(seen.rate);
  add(Stated::bandwidth, format(seen.traffic));
  add(Stated::mfu, "MFU " + format_percent(seen.mfu));
  page.row("reading", out);
  if (sheet.sparse) page.row("", sparse_text(sheet));
}

/// With digits that tell it from the 70 % at which it is at its roof.
std::string part_text(double of_ceiling) {
  return format_percent(of_ceiling, report::digits_apart(of_ceiling * 100, kAtRoof * 100));
}

/// Without the keys of the documents that a catalogue has it from.
std::string source_text(const MemoryRoof& roof) {
  const std::string source = printable(roof.source);
  return roof.origin == Origin::datasheet ? source.substr(0, source.find(':')) : source;
}

std::string traffic_text(const model::StepBounds& bounds) {
  if (bounds.traffic == Bytes{}) return "no byte is counted";
  return format(bounds.traffic) + ", " + format(bounds.work / bounds.traffic);
}

/// Of an operation, where other devices or earlier steps do part of the same.
void add_share(Page& page, const AdviseSheet& sheet) {
  const Flops executed = sheet.rated().bounds.work;
  if (sheet.scope.whole() || format(executed) == format(sheet.model_work)) return;
  page.row("counted",
           fmt::format("{} that this device executes in {}, as a profiler counts them; its share "
                       "of the model's, which MFU of a step counts, is {}",
                       format(executed), sheet.scope.operation, format(sheet.model_work)));
}

void add_ceilings(Page& page, const AdviseSheet& sheet) {
  const RoofView& rated = sheet.rated();
  const bool whole = sheet.scope.whole();
  page.row(
      "ceiling",
      fmt::format("{} = {} / ({} x {} {}, {}); {}-bound: {}", format_percent(rated.mfu_ceiling),
                  format(rated.bounds.work), format(rated.bounds.floor()), format(sheet.peak),
                  name(sheet.arithmetic), name(rated.roofs.peak_of(sheet.arithmetic).roof.origin),
                  rated.bounds.memory_bound() ? "memory" : "compute", traffic_text(rated.bounds)));
  report::Grid grid({{"roof", ""},
                     {"bandwidth", "", true},
                     {"floor", "", true},
                     {whole ? rate_unit(sheet) : "", "", true},
                     {"MFU", "", true},
                     {"the reading is", "", true},
                     {"bandwidth from", ""}});
  for (const RoofView& view : sheet.views) {
    grid.add({.cells = {view.label, format(view.values.bandwidth), format(view.bounds.floor()),
                        whole ? format_number(view.tokens_per_s) : "",
                        format_percent(view.mfu_ceiling), part_text(view.held.of_ceiling)},
              .rest = source_text(view.roofs.memory) +
                      (view.above_rating ? ", above the rating: cannot be" : "") +
                      (view.refuted ? ", refuted by the reading" : ""),
              .paint = view.held.above_roof || view.above_rating ? Paint::yellow : Paint::none});
  }
  page.grid(grid);
  add_share(page, sheet);
  page.row("so", sheet.judgement);
}

std::string gain_cell(const Lever& lever, std::optional<LeverYield> LeverForm::*regime) {
  const auto& yield = lever.gain.*regime;
  if (!yield) return "-";
  const bool both = lever.other_head && (*lever.other_head).*regime;
  std::string out =
      times(yield->gain) + (both ? "/" + format_number(((*lever.other_head).*regime)->gain) : "");
  if (yield->late) out = "late " + out;
  return lever.relative_to.empty() ? out : "(" + out + ")";
}

report::Grid::Row lever_row(const Lever& lever, const LeverTable& table) {
  const auto& capacity = lever.gain.capacity;
  report::Grid::Row row;
  row.cells = {lever.name + (lever.assumption.empty() ? "" : " *"),
               gain_cell(lever, &LeverForm::fixed)};
  if (table.allowed) {
    row.cells.insert(row.cells.end(), {gain_cell(lever, &LeverForm::capacity),
                                       capacity ? std::to_string(capacity->batch) : "-",
                                       capacity ? format_number(capacity->tokens_per_s) : "-",
                                       capacity ? format(capacity->time_per_token) : "-"});
  }
  row.rest = lever.brief.empty() ? " " : report::unbroken(lever.brief);
  return row;
}

std::string allowed_text(const LeverTable& table) {
  if (!table.allowed) return "no other batch is judged: " + table.capacity_reason;
  std::string_view by = "there are requests for";
  if (table.allowed->by == model::BatchLimit::memory) by = "memory holds";
  if (table.allowed->by == model::BatchLimit::deadline) by = "the deadline allows";
  return fmt::format("\"that fit\": with the batch beside it, as it is {} {}", by,
                     table.allowed->batch);
}

report::Grid lever_grid(const LeverTable& table) {
  std::vector<report::Grid::Column> columns{{"", ""}, {"this batch", "", true}};
  if (table.allowed)
    columns.insert(
        columns.end(),
        {{"that fit", "", true}, {"batch", "", true}, {"tokens/s", "", true}, {"TPOT", "", true}});
  columns.push_back({"cost", ""});
  return report::Grid(std::move(columns));
}

/// Whether it belongs into the table: what only loses is no lever, nor what gains too late.
bool gains(const Lever& lever) {
  const auto seen = [](const std::optional<LeverYield>& yield) {
    return yield && !yield->late && yield->gain > kSeen;
  };
  return seen(lever.gain.fixed) || seen(lever.gain.capacity);
}

/// Gains at this batch what does not count, since each token comes too late.
bool late_gain(const Lever& lever) {
  const auto& fixed = lever.gain.fixed;
  return fixed && fixed->late && fixed->gain > kSeen;
}

/// Of what gains nothing, how much it loses, where that is to be seen.
std::string loss_text(const Lever& lever) {
  const bool late = late_gain(lever);
  const auto& yield = lever.gain.fixed && !late ? lever.gain.fixed : lever.gain.capacity;
  const std::string loss = yield && yield->gain < 1 / kSeen ? times(yield->gain) : "";
  const std::string both = (late ? "late" : "") + std::string(late && !loss.empty() ? ", " : "");
  return late || !loss.empty() ? fmt::format("{} ({}{})", lever.name, both, loss) : lever.name;
}

bool any_late(const LeverTable& table) {
  return std::any_of(table.levers.begin(), table.levers.end(), [](const Lever& lever) {
    const auto& fixed = lever.gain.fixed;
    return late_gain(lever) || (gains(lever) && fixed && fixed->late);
  });
}

/// What the star beside a name stands for.
std::string condition_text(const Lever& lever) {
  std::string out = "* " + lever.name + ": " + lever.assumption;
  if (!lever.relative_to.empty())
    out += "; its gain, in parentheses, is over " + lever.relative_to + ", and in no order";
  return out;
}

/// Names by their gain with the batch that fits, the highest first.
std::string order_at_capacity(const LeverTable& table) {
  std::string out;
  for (const Lever* lever : ranked(table, &LeverForm::capacity))
    if (gains(*lever)) out += (out.empty() ? "" : ", ") + report::unbroken(lever->name);
  return out;
}

void add_lever_notes(Page& page, const LeverTable& table, const std::optional<Seconds>& deadline) {
  const bool heads = std::any_of(table.levers.begin(), table.levers.end(), [](const Lever& lever) {
    return lever.other_head && gains(lever);
  });
  if (any_late(table))
    page.row("late", "at this batch a token takes longer than the " + format(*deadline) +
                         " that --tpot allows: no gain that counts");
  if (table.allowed) page.row("order", "with the batch that fits: " + order_at_capacity(table));
  if (heads)
    page.row("a/b", table.head_quantised ? "the vocabulary head quantised, too / left in 16 bits"
                                         : "the vocabulary head left in 16 bits / quantised, too");
  std::string none;
  std::string open;
  for (const Lever& lever : table.levers) {
    const bool judged = lever.gain.fixed || lever.gain.capacity;
    if (judged && !gains(lever))
      none += (none.empty() ? "" : ", ") + report::unbroken(loss_text(lever));
    if (gains(lever) && !lever.assumption.empty()) page.row("", condition_text(lever));
    if (!judged)
      open += fmt::format("{}{} ({})", open.empty() ? "" : ", ", lever.name,
                          lever.brief.empty() ? lever.unavailable : lever.brief);
  }
  if (!none.empty()) page.row("no gain", none);
  if (!open.empty()) page.row("not judged", open);
}

void add_levers(Page& page, const AdviseSheet& sheet) {
  const LeverTable& table = *sheet.levers;
  page.row("levers",
           fmt::format("\"this batch\": {} over the {} of the {} floor, bound over bound; {}",
                       rate_unit(sheet), format_number(table.base.tokens_per_s),
                       sheet.rated().label, allowed_text(table)));
  report::Grid grid = lever_grid(table);
  for (const Lever& lever : table.levers)
    if (gains(lever)) grid.add(lever_row(lever, table));
  page.grid(grid);
  add_lever_notes(page, table, sheet.deployment.deadline);
}

}  // namespace

std::string advice_page(const AdviseSheet& sheet, const report::TableStyle& style) {
  Page page(style);
  page.plain(heading(sheet.deployment));
  page.plain(conventions_lines(sheet.deployment, style.width));
  page.gap();
  add_verdict(page, sheet);
  add_assumptions(page, sheet);
  add_reading(page, sheet);
  add_ceilings(page, sheet);
  if (sheet.levers && !sheet.impossible()) {
    page.gap();
    add_levers(page, sheet);
  }
  for (const std::string& note : sheet.notes) page.row("note", note);
  if (sheet.deployment.plan.tensor_parallel > 1)
    page.row("left out", "collectives between the devices");
  return std::move(page).text();
}

std::string reconciled_page(const AdviseSheet& sheet) {
  const ObservedStep& seen = sheet.observed;
  // An MFU is another time under each convention; any other reading is one time, and another MFU.
  const bool by_mfu = seen.given.reading.kind == model::Reading::Kind::mfu;
  std::string out = heading(sheet.deployment);
  out += fmt::format("{} ({}) under every convention and account\n\n", seen.given.text,
                     seen.given.origin);
  if (!sheet.misfit.empty())
    out += report::wrap("impossible ", sheet.misfit, kReconciledWidth) + '\n';
  std::vector<report::Grid::Column> columns{{"FLOP", ""},
                                            {"bytes", ""},
                                            {"work", "", true},
                                            {"traffic", "", true},
                                            {by_mfu ? "a step" : "MFU", "", true}};
  for (const RoofView& view : sheet.views) {
    columns.push_back({view.label, "ceiling", true});
    columns.push_back({"", "reading", true});
  }
  report::Grid grid(std::move(columns));
  for (const ReconciledRow& row : reconcile(sheet)) {
    std::vector<std::string> cells{row.convention, row.account, format(row.work),
                                   format(row.traffic),
                                   by_mfu ? format(row.observed) : format_percent(row.mfu)};
    for (const ReconciledRow::View& view : row.views) {
      cells.push_back(format_percent(view.mfu_ceiling));
      cells.push_back(format_percent(view.of_ceiling));
    }
    grid.add({.mark = row.own ? "*" : "", .cells = std::move(cells)});
  }
  return out + grid.text(grid.width(), false) +
         "   *: as it is asked for; the reading is its part of that ceiling\n";
}

}  // namespace roofline::cli
