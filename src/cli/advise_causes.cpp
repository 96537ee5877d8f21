#include "cli/advise_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cli/advise_restated.hpp"
#include "model/advice_regime.hpp"
#include "report/format.hpp"
#include "roofline/placement.hpp"

namespace roofline::cli {
namespace {

using report::format_number;
using Kind = model::Reading::Kind;

/// A data sheet rounds to three digits.
constexpr double kSamePeak = 0.01;

/// As an option names the type.
std::string_view word_of(DType type) { return type == DType::fp8_e4m3 ? "fp8" : name(type); }

/// Of weights that can be multiplied in the type.
std::string weights_word(DType type) {
  return std::string(type == DType::fp4 ? "nvfp4" : word_of(type));
}

/// Of matrices, before scales.
unsigned weight_bits(const model::StoredWeights& weights) {
  return weights.quantised ? weights.quantised->bits : storage_bits(weights.type);
}

/// The most tokens below `most`, at least `least`, with which a reading fits. Sought from above:
/// with few tokens something else may bind, so that those do not fit either.
std::optional<std::uint64_t> fewer_tokens(std::uint64_t most, std::uint64_t least,
                                          const auto& fits) {
  std::uint64_t low = most;
  while (low > least && !fits(low)) {
    most = low;
    low = std::max(least, low / 2);
  }
  if (!fits(low)) return std::nullopt;
  while (most - low > 1) {
    const std::uint64_t middle = low + (most - low) / 2;
    (fits(middle) ? low : most) = middle;
  }
  return low;
}

std::string number_text(std::uint64_t tokens) {
  return tokens == 0 ? "none" : std::to_string(tokens);
}

/// A step changed in one respect, in which the reading may have been taken.
class Suspects {
 public:
  Suspects(const AboveRoof& reading, const Deployment& d, const DeploymentRoofs& roofs)
      : reading_(reading),
        kind_(reading.given.reading.kind),
        d_(d),
        roofs_(roofs),
        plan_(d.model, d.types, d.plan),
        bounds_(bounds_of(reading.scope, plan_, step_of(d, d.batch, d.context), roofs.values)),
        arithmetic_(arithmetic_of(reading.scope, plan_)),
        typed_(roofs.peak_of(arithmetic_)),
        peak_(roofs.values.peaks.of(arithmetic_)) {}

  std::vector<ImpossibleCause> name_all() {
    // What nobody stated is the first to be doubted.
    if (!d_.batch_chosen) try_batch();
    if (!d_.context_chosen) try_context();
    if (!d_.tokens_chosen) try_chunk();
    try_stated_peak();
    if (kind_ == Kind::tokens_per_s) try_tokens();
    if (!reading_.scope.whole() && kind_ == Kind::step_time) try_one_launch();
    if (kind_ == Kind::mfu) try_mfu();
    try_arithmetic();
    if (kind_ == Kind::bandwidth)
      possible("cache_traffic",
               "the counter may count traffic that a cache served, or reads and writes of several "
               "devices");
    try_sparse();
    try_prefix();
    if (d_.batch_chosen) try_batch();
    if (d_.context_chosen) try_context();
    if (d_.tokens_chosen) try_chunk();
    try_types();
    possible("wrong_device", "the roofs may be another device's: give it by its exact name");
    if (kind_ == Kind::step_time)
      possible("unsynchronised_timing",
               "the clock may have stopped before the work did: synchronise before reading it");
    std::stable_partition(out_.begin(), out_.end(),
                          [](const ImpossibleCause& cause) { return cause.explains; });
    return std::move(out_);
  }

 private:
  void explains(std::string_view id, std::string text) {
    out_.push_back({id, std::move(text), true});
  }
  void possible(std::string_view id, std::string text) {
    out_.push_back({id, std::move(text), false});
  }

