#include "cli/advise_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/model_file.hpp"
#include "machine/roofs.hpp"
#include "model/config_reader.hpp"
#include "report/format.hpp"
#include "roofline/error.hpp"
#include "roofline/placement.hpp"

namespace roofline::cli {
namespace {

using report::format_number;
using report::format_percent;

/// A compute-bound step that reaches so much of the peak is a good one: the average is of
/// attention, norms, sampling and gaps, too.
constexpr double kGoodEndToEnd = 0.40;

Deployment deployment_of(const AdviseOptions& o) {
  DeploymentOptions step = o.step;
  if (!o.latency_budget.empty()) {
    if (!step.deadline.empty())
      throw InputError("--latency-budget and --tpot are the same; give one");
    step.deadline = o.latency_budget;
  }
  const ModelFile file = find_model(o.model, o.config_dir);
  Deployment out =
      make_deployment(step, file.name, model::read_config(file.text, file.file), o.config_dir);
  if (!out.roofs && !out.measured)
    throw InputError(
        "no roof is given; add --device ID (see roofline devices), or --peak-flops and "
        "--bandwidth");
  return out;
}

std::string label_of(const DeploymentRoofs& roofs, bool beside_rated) {
  switch (roofs.memory.origin) {
    case Origin::measured:
      return "measured";
    case Origin::user:
      return beside_rated ? "sustained" : "given";
    case Origin::datasheet:
    case Origin::derived:
    case Origin::clock_adjusted:
      break;
  }
  return std::string(name(roofs.memory.origin));
}

class Maker {
 public:
  explicit Maker(const AdviseOptions& options) : o_(options), kernel_(kernel_options(options)) {
    // A reading that is refused is refused before a model is read.
    static_cast<void>(given_reading(o_, 1));
    out_.deployment = deployment_of(o_);
    out_.observed.given = given_reading(o_, out_.deployment.plan.tensor_parallel);
  }

  AdviseSheet make() {
    choose_views();
    check_bandwidths();
    read();
    for (RoofView& view : out_.views) hold(view);
    tell_refuted();
    check_memory();
    name_causes();
    check_sparse();
    describe();
    find_levers();
    judge_kernel();
    check_deadline();
    return std::move(out_);
  }

 private:
  [[nodiscard]] const Deployment& d() const { return out_.deployment; }

  void add_view(const DeploymentRoofs& roofs) {
    RoofView view;
    view.label = label_of(roofs, !out_.views.empty());
    view.roofs = roofs;
    view.values = roofs.values;
    // MFU has one denominator, whatever the memory sustains.
    if (!out_.views.empty()) view.values.peaks = out_.views.front().values.peaks;
    out_.views.push_back(std::move(view));
  }

  /// The rated roofs first, then what was sustained beside them.
  void choose_views() {
    const RoofOptions& roofs = o_.step.roofs;
    if (!roofs.device.empty() && !roofs.bandwidth.empty()) {
      try {
        add_view(choose_deployment_roofs(rated_roof_options(roofs), d().types, o_.config_dir));
      } catch (const NotAvailable& error) {
        out_.notes.push_back(std::string("there is no rated roof: ") + error.what());
      }
    }
    if (d().roofs) add_view(*d().roofs);
    if (d().measured) add_view(*d().measured);
  }

  /// What is above the rating of the device's memory is no roof of it.
  void check_bandwidths() {
    const MemoryRoof& rated = out_.rated().roofs.memory;
    if (rated.origin != Origin::datasheet) return;
    for (RoofView& view : out_.views) {
      const auto doubt =
          machine::check_sustained_bandwidth(rated.bandwidth, view.roofs.memory.bandwidth);
      if (!doubt) continue;
      view.above_rating = true;
      out_.notes.push_back("the " + view.label + " bandwidth cannot be: " + doubt->text);
    }
  }

