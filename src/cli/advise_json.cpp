#include "cli/advise_text.hpp"
#include "cli/step_sheet.hpp"
#include "report/json_null.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

using nlohmann::ordered_json;

/// Tokens that sequences are given as they decode, or those of prompts that pass: never both.
void put_rate(ordered_json& out, Phase phase, std::optional<double> rate) {
  const bool decoded = phase == Phase::decode;
  out["tokens_per_s"] = report::or_null(decoded ? rate : std::nullopt);
  out["prompt_tokens_per_s"] = report::or_null(decoded ? std::nullopt : rate);
}

ordered_json yield_json(const std::optional<LeverYield>& yield, Phase phase) {
  if (!yield) return nullptr;
  ordered_json out;
  out["batch"] = yield->batch;
  out["time_per_token_s"] = in_second(yield->time_per_token);
  put_rate(out, phase, yield->tokens_per_s);
  out["mfu_ceiling"] = yield->mfu_ceiling;
  out["later_than_deadline"] = yield->late;
  return out;
}

ordered_json gain_json(const std::optional<LeverYield>& yield) {
  return yield ? ordered_json(yield->gain) : ordered_json(nullptr);
}

ordered_json lever_json(const Lever& lever, const LeverTable& table, Phase phase) {
  ordered_json out;
  out["name"] = lever.name;
  out["group"] = name(lever.group);
  out["on_this_device"] = lever.on_device;
  out["counts_against_a_kernel"] = lever.counted;
  out["gain_fixed_batch"] = gain_json(lever.gain.fixed);
  out["gain_capacity"] = gain_json(lever.gain.capacity);
  out["fixed_batch"] = yield_json(lever.gain.fixed, phase);
  out["capacity"] = yield_json(lever.gain.capacity, phase);
  if (lever.other_head)
    out[table.head_quantised ? "with_16_bit_head" : "with_quantised_head"] = {
        {"gain_fixed_batch", gain_json(lever.other_head->fixed)},
        {"gain_capacity", gain_json(lever.other_head->capacity)},
        {"fixed_batch", yield_json(lever.other_head->fixed, phase)},
        {"capacity", yield_json(lever.other_head->capacity, phase)}};
  out["cost"] = lever.cost;
  out["needs"] = report::text_or_null(lever.needs);
  out["assumption"] = report::text_or_null(lever.assumption);
  out["relative_to"] = lever.relative_to.empty() ? "the step as it is" : lever.relative_to;
  const bool partly = !lever.gain.fixed || !lever.gain.capacity;
  if (!partly) return out;
  std::string reason = lever.unavailable;
  if (reason.empty() && !lever.gain.fixed) reason = "it changes the batch, which is fixed here";
  if (reason.empty())
    reason = table.allowed ? "not one sequence is allowed then" : table.capacity_reason;
  out["reason"] = report::text_or_null(reason);
  return out;
}

ordered_json ranking_json(const LeverTable& table, std::optional<LeverYield> LeverForm::*regime) {
  ordered_json out = ordered_json::array();
  for (const Lever* lever : ranked(table, regime)) out.push_back(lever->name);
  return out;
}

/// An operation has no tokens of its own.
std::optional<double> of_step(const AdviseSheet& sheet, double rate) {
  return sheet.scope.whole() ? std::optional(rate) : std::nullopt;
}

ordered_json view_json(const RoofView& view, const AdviseSheet& sheet) {
  ordered_json out;
  out["name"] = view.label;
  out["bandwidth_byte_per_s"] = number_json(in_byte_per_s(view.values.bandwidth));
  out["bandwidth_origin"] = name(view.roofs.memory.origin);
  out["bandwidth_source"] = printable(view.roofs.memory.source);
  out["bandwidth_above_rating"] = view.above_rating;
  out["refuted_by_reading"] = view.refuted;
  out["floor_s"] = in_second(view.bounds.floor());
  out["bound"] = view.bounds.memory_bound() ? "memory" : "compute";
  put_rate(out, sheet.deployment.phase, of_step(sheet, view.tokens_per_s));
  out["mfu_ceiling"] = view.mfu_ceiling;
  out["of_ceiling"] = view.held.of_ceiling;
  out["above_roof"] = view.held.above_roof;
  out["impossible"] = view.held.impossible;
  return out;
}

