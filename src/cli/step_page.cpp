#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "cli/step_sheet.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

using report::format;
using report::format_number;
using report::format_percent;

std::string line(std::string_view label, const std::string& text) {
  return report::wrap(fmt::format("{:<13}", label), text, kPageWidth);
}

std::string plural(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", report::format_exact(count), count == 1 ? one : many);
}

std::string tokens_text(std::uint64_t tokens) { return plural(tokens, "token", "tokens"); }

/// Of a first chunk nothing went before.
std::string cached_text(const Deployment& d) {
  if (d.context == 0) return "nothing cached";
  return tokens_text(d.context) + " cached" + (d.batch == 1 ? "" : " each");
}

std::string asked_text(const Deployment& d) {
  std::string out;
  switch (d.phase) {
    case Phase::decode:
      out = fmt::format("decode, batch {}, {}", d.batch, cached_text(d));
      break;
    case Phase::prefill:
      out = fmt::format("prefill, {} of {}", plural(d.batch, "prompt", "prompts"),
                        tokens_text(d.context));
      break;
    case Phase::chunk:
      out = fmt::format("last chunk of {} of {}, {}", tokens_text(d.tokens),
                        plural(d.batch, "prompt", "prompts"), cached_text(d));
      break;
  }
  return out + beside_text(d, std::min(d.shared_prefix, d.context));
}

/// Products that are computed in another type than the step's, since their weights are wider.
std::string wider_products(const Deployment& d) {
  if (storage_bits(d.types.linear) >= 16) return "";
  const model::StepPlan plan(d.model, d.types, d.plan);
  std::vector<std::string_view> names;
  for (const model::Operation& one : plan.operations()) {
    const bool named = std::find(names.begin(), names.end(), one.name) != names.end();
    if (one.d_out > 0 && one.arithmetic != d.types.linear && !named) names.push_back(one.name);
  }
  if (names.empty()) return "";
  return fmt::format(" ({} in {})", fmt::join(names, ", "), name(d.types.activation));
}

std::string operation_text(const model::Operation& operation) {
  std::string out(operation.name);
  if (operation.attention && operation.attention->span.reach != model::Reach::full)
    out += fmt::format(" ({})", operation.attention->span.tokens);
  return out;
}

std::string table(const StepFigures& f) {
  std::vector<report::Grid::Column> columns{
      {"operation", ""},  {"outputs x inputs", ""}, {"x", "", true},        {"rows", "", true},
      {"work", "", true}, {"traffic", "", true},    {"FLOP/byte", "", true}};
  if (f.timed()) {
    columns.push_back({"rows to ridge", "", true});
    columns.push_back({"floor", "", true});
    columns.push_back({"bound", ""});
  }
  report::Grid grid(std::move(columns));
  for (const OperationFigures& one : f.operations) {
    const model::Operation& operation = *one.bound.operation;
    const Flops work = one.bound.cost.work + one.bound.cost.repeated;
    if (!(work > Flops{}) && !(one.bound.traffic > Bytes{})) continue;
    const bool product = operation.d_out > 0;
    std::vector<std::string> cells{
        operation_text(operation),
        product ? fmt::format("{} x {}", operation.d_out, operation.d_in) : "",
        format_number(operation.launches),
        product ? format_number(one.rows) : "",
        work > Flops{} ? format(work) : "-",
        one.bound.traffic > Bytes{} ? format(one.bound.traffic) : "-",
        one.bound.traffic > Bytes{} ? format_number(work / one.bound.traffic / flop_per_byte(1))
                                    : "-"};
    if (f.timed()) {
      cells.push_back(product && one.rows_to_ridge ? format_number(*one.rows_to_ridge)
                      : product                    ? "never"
                                                   : "");
      cells.push_back(format(one.bound.time()));
      cells.emplace_back(one.bound.memory_bound() ? "memory" : "compute");
    }
    grid.add({.cells = std::move(cells)});
  }
  return grid.text(std::max(grid.width(), kPageWidth), false);
}