  /// Whether the reading lies under the roof once it is `factor` times lower.
  [[nodiscard]] bool explained_by(double factor) const {
    return factor > kImpossible && reading_.of_ceiling / factor <= kImpossible;
  }
  /// The same reading of another step, as a part of that step's ceiling.
  [[nodiscard]] bool fits(const model::StepPlan& plan, const model::Step& step) const {
    return fits(bounds_of(reading_.scope, plan, step, roofs_.values), step);
  }
  [[nodiscard]] bool fits(const model::StepBounds& bounds, const model::Step& step) const {
    return can_be(reading_.given.reading, bounds, tokens_of_rate(d_.phase, step), peak_);
  }
  /// The same reading of the step that another command line states.
  [[nodiscard]] bool fits_as(const DeploymentOptions& stated) const {
    const auto other = restated(d_, stated, reading_.config_dir);
    return other && can_be(reading_.given.reading, reading_.scope, *other);
  }
  /// Whether a step of the rest of the prompts takes as long as was observed. Tokens/s and MFU
  /// count whole prompts, cached or not, so that the time is that of the step as stated; a counter
  /// of bytes saw those of the rest.
  [[nodiscard]] bool explained_by_chunk(const model::Step& rest) const {
    if (kind_ == Kind::bandwidth) return fits(plan_, rest);
    const model::ReadStep stated{bounds_.work, bounds_.traffic,
                                 tokens_of_rate(d_.phase, step_of(d_, d_.batch, d_.context)),
                                 peak_};
    return bounds_of(reading_.scope, plan_, rest, roofs_.values).floor() <=
           kImpossible * model::observed_time(reading_.given.reading, stated);
  }
  /// The same reading of the same step, were its products computed at another peak.
  [[nodiscard]] bool fits_at(Performance peak) const {
    model::StepRoofs roofs = roofs_.values;
    for (const DType type : {d_.types.linear, d_.types.activation, d_.types.head})
      if (roofs.peaks.of(type) < peak) roofs.peaks.set(type, peak);
    const model::Step step = step_of(d_, d_.batch, d_.context);
    return fits(bounds_of(reading_.scope, plan_, step, roofs), step);
  }

  void try_tokens() {
    const double r = reading_.of_ceiling;
    if (!reading_.total_stated) {
      const auto groups = static_cast<std::uint64_t>(std::max(2.0, std::ceil(r / kImpossible)));
      explains("total_of_devices",
               fmt::format("the rate may be the total of several devices: {} or more of them "
                           "explain it; --devices N says so",
                           groups * d_.plan.tensor_parallel));
    }
    constexpr double kMostTokens = 8;
    if (d_.phase == Phase::decode && r <= kMostTokens)
      explains("several_tokens_a_step",
               fmt::format("speculative decoding gives more than one token a step: {} of them on "
                           "average explain it",
                           format_number(r)));
  }

  /// A profiler names the time of one launch; a step has one for each layer.
  void try_one_launch() {
    if (explained_by(bounds_.launches))
      explains("time_of_one_launch",
               fmt::format("the time may be that of one launch: {} has {:.0f} of them in a step",
                           reading_.scope.operation, bounds_.launches));
  }

  /// Lower peaks that a dashboard may divide by, the likeliest first: that of ordinary fp32 units
  /// stands first on a data sheet.
  void try_mfu() {
    std::string found;
    std::vector<Performance> named;
    const auto add = [&](std::string_view type, Performance peak) {
      const bool again = std::find(named.begin(), named.end(), peak) != named.end();
      if (again || !explained_by(peak_ / peak)) return;
      named.push_back(peak);
      found += fmt::format("{}{} ({})", found.empty() ? "" : " or ", type, report::format(peak));
    };
    if (reading_.rated_peak) add("dense " + std::string(name(arithmetic_)), *reading_.rated_peak);
    for (const PeakKey key : {PeakKey::fp32, PeakKey::tf32, PeakKey::fp16, PeakKey::bf16})
      for (const ComputeRoof& one : typed_.context.other_peaks)
        if (one.key == key) add(name(key), one.peak);
    if (!found.empty())
      explains("wrong_dtype_peak", "MFU may be taken over another peak: over that of " + found +
                                       " the same rate is within its ceiling");
    if (explained_by(2))
      explains("fma_counted_as_one",
               "FLOP may be counted twice, or an FMA of the peak as one: half of it fits");
    if (reading_.scope.whole() || reading_.scope.operation == "attention") try_conventions();
  }