  void read() {
    const model::StepPlan plan(d().model, d().types, d().plan);
    const model::Step step = step_of(d(), d().batch, d().context);
    out_.scope = scope_option(o_.scope, plan, step);
    out_.arithmetic = arithmetic_of(out_.scope, plan);
    out_.peak = out_.rated().values.peaks.of(out_.arithmetic);
    for (RoofView& view : out_.views) view.bounds = bounds_of(out_.scope, plan, step, view.values);
    const model::StepBounds& bounds = out_.rated().bounds;
    out_.model_work = out_.scope.whole() ? bounds.work : model_share_of(out_.scope, plan, step);
    ObservedStep& seen = out_.observed;
    if (seen.given.reading.kind == model::Reading::Kind::bandwidth && bounds.traffic == Bytes{})
      throw InputError("--bandwidth-used: " + o_.scope +
                       " moves no byte that the account counts; give another reading");
    out_.tokens = tokens_of_rate(d().phase, step);
    seen.time = model::observed_time(seen.given.reading,
                                     {bounds.work, bounds.traffic, out_.tokens, out_.peak});
    seen.tokens_per_s = out_.tokens / in_second(seen.time);
    seen.rate = bounds.work / seen.time;
    seen.mfu = seen.rate / out_.peak;
    seen.traffic = bounds.traffic / seen.time;
  }

  void hold(RoofView& view) const {
    const Seconds floor = view.bounds.floor();
    view.mfu_ceiling = model::mfu_ceiling(view.bounds, out_.peak);
    view.tokens_per_s = out_.tokens / in_second(floor);
    const bool measured = view.roofs.memory.origin == Origin::measured;
    view.held =
        model::hold(out_.observed.time, floor, measured ? kImpossibleOverMeasured : kImpossible);
    // What only passes a sustained roof is above it, and can be: the rated one is the limit.
    if (&view == &out_.views.front()) return;
    view.refuted = view.held.impossible && !out_.rated().held.impossible;
    view.held.impossible = view.held.impossible && out_.rated().held.impossible;
  }

  void tell_refuted() {
    for (const RoofView& view : out_.views) {
      if (!view.refuted) continue;
      out_.refuted.push_back(fmt::format(
          "the reading moves {}, {} of what the {} bandwidth of {} would allow: the memory "
          "sustains more than that, and nothing is judged by it",
          report::format(out_.observed.traffic), format_percent(view.held.of_ceiling), view.label,
          report::format(view.values.bandwidth)));
    }
    out_.notes.insert(out_.notes.end(), out_.refuted.begin(), out_.refuted.end());
  }

  void check_memory() {
    const auto fits =
        batch_capacity(d(), model::StepPlan(d().model, d().types, d().plan), d().context);
    if (!fits || *fits >= d().batch) return;
    const model::MemoryBudget& budget = *d().memory;
    const std::string batch = d().batch == 1
                                  ? "not one sequence fits"
                                  : fmt::format("of the {} sequences {} fit", d().batch, *fits);
    out_.misfit = fmt::format(
        "does not fit: {} into {} of {} ({}) less {}, beside the weights, so that no figure is of "
        "such a step",
        batch, format_percent(budget.usable),
        report::format_capacity(static_cast<std::uint64_t>(in_byte(budget.memory))),
        d().memory_source, report::format(budget.reserve));
  }

  /// The device's own dense peak beside one that is stated or sparse.
  [[nodiscard]] std::optional<Performance> rated_peak() const {
    if (o_.step.roofs.device.empty()) return std::nullopt;
    RoofOptions options;
    options.device = o_.step.roofs.device;
    try {
      const DeploymentRoofs roofs = choose_deployment_roofs(options, d().types, o_.config_dir);
      const Performance rated = roofs.values.peaks.of(out_.arithmetic);
      return rated == out_.peak ? std::nullopt : std::optional(rated);
    } catch (const NotAvailable&) {
      return std::nullopt;
    }
  }

  void name_causes() {
    const RoofView& view = out_.rated();
    if (!out_.above_ceiling()) return;
    out_.causes =
        impossible_causes({o_.step, o_.config_dir, out_.observed.given, !o_.devices.empty(),
                           out_.scope, view.held.of_ceiling, rated_peak()},
                          d(), view.roofs);
  }

  void check_sparse() {
    const auto sparse = out_.rated().roofs.peak_of(out_.arithmetic).context.sparse_peak;
    if (out_.observed.given.reading.kind != model::Reading::Kind::mfu || !sparse) return;
    SparseCheck check{*sparse, out_.observed.given.reading.value * (*sparse / out_.peak), false};
    check.refuted = check.dense_mfu > kImpossible * out_.rated().mfu_ceiling;
    out_.sparse = check;
  }