ordered_json peak_json(const AdviseSheet& sheet) {
  const TypedPeak& peak = sheet.rated().roofs.peak_of(sheet.arithmetic);
  return {{"flop_per_s", number_json(in_flop_per_s(sheet.peak))},
          {"dtype", name(sheet.arithmetic)},
          {"sparsity", name(peak.roof.sparsity)},
          {"origin", name(peak.roof.origin)},
          {"source", printable(peak.roof.source)}};
}

ordered_json reading_json(const AdviseSheet& sheet) {
  const ObservedStep& seen = sheet.observed;
  ordered_json out;
  out["kind"] = name(seen.given.reading.kind);
  out["origin"] = seen.given.origin;
  out["step_s"] = sheet.scope.whole() ? ordered_json(in_second(seen.time)) : nullptr;
  out["scope_s"] = in_second(seen.time);
  put_rate(out, sheet.deployment.phase, of_step(sheet, seen.tokens_per_s));
  out["mfu"] = seen.mfu;
  out["achieved_flop_per_s"] = in_flop_per_s(seen.rate);
  out["peak"] = peak_json(sheet);
  out["traffic_byte_per_s"] = in_byte_per_s(seen.traffic);
  out["over_sparse_peak"] = nullptr;
  if (sheet.sparse)
    out["over_sparse_peak"] = {
        {"sparse_peak_flop_per_s", number_json(in_flop_per_s(sheet.sparse->sparse_peak))},
        {"mfu_of_dense_peak", sheet.sparse->dense_mfu},
        {"refuted", sheet.sparse->refuted}};
  out["judgement"] = sheet.judgement;
  return out;
}

ordered_json best_json(const BestLever& best) {
  if (best.name.empty()) return nullptr;
  return {{"name", best.name}, {"gain", best.gain}, {"batch", best.batch}};
}

ordered_json kernel_json(const KernelAdvice& kernel) {
  ordered_json out;
  out["share"] = kernel.share;
  out["share_origin"] = kernel.share_stated ? "--kernel-share" : "the whole step";
  out["of_roof"] = {{"low", kernel.of_roof.low}, {"high", kernel.of_roof.high}};
  out["of_roof_origin"] = kernel.of_roof_stated ? "user" : "as near as the step";
  out["roof"] = kernel.roof;
  out["gain"] = {{"low", kernel.gain.low}, {"high", kernel.gain.high}};
  out["best_lever_gain"] = kernel.best().gain;
  out["best_lever_fixed_batch"] = best_json(kernel.best_fixed);
  out["best_lever_capacity"] = best_json(kernel.best_capacity);
  out["gain_passes_best_lever"] = name(kernel.judgement.passes_levers);
  out["rests_on_larger_batch"] = kernel.rests_on_larger_batch;
  out["below_70_percent_of_its_roof"] = name(kernel.judgement.below_roof);
  return out;
}

ordered_json justified_json(const std::optional<KernelAdvice>& kernel) {
  if (!kernel || kernel->judgement.justified == model::Answer::undecided) return nullptr;
  return kernel->judgement.justified == model::Answer::yes;
}

ordered_json capacity_json(const LeverTable& table) {
  if (!table.allowed) return nullptr;
  return {{"batch", table.allowed->batch}, {"limit", name(table.allowed->by)}};
}

