#include "cli/train_sheet.hpp"

#include <fmt/core.h>

#include <cmath>

#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/json_null.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

using nlohmann::ordered_json;
using report::format;
using report::format_number;
using report::format_percent;

constexpr double kSecondsPerDay = 86'400;
constexpr double kSecondsPerHour = 3600;

const ComputeRoof* peak_of(const TrainSheet& sheet) {
  return sheet.roofs && sheet.roofs->roofs.compute ? &*sheet.roofs->roofs.compute : nullptr;
}

/// Tokens of one iteration; nothing without a batch and a sequence.
std::optional<double> iteration_tokens(const TrainSheet& sheet) {
  if (!sheet.global_batch || sheet.work.setup.sequence == 0) return std::nullopt;
  return static_cast<double>(*sheet.global_batch) * static_cast<double>(sheet.work.setup.sequence);
}

std::optional<double> seconds_for(const TrainSheet& sheet, std::optional<double> tokens) {
  if (!sheet.reading || !tokens) return std::nullopt;
  return in_second(model::training_time(*tokens, sheet.devices, sheet.reading->rate));
}

std::optional<double> flop_for(Flops of_token, std::optional<double> tokens) {
  if (!tokens) return std::nullopt;
  return in_flop(of_token) * *tokens;
}

// ---- JSON ----

void put_work(ordered_json& out, const TrainSheet& sheet) {
  const model::TrainingWork& work = sheet.work;
  out["convention"] = name(work.setup.convention);
  out["convention_text"] = work.convention;
  out["attention"] = name(*work.setup.attention);
  out["recompute"] = name(work.setup.recompute);
  out["sequence_tokens"] =
      work.setup.sequence == 0 ? ordered_json(nullptr) : ordered_json(work.setup.sequence);
  out["model_flop_per_token"] = in_flop(work.model());
  out["hardware_flop_per_token"] = in_flop(work.hardware());
  for (const model::TrainingPart& part : work.parts)
    out["by_part"][std::string(part.id)] = {{"model_flop_per_token", in_flop(part.model)},
                                            {"hardware_flop_per_token", in_flop(part.hardware)}};
  const auto tokens = iteration_tokens(sheet);
  out["global_batch_sequences"] = report::or_null(sheet.global_batch);
  out["model_flop_per_iteration"] = report::or_null(flop_for(work.model(), tokens));
  out["hardware_flop_per_iteration"] = report::or_null(flop_for(work.hardware(), tokens));
  out["mfu_ceiling"] = model::mfu_ceiling(work);
}

void put_roof(ordered_json& out, const TrainSheet& sheet) {
  const ComputeRoof* const peak = peak_of(sheet);
  out["devices"] = sheet.devices;
  out["device_id"] = sheet.roofs ? ordered_json(sheet.roofs->device_id) : ordered_json(nullptr);
  out["device_name"] =
      sheet.roofs ? ordered_json(printable(sheet.roofs->device_name)) : ordered_json(nullptr);
  out["peak_flop_per_s"] = peak ? ordered_json(in_flop_per_s(peak->peak)) : ordered_json(nullptr);
  out["peak_key"] = peak ? ordered_json(name(peak->key)) : ordered_json(nullptr);
  out["peak_sparsity"] = peak ? ordered_json(name(peak->sparsity)) : ordered_json(nullptr);
  out["peak_origin"] = peak ? ordered_json(name(peak->origin)) : ordered_json(nullptr);
  out["peak_source"] = peak ? ordered_json(peak->source.str()) : ordered_json(nullptr);
  if (!peak)
    out["peak_reason"] = sheet.roofs ? sheet.roofs->roofs.compute_reason.str()
                                     : "neither --device nor --peak-flops was given";
}