  /// What the reading is by itself, with its scope: 40 % of a step is good, 40 % of one large
  /// product a fault.
  void describe() {
    const RoofView& view = out_.lowest();
    const double part = view.held.of_ceiling;
    const bool whole = out_.scope.whole();
    if (!out_.misfit.empty()) {
      out_.judgement =
          "state what ran (--batch, --context, --weights, --kv, --shared-prefix, "
          "--tensor-parallel) or what the engine may take (--memory, --usable, --reserve)";
    } else if (out_.impossible()) {
      out_.judgement = "the reading cannot be: mend it before anything else";
    } else if (model::at_roof(part)) {
      out_.judgement =
          fmt::format("at the {} roof: what remains is to change what {} does, not how", view.label,
                      whole ? "the step" : "the operation");
    } else if (!whole) {
      out_.judgement = fmt::format(
          "{} of its own roof is an execution fault of one operation, and a profiler's question",
          format_percent(part, report::digits_apart(part * 100, kAtRoof * 100)));
    } else if (!view.bounds.memory_bound() && out_.observed.mfu >= kGoodEndToEnd) {
      out_.judgement =
          "good end to end, where attention, norms, sampling and gaps are part of the average; of "
          "one large product the same figure would be a fault (--scope names one)";
    } else {
      out_.judgement = fmt::format("below {} of the {} roof: there is something to find in the {}",
                                   format_percent(kAtRoof), view.label, "execution");
    }
  }

  void find_levers() {
    if (!out_.scope.whole()) {
      out_.levers_reason = "the reading is of one operation, and levers change the step";
    } else if (!out_.misfit.empty()) {
      out_.levers_reason = out_.misfit;
    } else {
      out_.levers = make_levers(o_, d(), out_.rated().roofs, out_.observed.time);
    }
  }

  /// No kernel passes the floor, so that none keeps a deadline that lies below it.
  void check_deadline() {
    if (!out_.levers || !d().deadline) return;
    const Seconds floor = out_.levers->base.time_per_token;
    if (floor > *d().deadline)
      out_.notes.push_back(
          fmt::format("no kernel keeps the {} of --tpot at this batch: the floor of its step is {}",
                      report::format(*d().deadline), report::format(floor)));
  }

  void judge_kernel() {
    if (!out_.scope.whole()) {
      out_.kernel_reason = "the reading is of one operation: its share of the step is not known";
      return;
    }
    if (!out_.misfit.empty()) {
      out_.kernel_reason = out_.misfit;
      return;
    }
    if (out_.impossible()) {
      out_.kernel_reason = "the reading cannot be; nothing is to be judged by it";
      return;
    }
    KernelAdvice advice;
    advice.share_stated = kernel_.share.has_value();
    advice.share = kernel_.share.value_or(1);
    take_of_roof(advice);
    find_best_levers(advice);
    advice.judgement = model::judge_kernel(advice.gain, advice.of_roof, advice.best().gain);
    const model::Answer at_this_batch =
        model::judge_kernel(advice.gain, advice.of_roof, advice.best_fixed.gain).justified;
    advice.rests_on_larger_batch = o_.max_batch.empty() && advice.best_capacity.batch > d().batch &&
                                   at_this_batch > advice.judgement.justified;
    qualify(advice);
    out_.kernel = std::move(advice);
  }

  /// How near its roof it is, is asked of the lowest roof that is known; what it can gain, of the
  /// rated one, which nothing passes.
  void take_of_roof(KernelAdvice& advice) {
    const RoofView& lowest = out_.lowest();
    advice.of_roof_stated = kernel_.of_roof || kernel_.byte_per_s;
    advice.roof = lowest.label;
    if (kernel_.of_roof) advice.of_roof = *kernel_.of_roof;
    if (kernel_.byte_per_s && !out_.rated().bounds.memory_bound())
      throw InputError(
          "--kernel-bandwidth says how near its roof a kernel is that memory bounds; this step is "
          "bound by arithmetic: --kernel-of-roof states it");
    if (kernel_.byte_per_s) {
      const double roof = in_byte_per_s(lowest.values.bandwidth);
      advice.of_roof = {kernel_.byte_per_s->low / roof, kernel_.byte_per_s->high / roof};
      if (advice.of_roof.high > kImpossible)
        throw InputError("--kernel-bandwidth is above the " + lowest.label + " bandwidth of " +
                         report::format(lowest.values.bandwidth));
    }
    // No kernel makes a step faster than its floor.
    const double most = std::max(1.0, 1 / out_.rated().held.of_ceiling);
    if (advice.of_roof_stated) {
      const model::Range alone = model::kernel_gain(advice.share, advice.of_roof);
      advice.gain = {std::min(alone.low, most), std::min(alone.high, most)};
      if (alone.high > most)
        out_.notes.push_back(
            fmt::format("by its share and its roof alone it would gain {}x, more than the {}x down "
                        "to the floor "
                        "of the step: one of the figures is not of this step",
                        format_number(alone.high), format_number(most)));
      return;
    }
    advice.of_roof = {lowest.held.of_ceiling, lowest.held.of_ceiling};
    advice.gain = {most, most};
    // Where the gap lies is not known: in the kernel, or beside it.
    if (advice.share_stated)
      advice.gain = {1, advice.share < 1 ? std::min(1 / (1 - advice.share), most) : most};
  }