void add_levers(ordered_json& out, const AdviseSheet& sheet) {
  out["base"] = nullptr;
  out["allowed_batch"] = nullptr;
  out["levers"] = ordered_json::array();
  out["ranking"] = nullptr;
  if (!sheet.levers) {
    out["levers_reason"] = sheet.levers_reason;
    return;
  }
  const LeverTable& table = *sheet.levers;
  ordered_json& base = out["base"] = {{"batch", table.base.batch},
                                      {"time_per_token_s", in_second(table.base.time_per_token)}};
  put_rate(base, sheet.deployment.phase, table.base.tokens_per_s);
  base["roof"] = sheet.rated().label;
  out["allowed_batch"] = capacity_json(table);
  if (!table.allowed) out["allowed_batch_reason"] = table.capacity_reason;
  for (const Lever& lever : table.levers)
    out["levers"].push_back(lever_json(lever, table, sheet.deployment.phase));
  out["ranking"] = {{"fixed_batch", ranking_json(table, &LeverForm::fixed)},
                    {"capacity", ranking_json(table, &LeverForm::capacity)}};
}

}  // namespace

ordered_json advice_json(const AdviseSheet& sheet) {
  const Deployment& d = sheet.deployment;
  const RoofView& rated = sheet.rated();
  ordered_json out;
  out["model"] = printable(d.name);
  out["device"] = {{"id", printable(rated.roofs.device_id)},
                   {"name", printable(rated.roofs.device_name)}};
  out["phase"] = name(d.phase);
  add_asked_json(out, d);
  out["tensor_parallel"] = d.plan.tensor_parallel;
  out["scope"] = sheet.scope.whole() ? "step" : sheet.scope.operation;
  out["convention"] = model::text_of(d.plan.counting);
  out["account"] = name(d.plan.account);
  out["stands_on"] = conventions_text(d);
  out["work_flop"] = number_json(in_flop(rated.bounds.work));
  out["model_work_flop"] = number_json(in_flop(sheet.model_work));
  out["traffic_byte"] = number_json(in_byte(rated.bounds.traffic));
  out["reading"] = reading_json(sheet);
  out["mfu_ceiling"] = rated.mfu_ceiling;
  out["of_ceiling"] = rated.held.of_ceiling;
  out["impossible"] = sheet.impossible();
  out["fits"] = sheet.misfit.empty() && d.memory ? ordered_json(true)
                : d.memory                       ? ordered_json(false)
                                                 : ordered_json(nullptr);
  if (out["fits"] != true) out["fits_reason"] = d.memory ? sheet.misfit : d.memory_reason;
  out["causes"] = ordered_json::array();
  for (const ImpossibleCause& cause : sheet.causes)
    out["causes"].push_back({{"id", cause.id}, {"text", cause.text}, {"explains", cause.explains}});
  out["roofs"] = ordered_json::array();
  for (const RoofView& view : sheet.views) out["roofs"].push_back(view_json(view, sheet));
  out["kernel_justified"] = justified_json(sheet.kernel);
  out["max_kernel_gain"] = sheet.kernel ? ordered_json(sheet.kernel->gain.high) : nullptr;
  const std::string& reason = sheet.kernel ? sheet.kernel->reason : sheet.kernel_reason;
  if (!reason.empty()) out["kernel_reason"] = reason;
  out["kernel"] = sheet.kernel ? kernel_json(*sheet.kernel) : ordered_json(nullptr);
  add_levers(out, sheet);
  out["left_out"] = ordered_json::array();
  if (d.plan.tensor_parallel > 1) out["left_out"].push_back("collectives between the devices");
  out["notes"] = sheet.notes;
  return out;
}

ordered_json reconciled_json(const AdviseSheet& sheet) {
  ordered_json out = ordered_json::array();
  for (const ReconciledRow& row : reconcile(sheet)) {
    ordered_json entry;
    entry["convention"] = row.convention;
    entry["account"] = row.account;
    entry["own"] = row.own;
    entry["work_flop"] = number_json(in_flop(row.work));
    entry["traffic_byte"] = number_json(in_byte(row.traffic));
    entry["step_s"] = in_second(row.observed);
    entry["mfu"] = row.mfu;
    entry["roofs"] = ordered_json::array();
    for (const ReconciledRow::View& view : row.views)
      entry["roofs"].push_back({{"name", view.label},
                                {"mfu_ceiling", view.mfu_ceiling},
                                {"of_ceiling", view.of_ceiling}});
    out.push_back(std::move(entry));
  }
  return out;
}

}  // namespace roofline::cli
