#include "cli/step_sweep.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>

#include "cli/step_figures.hpp"
#include "cli/step_sheet.hpp"
#include "cli/warnings.hpp"
#include "report/format.hpp"
#include "report/grid.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

constexpr std::size_t kMostInOneText = 4096;

struct SweptStep {
  std::uint64_t batch;
  std::uint64_t context;
  TokensPassed tokens;
  model::StepBounds bounds;
  double mfu_ceiling;
  bool fits;  ///< in memory; true where the memory is not known
};

class Sweep {
 public:
  Sweep(const Deployment& d, const SweepOptions& o)
      : d_(d),
        batches_(o.batch.empty() ? std::vector{d.batch} : parse_axis(o.batch, "--sweep-batch")),
        contexts_(o.context.empty() ? std::vector{d.context}
                                    : parse_axis(o.context, "--sweep-context")),
        plan_(d.model, d.types, d.plan),
        peak_(d.roofs->values.peaks.of(d.types.linear)) {}

  [[nodiscard]] std::size_t size() const { return batches_.size() * contexts_.size(); }
  [[nodiscard]] std::uint64_t longest_context() const {
    return *std::max_element(contexts_.begin(), contexts_.end());
  }

  /// The largest of all, before any is written.
  void require_sizes() const {
    model::validate(
        step_of(d_, *std::max_element(batches_.begin(), batches_.end()), longest_context()));
  }

  template <class Visit>
  void each(Visit&& visit) const {
    for (const std::uint64_t context : contexts_) {
      const std::optional<std::uint64_t> capacity = batch_capacity(d_, plan_, context);
      for (const std::uint64_t batch : batches_) {
        const model::Step step = step_of(d_, batch, context);
        SweptStep out{batch, context, tokens_passed(d_.phase, step),
                      {},    0,       !capacity || batch <= *capacity};
        out.bounds = model::bound(plan_, step, d_.roofs->values);
        out.mfu_ceiling = model::mfu_ceiling(out.bounds, peak_);
        visit(out);
      }
    }
  }

 private:
  const Deployment& d_;
  std::vector<std::uint64_t> batches_;
  std::vector<std::uint64_t> contexts_;
  model::StepPlan plan_;
  Performance peak_;
};

/// As JSON: null where no such token passes.
std::string rate_or_null(double tokens, double seconds) {
  return tokens > 0 ? fmt::format("{}", tokens / seconds) : "null";
}

/// Written by hand: a tree for each of a million lines would take most of the time. No value is a
/// text, and none is NaN or infinite.
void append_line(fmt::memory_buffer& to, const SweptStep& s) {
  const model::StepBounds& b = s.bounds;
  const double floor = in_second(b.floor());
  fmt::format_to(
      std::back_inserter(to),
      R"({{"batch":{},"context_tokens":{},"work_flop":{},"traffic_byte":{},)"
      R"("intensity_flop_per_byte":{},"floor_s":{},"bound":"{}","mfu_ceiling":{},)"
      R"("tokens_per_s":{},"prompt_tokens_per_s":{},"fits_memory":{}}})"
      "\n",
      s.batch, s.context, in_flop(b.work), in_byte(b.traffic), in_flop_per_byte(b.work / b.traffic),
      floor, b.memory_bound() ? "memory" : "compute", s.mfu_ceiling,
      rate_or_null(s.tokens.decoded, floor), rate_or_null(s.tokens.of_prompts, floor), s.fits);
}

void write_lines(const Sweep& sweep, std::ostream& out) {
  constexpr std::size_t kPiece = 1 << 16;
  fmt::memory_buffer buffer;
  sweep.each([&](const SweptStep& step) {
    append_line(buffer, step);
    if (buffer.size() < kPiece) return;
    out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    buffer.clear();
  });
  out.write(buffer.data(), static_cast<std::streamsize>(buffer.size()));
}

nlohmann::ordered_json sweep_json(const Deployment& d, const Sweep& sweep) {
  nlohmann::ordered_json out;
  add_step_json(out, StepFigures(d));
  for (const char* of_one :
       {"batch", "batch_origin", "context_tokens", "context_origin", "requests", "step",
        "tokens_per_s", "prompt_tokens_per_s", "ttft_floor_s", "limits", "deadline"})
    out.erase(of_one);
  out["memory"].erase("capacity");
  out["memory"].erase("cache_byte_per_sequence");
  out["memory"].erase("cache_byte_per_sequence_in_full");
  nlohmann::ordered_json steps = nlohmann::ordered_json::array();
  sweep.each([&](const SweptStep& step) {
    fmt::memory_buffer one;
    append_line(one, step);
    steps.push_back(nlohmann::ordered_json::parse(one.begin(), one.end()));
  });
  out["steps"] = std::move(steps);
  return out;
}