  void try_conventions() {
    const Flops all_pairs =
        work_by({.convention = model::WorkConvention::exact, .attended = model::Pairs::full});
    double full = all_pairs / bounds_.work;
    if (reading_.scope.whole()) {
      if (explained_by(work_by({model::WorkConvention::two_n}) / bounds_.work))
        explains("embedding_counted",
                 "2N counts the input embedding as a product, which is a look-up");
    } else {
      const Flops beyond = all_pairs - work_by({.convention = model::WorkConvention::exact});
      full = 1 + beyond / bounds_.work;
    }
    if (explained_by(full))
      explains("full_attention_counted",
               "attention may be counted over all pairs, half of which causality forbids");
  }

  /// Of the whole step.
  [[nodiscard]] Flops work_by(const model::WorkCounting& counting) const {
    model::PlanOptions options = d_.plan;
    options.counting = counting;
    const model::StepPlan plan(d_.model, d_.types, options);
    return model::bound(plan, step_of(d_, d_.batch, d_.context), roofs_.values).work;
  }

  [[nodiscard]] bool stated_too_low() const {
    const bool stated = typed_.roof.origin == Origin::user;
    return stated && reading_.rated_peak && *reading_.rated_peak > peak_;
  }
  /// A peak from the command line that is below what the device is rated at.
  void try_stated_peak() {
    if (!stated_too_low() || !fits_at(*reading_.rated_peak)) return;
    std::string whose;
    for (const ComputeRoof& one : typed_.context.other_peaks)
      if (whose.empty() && one.key != PeakKey::fp64 && one.key != PeakKey::fp64_tensor &&
          std::abs(one.peak / peak_ - 1) < kSamePeak)
        whose = fmt::format(", which is that of {},", name(one.key));
    explains("stated_peak",
             fmt::format("the stated peak of {}{} is below the {} of {} that the device is rated "
                         "at, under which the reading fits",
                         report::format(peak_), whose, report::format(*reading_.rated_peak),
                         name(arithmetic_)));
  }

  /// Of a step that arithmetic binds: products in a narrower type, which is faster.
  void try_arithmetic() {
    if (bounds_.memory_bound() || stated_too_low()) return;
    if (storage_bits(d_.types.linear) < 16) return try_left_in_16_bits();
    // An MFU over that peak would stand for twice the rate.
    if (kind_ == Kind::mfu) return;
    for (const bool attention : {false, true}) {
      for (const ComputeRoof& one : typed_.context.other_peaks) {
        const bool narrow = one.key == PeakKey::fp8 || one.key == PeakKey::int8;
        const DType type = one.key == PeakKey::int8 ? DType::int8 : DType::fp8_e4m3;
        if (!narrow || !(one.peak > peak_)) continue;
        if (attention ? name_attention(type, one.peak) : name_products(type, one.peak)) return;
      }
    }
  }

  /// Of products in few bits, those whose weights were left in 16.
  void try_left_in_16_bits() {
    const DType type = d_.types.linear;
    const Performance peak = roofs_.peak_of(type).roof.peak;
    DeploymentOptions all = reading_.stated;
    all.weights = weights_word(type);
    all.arithmetic = word_of(type);
    if (!fits_as(all)) return static_cast<void>(name_attention(type, peak));
    explains("other_arithmetic",
             fmt::format("the layers that are left in 16 bits may be computed in {}, too ({}); "
                         "--weights {} --arithmetic {} state it",
                         all.arithmetic, report::format(peak), all.weights, all.arithmetic));
  }