void put_reading(ordered_json& out, const TrainSheet& sheet) {
  const auto& found = sheet.reading;
  const auto figure = [&](double value) { return found ? ordered_json(value) : nullptr; };
  const TrainReading read = found.value_or(TrainReading{});
  out["observed_by"] = found ? ordered_json(read.option) : nullptr;
  out["tokens_per_s"] = figure(read.rate.si() * static_cast<double>(sheet.devices));
  out["tokens_per_s_per_device"] = figure(read.rate.si());
  out["achieved_flop_per_s"] = figure(in_flop_per_s(read.speed.achieved));
  out["executed_flop_per_s"] = figure(in_flop_per_s(read.speed.executed));
  out["mfu"] = report::or_null(read.mfu);
  out["hfu"] = report::or_null(read.hfu);
  out["above_roof"] = read.mfu ? ordered_json(read.above_roof) : nullptr;
  out["impossible"] = read.mfu ? ordered_json(read.impossible) : nullptr;
  out["causes"] = ordered_json::array();
  for (const Cause& cause : read.causes)
    out["causes"].push_back({{"id", cause.id.str()}, {"text", cause.text.str()}});
  out["step_s"] = report::or_null(seconds_for(sheet, iteration_tokens(sheet)));
}

void put_budget(ordered_json& out, const TrainSheet& sheet) {
  const auto time = seconds_for(sheet, sheet.train_tokens);
  const auto figure = [&](double value) { return time ? ordered_json(value) : nullptr; };
  out["train_tokens"] = report::or_null(sheet.train_tokens);
  out["train_model_flop"] = report::or_null(flop_for(sheet.work.model(), sheet.train_tokens));
  out["train_hardware_flop"] = report::or_null(flop_for(sheet.work.hardware(), sheet.train_tokens));
  out["train_s"] = report::or_null(time);
  out["train_days"] = figure(time.value_or(0) / kSecondsPerDay);
  out["device_hours"] =
      figure(time.value_or(0) * static_cast<double>(sheet.devices) / kSecondsPerHour);
}

// ---- page ----

class Page {
 public:
  explicit Page(const report::TableStyle& style) : style_(style) {}

  void title(const std::string& text) {
    out_ += painted(report::wrap("", text, style_.width), report::Paint::bold, style_.colour);
  }
  void line(std::string_view label, const std::string& text) {
    out_ += report::wrap(fmt::format("{:<14}", label), printable(text), style_.width);
  }
  void warning(const std::string& text, report::Paint paint) {
    out_ += painted(report::wrap(std::string(14, ' '), text, style_.width), paint, style_.colour);
  }
  void grid(const report::Grid& grid) { out_ += grid.text(style_.width, style_.colour) + '\n'; }
  [[nodiscard]] std::string text() && { return std::move(out_); }

 private:
  report::TableStyle style_;
  std::string out_;
};

std::string devices_text(std::uint64_t devices) {
  return fmt::format("{} {}", report::format_exact(devices), devices == 1 ? "device" : "devices");
}

/// `1.5e13`: counts beyond the prefixes that people know.
std::string large(double value) {
  constexpr double kKnown = 1e6;
  if (value < kKnown) return format_number(value);
  const int exponent = static_cast<int>(std::floor(std::log10(value)));
  return fmt::format("{:.3g}e{}", value / std::pow(10.0, exponent), exponent);
}

std::string title_text(const TrainSheet& sheet) {
  std::string out = printable(sheet.model.name) + ", trained";
  if (sheet.work.setup.sequence != 0)
    out +=
        fmt::format(" on sequences of {} tokens", report::format_exact(sheet.work.setup.sequence));
  if (!sheet.roofs) return out;
  return out + fmt::format("; {} ({})", sheet.roofs->device_name, sheet.roofs->device_id);
}