/// What all steps have in common.
std::string swept_text(const Deployment& d) {
  std::string out(name(d.phase));
  if (d.phase == Phase::chunk)
    out = fmt::format("last chunk of {} tokens of each prompt", d.tokens);
  return out + beside_text(d, d.shared_prefix);
}

std::string sweep_page(const Deployment& d, const SweepOptions& o, const Sweep& sweep) {
  using report::format;
  const bool prefill = d.phase == Phase::prefill;
  const bool decode = d.phase == Phase::decode;
  report::Grid grid({{"batch", "", true},
                     {"context", "tokens", true},
                     {"FLOP/byte", "", true},
                     {prefill ? "TTFT floor" : "step floor", "", true},
                     {"bound", ""},
                     {"ceiling", "", true},
                     {"MFU at most", "", true},
                     {decode ? "tokens/s" : "prompt tokens/s", "", true},
                     {decode ? "of each" : "", "", true}});
  bool over = false;
  sweep.each([&](const SweptStep& s) {
    over = over || !s.fits;
    const double floor = in_second(s.bounds.floor());
    const double passed = decode ? s.tokens.decoded : s.tokens.of_prompts;
    grid.add(
        {.mark = s.fits ? "" : "*",
         .cells = {std::to_string(s.batch), std::to_string(s.context),
                   report::format_number(in_flop_per_byte(s.bounds.work / s.bounds.traffic)),
                   format(s.bounds.floor()), s.bounds.memory_bound() ? "memory" : "compute",
                   format(s.bounds.work / s.bounds.floor()), report::format_percent(s.mfu_ceiling),
                   report::format_number(passed / floor),
                   decode ? report::format_number(1 / floor) : ""}});
  });
  std::string out = printable(d.name) + " on " + printable(d.roofs->device_name) + ": " +
                    swept_text(d) + "\n" + conventions_lines(d, kPageWidth) + "\n" +
                    grid.text(grid.width(), false);
  if (over) out += "\n* weights and caches do not fit the memory (" + d.memory_source + ")\n";
  const std::string assumed =
      assumed_text(d, {o.batch.empty() ? "" : "batch", o.context.empty() ? "" : "context"});
  return assumed.empty() ? out : out + "\n" + assumed;
}

}  // namespace

void add_sweep_options(CLI::App& app, SweepOptions& o) {
  constexpr const char* group = "Many steps";
  app.add_option("--sweep-batch", o.batch, "batches, e.g. 1:512:x2")->group(group);
  app.add_option("--sweep-context", o.context, "contexts, e.g. 1024:131072:x2")->group(group);
  app.add_flag("--json-lines", o.json_lines, "one line of JSON for each step, however many")
      ->group(group);
}

bool sweeps(const SweepOptions& o) { return !o.batch.empty() || !o.context.empty(); }

void refuse_sweep_contradictions(const CLI::App& app, const SweepOptions& o) {
  if (o.json_lines && !sweeps(o))
    throw InputError(
        "--json-lines is for --sweep-batch and --sweep-context; add one, or use --json");
  const auto refuse = [&](const std::string& axis, const char* option, const char* what) {
    if (!axis.empty() && app.count(option) > 0) throw InputError(std::string(option) + ' ' + what);
  };
  refuse(o.batch, "--batch", "and --sweep-batch both say how many sequences; give one");
  refuse(o.context, "--context", "and --sweep-context both say how many tokens; give one");
  for (const char* option : {"--tpot", "--measured", "--overhead"})
    refuse(o.batch + o.context, option, "says nothing of a sweep; leave it out");
}

void sweep_steps(const Deployment& d, const SweepOptions& o, bool json, Io& io) {
  if (!d.roofs)
    throw InputError("a sweep needs roofs: --device ID, or --peak-flops and --bandwidth");
  const Sweep sweep(d, o);
  sweep.require_sizes();
  std::optional<std::string> outgrown;
  if (!o.context.empty()) outgrown = outgrows(d, sweep.longest_context());
  if (outgrown) warn(io, *outgrown);
  if (o.json_lines) return write_lines(sweep, io.out);
  if (sweep.size() > kMostInOneText)
    throw InputError(std::to_string(sweep.size()) +
                     " steps are more than one text should hold; --json-lines writes them one by "
                     "one");
  if (!json) {
    io.out << sweep_page(d, o, sweep);
    return;
  }
  nlohmann::ordered_json out = sweep_json(d, sweep);
  if (outgrown) out["warnings"].push_back(*outgrown);
  io.out << report::to_text(out);
}

}  // namespace roofline::cli