  [[nodiscard]] bool name_products(DType type, Performance peak) {
    DeploymentOptions other = reading_.stated;
    other.arithmetic = word_of(type);
    const auto& stored = d_.types.weights.quantised;
    const bool enough = stored && (stored->bits < storage_bits(type) ||
                                   find_dtype(stored->name) == std::optional(type));
    if (enough && fits_as(other)) {
      explains("other_arithmetic",
               fmt::format("products may be computed in {} ({}); --arithmetic {} states it",
                           other.arithmetic, report::format(peak), other.arithmetic));
      return true;
    }
    other.weights = weights_word(type);
    if (!fits_as(other)) return false;
    explains("other_arithmetic",
             fmt::format("products may be computed in {} ({}); --weights {} --arithmetic {} state "
                         "it",
                         other.arithmetic, report::format(peak), other.weights, other.arithmetic));
    return true;
  }

  [[nodiscard]] bool name_attention(DType type, Performance peak) {
    const bool meant = reading_.scope.whole() || reading_.scope.operation == "attention";
    if (!meant || !fits_at(peak)) return false;
    explains("other_arithmetic",
             fmt::format("{}attention may be computed in {} ({}), which no option states",
                         reading_.scope.whole() ? "products and " : "", word_of(type),
                         report::format(peak)));
    return true;
  }

  void try_sparse() {
    const auto sparse = typed_.context.sparse_peak;
    if (!sparse || bounds_.memory_bound()) return;
    if (!explained_by(*sparse / peak_)) return;
    // An MFU that was taken over that peak would stand for twice the rate, which does not fit.
    explains("sparse_peak",
             kind_ == Kind::mfu
                 ? "the rate that it stands for fits under the 2:4 sparse peak: sparse kernels"
                 : "the reading fits under the 2:4 sparse peak: sparse kernels, or a rate worked "
                   "out from that peak");
  }

  /// Tokens of a common or cached prefix that is not read, or not computed.
  void try_prefix() {
    if (d_.phase == Phase::prefill) {
      const auto cached = [&](std::uint64_t tokens) {
        return !explained_by_chunk({model::chunk(d_.batch, tokens, d_.context - tokens, true)});
      };
      const std::uint64_t tokens = model::largest_that_fits(d_.context - 1, cached) + 1;
      if (tokens < d_.context)
        explains("cached_prefix",
                 fmt::format("part of the prompts may come from a prefix cache: {} of {} tokens "
                             "explain it",
                             tokens, d_.context));
      return;
    }
    model::Step step = step_of(d_, d_.batch, d_.context);
    step.front().shared = step.front().cached;
    if (d_.batch > 1 && fits(plan_, step))
      explains("cached_prefix",
               "sequences may have a prefix in common that is kept and read once; "
               "--shared-prefix states it");
  }

  void try_batch() {
    const auto batch = [&](std::uint64_t count) {
      return fits(plan_, step_of(d_, count, d_.context));
    };
    if (kind_ == Kind::step_time || kind_ == Kind::bandwidth) {
      const std::uint64_t found = model::largest_that_fits(d_.batch, batch);
      if (found > 0)
        explains("wrong_batch", fmt::format("{} smaller: {} explain it", batch_text(), found));
      return;
    }
    const std::uint64_t most = batch_capacity(d_, plan_, d_.context).value_or(1U << 16);
    const std::uint64_t found =
        model::largest_that_fits(most, [&](std::uint64_t count) { return !batch(count); }) + 1;
    if (found <= most)
      explains("wrong_batch", fmt::format("{} larger: {} explain it{}", batch_text(), found,
                                          d_.batch_chosen ? "" : "; --batch states it"));
  }
  [[nodiscard]] std::string batch_text() const {
    return d_.batch_chosen ? "the batch may be"
                           : fmt::format("a batch of {} was assumed, and may be", d_.batch);
  }