void add_work(Page& page, const TrainSheet& sheet) {
  const model::TrainingWork& work = sheet.work;
  report::Grid grid({{"of a token", ""}, {"model", "", true}, {"hardware", "", true}});
  for (const model::TrainingPart& part : work.parts)
    grid.add({.cells = {std::string(part.id), format(part.model), format(part.hardware)}});
  grid.add({.cells = {"in all", format(work.model()), format(work.hardware())}});
  page.grid(grid);
  page.line("counted", work.convention);
  if (const auto tokens = iteration_tokens(sheet))
    page.line("iteration", fmt::format("{} model, {} hardware, {} sequences",
                                       format(flop(*flop_for(work.model(), tokens))),
                                       format(flop(*flop_for(work.hardware(), tokens))),
                                       report::format_exact(*sheet.global_batch)));
  if (model::mfu_ceiling(work) < 1)
    page.line("MFU ceiling", fmt::format(" {} = {} / {}: what is recomputed is no progress",
                                         format_percent(model::mfu_ceiling(work)),
                                         format(work.model()), format(work.hardware())));
}

void add_peak(Page& page, const TrainSheet& sheet) {
  if (!sheet.roofs) return;
  const ComputeRoof* const peak = peak_of(sheet);
  if (peak == nullptr) {
    page.line("peak", "unknown: " + sheet.roofs->roofs.compute_reason.str());
    return;
  }
  const std::string source(peak->source);
  page.line("peak", fmt::format("{}, {} dense, {}{}", format(peak->peak), name(peak->key),
                                name(peak->origin), source.empty() ? "" : ": " + source));
}

void add_reading(Page& page, const TrainSheet& sheet) {
  if (!sheet.reading) return;
  const TrainReading& found = *sheet.reading;
  const std::string each = sheet.devices == 1 ? "" : " on each of " + devices_text(sheet.devices);
  page.line("observed", fmt::format("{} tokens/s{}, from {} {}", format_number(found.rate.si()),
                                    each, found.option, found.text));
  const ComputeRoof* const peak = peak_of(sheet);
  if (peak == nullptr) {
    page.line("", fmt::format("{} of the model's work, {} of what runs, on each",
                              format(found.speed.achieved), format(found.speed.executed)));
    return;
  }
  page.line("MFU", fmt::format("{} = {} / {}", format_percent(*found.mfu),
                               format(found.speed.achieved), format(peak->peak)));
  page.line("HFU", fmt::format("{} = {} / {}", format_percent(*found.hfu),
                               format(found.speed.executed), format(peak->peak)));
  if (const auto step = seconds_for(sheet, iteration_tokens(sheet)))
    page.line("step", format(second(*step)));
  if (!found.above_roof) return;
  page.warning(found.impossible
                   ? "This reading cannot be right. Candidate causes, likeliest first:"
                   : "This reading lies above a roof. Candidate causes, likeliest first:",
               found.impossible ? report::Paint::red : report::Paint::yellow);
  for (const Cause& cause : found.causes) page.line("", "- " + cause.text.str());
}

void add_budget(Page& page, const TrainSheet& sheet) {
  if (!sheet.train_tokens) return;
  const double tokens = *sheet.train_tokens;
  page.line("budget", fmt::format("{} tokens: {} FLOP model, {} FLOP hardware", large(tokens),
                                  large(in_flop(sheet.work.model()) * tokens),
                                  large(in_flop(sheet.work.hardware()) * tokens)));
  const auto time = seconds_for(sheet, tokens);
  if (!time) return;
  const double hours = *time * static_cast<double>(sheet.devices) / kSecondsPerHour;
  page.line("time",
            fmt::format("{} days on {}, {} device hours", format_number(*time / kSecondsPerDay),
                        devices_text(sheet.devices), large(hours)));
}

}  // namespace

ordered_json train_json(const TrainSheet& sheet) {
  ordered_json out;
  out["model"] = model_json(sheet.model)["model"];
  out["phase"] = "train";
  put_work(out, sheet);
  put_roof(out, sheet);
  put_reading(out, sheet);
  put_budget(out, sheet);
  out["warnings"] = sheet.warnings;
  return out;
}

std::string train_page(const TrainSheet& sheet, const report::TableStyle& style) {
  Page page(style);
  page.title(title_text(sheet));
  add_work(page, sheet);
  add_peak(page, sheet);
  add_reading(page, sheet);
  add_budget(page, sheet);
  return std::move(page).text();
}

}  // namespace roofline::cli