std::string shares(const StepFigures& f) {
  std::vector<std::pair<double, std::string>> parts;
  for (const model::StepClass kind : model::step_classes()) {
    const double share = f.by_class.traffic[static_cast<std::size_t>(kind)] / f.bounds.traffic;
    if (share >= 0.0005)
      parts.emplace_back(share, fmt::format("{} {}", name(kind), format_percent(share)));
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out;
  for (const auto& [share, text] : parts) out += (out.empty() ? "" : ", ") + report::unbroken(text);
  return out;
}

std::string kind_text(const TypedPeak& peak) {
  return fmt::format("{} {}, {}", name(peak.type), name(peak.roof.sparsity),
                     name(peak.roof.origin));
}

std::string bound_text(const StepFigures& f) {
  const model::StepBounds& b = f.bounds;
  std::string out =
      fmt::format("{}, {}-bound: traffic {}, arithmetic {}; one operation after another {}",
                  format(b.floor()), b.memory_bound() ? "memory" : "compute", format(b.memory),
                  format(b.compute), format(b.serial));
  return out;
}

std::string rate_text(const StepFigures& f) {
  const Deployment& d = *f.deployment;
  const double floor = in_second(f.bounds.floor());
  const std::uint64_t devices = d.plan.tensor_parallel;
  const std::string of_all = devices > 1 ? fmt::format(" of all {} devices", devices) : "";
  const std::string of_prompts = format_number(f.tokens.of_prompts / floor) + " prompt tokens/s";
  if (d.phase != Phase::decode) return "at most " + of_prompts + of_all;
  std::string out =
      fmt::format("at most {} tokens/s{}, {} for each sequence",
                  format_number(f.tokens.decoded / floor), of_all, format_number(1 / floor));
  return d.riding > 0 ? out + "; " + of_prompts + " ride along" : out;
}

std::string timed_text(const StepFigures& f) {
  const Deployment& d = *f.deployment;
  std::string out = line(d.phase == Phase::prefill ? "TTFT floor" : "floor", bound_text(f));
  out += line("throughput", rate_text(f));
  out += line("MFU", fmt::format("at most {} = {} / ({} x {}), {}", format_percent(*f.mfu_ceiling),
                                 format(f.bounds.work), format(f.bounds.floor()),
                                 format(d.roofs->peaks.front().roof.peak),
                                 kind_text(d.roofs->peaks.front())));
  if (f.bounds.work > f.bounds.executed)
    out += line("counted", fmt::format("{}, {} more than the {} that are executed: this convention "
                                       "shows an MFU beyond what the device does",
                                       format(f.bounds.work),
                                       format_percent(f.bounds.work / f.bounds.executed - 1),
                                       format(f.bounds.executed)));
  // What every device does for itself may be too little to be seen.
  if (format_percent(*f.hfu_ceiling) != format_percent(*f.mfu_ceiling))
    out += line("HFU", fmt::format("at most {}: {} are executed", format_percent(*f.hfu_ceiling),
                                   format(f.bounds.executed)));
  std::string roofs =
      fmt::format("{} ({})", format(d.roofs->memory.bandwidth), name(d.roofs->memory.origin));
  for (const TypedPeak& peak : d.roofs->peaks)
    roofs += fmt::format(", {} ({})", format(peak.roof.peak), kind_text(peak));
  return out + line("roofs", roofs);
}

/// Above the floor: nothing overlapped, under what a machine has shown.
std::string upper_text(const StepFigures& f) {
  const Deployment& d = *f.deployment;
  const DeploymentRoofs& roofs = d.measured ? *d.measured : *d.roofs;
  std::string under = format(roofs.memory.bandwidth);
  for (const TypedPeak& peak : roofs.peaks)
    under += fmt::format(", {} ({})", format(peak.roof.peak), name(peak.type));
  const std::string whose = d.measured
                                ? fmt::format(" measured on {} ({})", printable(roofs.device_name),
                                              printable(roofs.device_id))
                                : "";
  if (!f.upper) return fmt::format("unknown under {}{}: {}", under, whose, f.upper_reason);
  return fmt::format("{} with nothing overlapped, under {} and {} for each of {} launches{}",
                     format(*f.upper), under, format(roofs.launch->time),
                     format_number(f.bounds.launches), whose);
}

std::string limits_text(const StepFigures& f) {
  const model::DecodeLimits& l = *f.limits;
  const auto half = f.half_limit ? static_cast<double>(*f.half_limit) : l.half_limit_batch;
  std::string batch;
  if (l.tokens_per_s_limit)
    batch = fmt::format("the limit is {} tokens/s, MFU {}", format_number(*l.tokens_per_s_limit),
                        format_percent(*l.mfu_limit));
  if (half) batch += fmt::format("; half of it at a batch of {}", format_number(*half));
  batch += l.ridge_batch
               ? fmt::format("; compute-bound from {}", format_number(std::ceil(*l.ridge_batch)))
               : "; no batch reaches the ridge";
  std::string out = line("more of them", batch);
  if (l.mfu_limit_of_context)
    out += line("longer ones", fmt::format("MFU goes to {} as the context grows",
                                           format_percent(*l.mfu_limit_of_context)));
  return out;
}

std::string allowed_text(const AllowedBatch& allowed, const Deployment& d) {
  if (allowed.batch == 0) return "not one sequence";
  if (!allowed.bounds) return plural(allowed.batch, "sequence", "sequences");
  const double rate = static_cast<double>(allowed.batch) / in_second(allowed.bounds->floor());
  const Performance peak = d.roofs->values.peaks.of(d.types.linear);
  return fmt::format("{}: {} tokens/s, MFU at most {}",
                     plural(allowed.batch, "sequence", "sequences"), format_number(rate),
                     format_percent(model::mfu_ceiling(*allowed.bounds, peak)));
}

std::string memory_text(const StepFigures& f) {
  const Deployment& d = *f.deployment;
  const auto bytes = [](Bytes value) {
    return report::format_capacity(static_cast<std::uint64_t>(in_byte(value)));
  };
  const std::uint64_t own = tokens_held(d, d.context) - d.shared_prefix;
  const Bytes cache = model::cache_bytes(f.plan, own, model::CacheLayout::in_windows);
  const Bytes in_full = model::cache_bytes(f.plan, own, model::CacheLayout::in_full);
  std::string out =
      fmt::format("weights {}, cache {} a sequence", bytes(f.plan.resident()), bytes(cache));
  if (d.shared_prefix > 0)
    out += fmt::format(
        " and {} that all share",
        bytes(model::cache_bytes(f.plan, d.shared_prefix, model::CacheLayout::in_windows)));
  if (in_full > cache)
    out += fmt::format(" ({} where every layer holds every token)", bytes(in_full));
  if (!d.memory) return line("memory", out);
  const Bytes room = d.memory->memory * d.memory->usable - d.memory->reserve;
  out += fmt::format("; {} of {} ({}) less {} ", format_percent(d.memory->usable),
                     bytes(d.memory->memory), d.memory_source, format(d.memory->reserve));
  if (room < f.plan.resident()) return line("memory", out + "do not hold the weights");
  out += "hold " + allowed_text(*f.in_memory, d);
  if (!f.fits()) out += fmt::format("; not the {} of this step", d.batch);
  return line("memory", out);
}

/// The parts of what a step stands on, each with what stands behind it.
std::vector<std::string> conventions(const Deployment& d) {
  const model::StoredWeights& w = d.types.weights;
  const std::string plain(name(w.type));
  std::string weights = w.quantised ? w.quantised->name : plain;
  if (w.quantised)
    weights += model::is_quantised(w, model::TensorClass::lm_head) ? " (head too)"
                                                                   : " (head " + plain + ")";
  std::string account(name(d.plan.account));
  if (d.plan.account == model::TrafficAccount::full)
    account += fmt::format(" (fused: {})", name(d.plan.fusion));
  std::vector<std::string> out{
      fmt::format("FLOP {},", model::text_of(d.plan.counting)), fmt::format("bytes {};", account),
      weights + " weights,", fmt::format("{} cache,", name(d.types.kv)),
      fmt::format("{} arithmetic{}", name(d.types.linear), wider_products(d))};
  const bool latent =
      std::any_of(d.model.layers.begin(), d.model.layers.end(), [](const model::LayerKind& kind) {
        return kind.layer.attention && kind.layer.attention->latent;
      });
  if (!latent) return out;
  out.back() += ',';
  out.push_back(fmt::format("MLA {}", name(d.plan.latent)));
  return out;
}

}  // namespace

