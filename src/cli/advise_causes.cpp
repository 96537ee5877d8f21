#include "cli/advise_causes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "cli/advise_options.hpp"
#include "model/advice_regime.hpp"
#include "report/format.hpp"
#include "roofline/placement.hpp"

namespace roofline::cli {
namespace {

using report::format_number;
using Kind = model::Reading::Kind;

/// A step changed in one respect, in which the reading may have been taken.
class Suspects {
 public:
  Suspects(const AboveRoof& reading, const Deployment& d, const DeploymentRoofs& roofs)
      : reading_(reading), d_(d), roofs_(roofs), plan_(d.model, d.types, d.plan) {
    const model::Step step = step_of(d, d.batch, d.context);
    bounds_ = model::bound(plan_, step, roofs.values);
    peak_ = roofs.values.peaks.of(d.types.linear);
  }

  std::vector<ImpossibleCause> name_all() {
    if (reading_.reading.kind == Kind::tokens_per_s) try_tokens();
    if (reading_.reading.kind == Kind::mfu) try_mfu();
    if (reading_.reading.kind == Kind::bandwidth)
      possible("cache_traffic",
               "the counter may count traffic that a cache served, or reads and writes of several "
               "devices");
    try_sparse();
    try_prefix();
    try_batch();
    try_context();
    try_types();
    possible("wrong_device", "the roofs may be another device's: give it by its exact name");
    if (reading_.reading.kind == Kind::step_time)
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
    const model::StepBounds bounds = model::bound(plan, step, roofs_.values);
    const model::ReadStep read{bounds.work, bounds.traffic, tokens_counted(d_.phase, step), peak_};
    return bounds.floor() <= kImpossible * model::observed_time(reading_.reading, read);
  }

  void try_tokens() {
    const double r = reading_.of_ceiling;
    if (!reading_.total_stated) {
      const double devices = std::exp2(std::ceil(std::log2(r / kImpossible)));
      explains("total_of_devices",
               fmt::format("the rate may be the total of several devices: {} or more of them "
                           "explain it; --devices N says so",
                           std::to_string(static_cast<std::uint64_t>(std::max(2.0, devices)))));
    }
    constexpr double kMostTokens = 8;
    if (d_.phase == Phase::decode && r <= kMostTokens)
      explains("several_tokens_a_step",
               fmt::format("speculative decoding gives more than one token a step: {} of them on "
                           "average explain it",
                           format_number(r)));
  }

  void try_mfu() {
    const ComputeRoof* other = nullptr;
    for (const ComputeRoof& one : roofs_.context.other_peaks) {
      const bool better = other == nullptr || one.peak > other->peak;
      const bool ordinary = one.key == PeakKey::fp16_vector || one.key == PeakKey::bf16_vector;
      if (!ordinary && explained_by(peak_ / one.peak) && better) other = &one;
    }
    if (other != nullptr)
      explains("wrong_dtype_peak",
               fmt::format("MFU may be taken over another type's peak: over {} ({}) the same rate "
                           "is within its ceiling",
                           name(other->key), report::format(other->peak)));
    if (explained_by(2))
      explains("fma_counted_as_one",
               "FLOP may be counted twice, or an FMA of the peak as one: half of it fits");
    try_counting("embedding_counted", {model::WorkConvention::two_n},
                 "2N counts the input embedding as a product, which is a look-up");
    try_counting("full_attention_counted",
                 {.convention = model::WorkConvention::exact, .attended = model::Pairs::full},
                 "attention may be counted over all pairs, half of which causality forbids");
  }

  void try_counting(std::string_view id, const model::WorkCounting& counting,
                    std::string_view text) {
    model::PlanOptions options = d_.plan;
    options.counting = counting;
    const model::StepPlan plan(d_.model, d_.types, options);
    const model::Step step = step_of(d_, d_.batch, d_.context);
    const model::StepBounds bounds = model::bound(plan, step, roofs_.values);
    if (explained_by(bounds.work / bounds_.work)) explains(id, std::string(text));
  }

  void try_sparse() {
    const auto sparse = roofs_.context.sparse_peak;
    if (!sparse || bounds_.memory_bound()) return;
    if (explained_by(*sparse / peak_))
      explains("sparse_peak",
               "the reading fits under the 2:4 sparse peak: sparse kernels, or a rate worked out "
               "from that peak");
  }

  /// Tokens of a common or cached prefix that is not read, or not computed.
  void try_prefix() {
    if (d_.phase == Phase::prefill) {
      const auto cached = [&](std::uint64_t tokens) {
        return !fits(plan_, {model::chunk(d_.batch, tokens, d_.context - tokens, true)});
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
    if (reading_.reading.kind == Kind::step_time || reading_.reading.kind == Kind::bandwidth) {
      const std::uint64_t found = model::largest_that_fits(d_.batch, batch);
      if (found > 0)
        explains("wrong_batch", fmt::format("the batch may be smaller: {} explain it", found));
      return;
    }
    constexpr std::uint64_t kMost = 1U << 16;
    const std::uint64_t found =
        model::largest_that_fits(kMost, [&](std::uint64_t count) { return !batch(count); }) + 1;
    if (found <= kMost)
      explains("wrong_batch", fmt::format("the batch may be larger: {} explain it", found));
  }

  void try_context() {
    if (d_.phase != Phase::decode) return;
    const auto context = [&](std::uint64_t tokens) {
      return fits(plan_, step_of(d_, d_.batch, tokens));
    };
    const std::uint64_t found = model::largest_that_fits(d_.context, context);
    if (found > 0)
      explains("wrong_context",
               fmt::format("the sequences may be shorter: {} tokens on average explain it", found));
  }

  void try_types() {
    struct Types {
      std::string_view text;
      std::string_view weights;
      bool cache;
    };
    constexpr std::array kTypes{Types{"the cache in 8 bits", "", true},
                                Types{"the weights in 8 bits", "int8", false},
                                Types{"weights and cache in 8 bits", "int8", true},
                                Types{"the weights in 4 bits", "int4-g128", false},
                                Types{"the weights in 4 bits, the cache in 8", "int4-g128", true}};
    for (const Types& one : kTypes) {
      model::StepTypes types = d_.types;
      if (one.cache) types.kv = DType::fp8_e4m3;
      if (!one.weights.empty())
        types.weights =
            model::stored_as(types.weights, model::parse_weight_format(one.weights, "weights"));
      const model::StepPlan plan(d_.model, types, d_.plan);
      if (!(plan.resident() <= plan_.resident()) || !fits(plan, step_of(d_, d_.batch, d_.context)))
        continue;
      explains("other_types", fmt::format("less may be stored: {} explain{} it; --weights and --kv "
                                          "state the types",
                                          one.text, one.text.starts_with("the cache") ? "s" : ""));
      return;
    }
  }

  const AboveRoof& reading_;
  const Deployment& d_;
  const DeploymentRoofs& roofs_;
  model::StepPlan plan_;
  model::StepBounds bounds_;
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