  void find_best_levers(KernelAdvice& advice) const {
    const auto consider = [](BestLever& best, const Lever& lever,
                             const std::optional<LeverYield>& yield) {
      if (yield && !yield->late && yield->gain > best.gain)
        best = {lever.name, yield->gain, yield->batch};
    };
    for (const Lever& lever : out_.levers->levers) {
      if (!lever.counted) continue;
      consider(advice.best_fixed, lever, lever.gain.fixed);
      consider(advice.best_capacity, lever, lever.gain.capacity);
    }
  }

  /// A bound on all kernels at once may refute a project, never justify one.
  void qualify(KernelAdvice& advice) const {
    model::KernelJudgement& found = advice.judgement;
    if (found.justified == model::Answer::undecided && !advice.of_roof_stated) {
      advice.reason =
          "how near its own roof the kernel is, is not known: --kernel-of-roof states it";
    } else if (found.justified == model::Answer::undecided) {
      advice.reason = found.passes_levers == model::Answer::undecided
                          ? "the range of --kernel-of-roof lies on both sides of the best lever"
                          : fmt::format("the range of --kernel-of-roof lies on both sides of {}",
                                        format_percent(kAtRoof));
    }
    if (found.justified != model::Answer::yes || advice.share_stated) return;
    found.justified = model::Answer::undecided;
    advice.reason =
        "the bound is for all kernels together; --kernel-share and --kernel-of-roof say what one "
        "of them can gain";
  }

  const AdviseOptions& o_;
  KernelOptions kernel_;
  AdviseSheet out_;
};

}  // namespace

const RoofView& AdviseSheet::lowest() const {
  return *std::max_element(views.begin(), views.end(), [](const RoofView& a, const RoofView& b) {
    if (a.refuted != b.refuted) return a.refuted;
    return a.bounds.floor() < b.bounds.floor();
  });
}

AdviseSheet make_advice(const AdviseOptions& options) { return Maker(options).make(); }

std::vector<ReconciledRow> reconcile(const AdviseSheet& sheet) {
  const Deployment& d = sheet.deployment;
  using model::WorkConvention;
  std::vector<model::WorkCounting> countings{
      {.convention = WorkConvention::exact},
      {.convention = WorkConvention::exact, .attended = model::Pairs::full},
      {.convention = WorkConvention::exact, .attention = false},
      {.convention = WorkConvention::two_n},
      {.convention = WorkConvention::palm}};
  if (std::find(countings.begin(), countings.end(), d.plan.counting) == countings.end())
    countings.insert(countings.begin(), d.plan.counting);
  std::vector<ReconciledRow> out;
  const model::Step step = step_of(d, d.batch, d.context);
  for (const model::WorkCounting& counting : countings) {
    for (const auto account : {model::TrafficAccount::minimal, model::TrafficAccount::full,
                               model::TrafficAccount::all_weights}) {
      model::PlanOptions options = d.plan;
      options.counting = counting;
      options.account = account;
      const model::StepPlan plan(d.model, d.types, options);
      ReconciledRow row;
      row.convention = model::text_of(counting);
      row.account = name(account);
      row.own = counting == d.plan.counting && account == d.plan.account;
      for (const RoofView& view : sheet.views) {
        const model::StepBounds bounds = model::bound(plan, step, view.values);
        row.work = bounds.work;
        row.traffic = bounds.traffic;
        row.observed = model::observed_time(
            sheet.observed.given.reading, {bounds.work, bounds.traffic, sheet.tokens, sheet.peak});
        row.mfu = bounds.work / (sheet.peak * row.observed);
        row.views.push_back(
            {view.label, model::mfu_ceiling(bounds, sheet.peak), bounds.floor() / row.observed});
      }
      out.push_back(std::move(row));
    }
  }
  return out;
}

}  // namespace roofline::cli