std::string beside_text(const Deployment& d, std::uint64_t shared) {
  std::string out;
  if (shared > 0) out += fmt::format(", {} shared", report::format_exact(shared));
  if (d.riding > 0)
    out += fmt::format(", a chunk of {} from the middle of a prompt riding along",
                       tokens_text(d.riding));
  return out;
}

std::vector<Assumption> assumptions(const Deployment& d) {
  std::vector<Assumption> out;
  if (!d.batch_chosen) out.push_back({"batch", std::to_string(d.batch), "--batch"});
  if (!d.context_chosen)
    out.push_back(
        {"context", d.context > 0 ? tokens_text(d.context) : "nothing cached", "--context"});
  if (d.phase == Phase::chunk && !d.tokens_chosen)
    out.push_back({"chunk", tokens_text(d.tokens), "--tokens"});
  return out;
}

std::string assumed_text(const Deployment& d, std::initializer_list<std::string_view> swept) {
  std::string out;
  for (const Assumption& one : assumptions(d))
    if (std::find(swept.begin(), swept.end(), one.what) == swept.end())
      out += line(one.what, fmt::format("{} assumed; {} states it", one.value, one.option));
  return out;
}

std::string heading(const Deployment& d) {
  std::string out = printable(d.name);
  if (d.roofs) out += " on " + printable(d.roofs->device_name);
  if (d.plan.tensor_parallel > 1)
    out += fmt::format(", one of {} that share each layer", d.plan.tensor_parallel);
  return out + ": " + asked_text(d) + '\n';
}