  /// Tokens of the caches, or of whole prompts.
  void try_context() {
    const auto found = fewer_tokens(
        d_.context, d_.phase == Phase::chunk ? 0 : 1,
        [&](std::uint64_t tokens) { return fits(plan_, step_of(d_, d_.batch, tokens)); });
    if (!found) return;
    const std::string explained = number_text(*found);
    explains("wrong_context",
             d_.context_chosen ? context_text(explained) : assumed_context_text(explained));
  }
  [[nodiscard]] std::string context_text(const std::string& explained) const {
    switch (d_.phase) {
      case Phase::decode:
        return fmt::format("the sequences may be shorter: {} tokens on average explain it",
                           explained);
      case Phase::prefill:
        return fmt::format("the prompts may be shorter: {} tokens explain it", explained);
      case Phase::chunk:
        break;
    }
    return fmt::format("fewer tokens may be cached: {} explain it", explained);
  }
  [[nodiscard]] std::string assumed_context_text(const std::string& explained) const {
    if (d_.phase == Phase::prefill)
      return fmt::format(
          "prompts of {} tokens were assumed, and may be shorter: {} explain it; --context states "
          "it",
          d_.context, explained);
    return fmt::format(
        "{} cached tokens were assumed, and may be fewer: {}{} explain it; --context states it",
        d_.context, explained, d_.phase == Phase::decode ? " on average" : "");
  }

  /// Tokens of each prompt that pass.
  void try_chunk() {
    if (d_.phase != Phase::chunk) return;
    const auto found = fewer_tokens(d_.tokens, 1, [&](std::uint64_t tokens) {
      model::Step step = step_of(d_, d_.batch, d_.context);
      step.front().fresh = tokens;
      return fits(plan_, step);
    });
    if (!found) return;
    explains("wrong_chunk",
             d_.tokens_chosen
                 ? fmt::format("the chunk may be smaller: {} tokens explain it", *found)
                 : fmt::format("a chunk of {} tokens was assumed, and may be smaller: {} explain "
                               "it; --tokens states it",
                               d_.tokens, *found));
  }

  /// Less that is stored, where it is not stored in so few bits already.
  void try_types() {
    struct Types {
      std::string_view text;
      std::string_view weights;
      unsigned bits;
      bool cache;
    };
    constexpr std::array kTypes{
        Types{"the cache in 8 bits explains", "", 0, true},
        Types{"the weights in 8 bits explain", "int8", 8, false},
        Types{"weights and cache in 8 bits explain", "int8", 8, true},
        Types{"the weights in 4 bits explain", "int4-g128", 4, false},
        Types{"the weights in 4 bits, the cache in 8 explain", "int4-g128", 4, true}};
    for (const Types& one : kTypes) {
      if (one.bits > 0 && weight_bits(d_.types.weights) <= one.bits) continue;
      if (one.cache && storage_bits(d_.types.kv) <= 8) continue;
      DeploymentOptions other = reading_.stated;
      std::string options;
      if (one.bits > 0) options += fmt::format("--weights {}", other.weights = one.weights);
      if (one.cache)
        options += fmt::format("{}--kv {}", options.empty() ? "" : " ", other.kv = "fp8");
      if (!fits_as(other)) continue;
      explains("other_types", fmt::format("less may be stored: {} it; {} state{} it", one.text,
                                          options, one.bits > 0 && one.cache ? "" : "s"));
      return;
    }
  }

  const AboveRoof& reading_;
  Kind kind_;
  const Deployment& d_;
  const DeploymentRoofs& roofs_;
  model::StepPlan plan_;
  model::StepBounds bounds_;
  DType arithmetic_;        ///< that the scope is computed in
  const TypedPeak& typed_;  ///< its peak, and what else the device has
  Performance peak_;
  std::vector<ImpossibleCause> out_;
};

}  // namespace

std::vector<ImpossibleCause> impossible_causes(const AboveRoof& reading,
                                               const Deployment& deployment,
                                               const DeploymentRoofs& roofs) {
  return Suspects(reading, deployment, roofs).name_all();
}

}  // namespace roofline::cli