std::string conventions_text(const Deployment& d) {
  return fmt::format("{}", fmt::join(conventions(d), " "));
}

std::string conventions_lines(const Deployment& d, std::size_t width) {
  std::string out;
  for (const std::string& part : conventions(d)) out += report::unbroken(part) + ' ';
  return report::wrap("", out, width);
}

std::string step_page(const StepFigures& f) {
  const Deployment& d = *f.deployment;
  std::string out = heading(d) + conventions_lines(d, kPageWidth) + '\n';
  out += table(f) + '\n';
  out += line("step", fmt::format("{}, {}, {}{}", format(f.bounds.work), format(f.bounds.traffic),
                                  format(f.bounds.work / f.bounds.traffic),
                                  f.ridge ? " (ridge " + format(*f.ridge) + ")" : ""));
  out += line("traffic", shares(f));
  if (f.experts)
    out += line("experts",
                fmt::format("{} of {} in a layer are expected to be read (from {} to {})",
                            format_number(f.experts->expected), format_number(f.experts->experts),
                            format_number(f.experts->least), format_number(f.experts->most)));
  if (f.timed()) out += timed_text(f);
  if (d.measured || f.upper) out += line("upper end", upper_text(f));
  if (f.limits) out += limits_text(f);
  out += memory_text(f);
  if (f.in_deadline)
    out += line("TPOT",
                fmt::format("{} allows {}", format(*d.deadline), allowed_text(*f.in_deadline, d)));
  if (f.first_token)
    out += line("first token", fmt::format("not before {} for a prompt of {}",
                                           format(*f.first_token), tokens_text(d.context)));
  out += assumed_text(d, {});
  if (d.plan.tensor_parallel > 1) out += line("left out", "collectives between the devices");
  return out;
}

}  // namespace roofline::cli
