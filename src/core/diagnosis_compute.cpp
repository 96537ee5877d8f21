#include <algorithm>
#include <array>
#include <cmath>

#include "diagnosis_symptoms.hpp"
#include "limits.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::symptom {

using prose::number;
using prose::percent;
using prose::text;

namespace {

struct Extent {
  const char* name;
  std::uint64_t size;
};

/// A product as its kernel sees it, and the bits of an element of what is multiplied.
struct Product {
  Extent m, n, k;
  std::uint64_t batch;
  unsigned bits;
};

std::optional<Product> product_of(const Workload& workload) {
  if (const auto* gemm = std::get_if<Gemm>(&workload)) {
    return Product{
        {"m", gemm->m}, {"n", gemm->n}, {"k", gemm->k}, gemm->batch, storage_bits(gemm->input)};
  }
  if (const auto* projection = std::get_if<Projection>(&workload)) {
    return Product{{"rows", projection->rows},
                   {"d_out", projection->d_out},
                   {"d_in", projection->d_in},
                   1,
                   storage_bits(projection->activation)};
  }
  return std::nullopt;
}

/// Output tile that shapes are judged by: the usual one of matrix units, and what a few vector
/// registers hold.
Tile tile_of(const Record& point, const Product& product) {
  if (!is_cpu(point)) return {};
  constexpr std::uint64_t kRegisterBits = 512;
  return {16, std::max<std::uint64_t>(1, kRegisterBits / product.bits)};
}

double up_to_multiple(std::uint64_t size, std::uint64_t of) {
  return std::ceil(static_cast<double>(size) / static_cast<double>(of)) * static_cast<double>(of);
}

/// Rows of operands start where the hardware loads them whole: tensor cores by 16 bytes, memory by
/// lines of 128, CPUs by lines of 64.
std::optional<Symptom> misaligned(const Record& point, const Product& product) {
  struct Grain {
    std::uint64_t bytes;
    double score;
  };
  static constexpr std::array<Grain, 2> kGpu = {{{16, 0.8}, {128, 0.45}}};
  static constexpr std::array<Grain, 1> kCpu = {{{64, 0.4}}};
  const std::span<const Grain> grains =
      is_cpu(point) ? std::span<const Grain>(kCpu) : std::span<const Grain>(kGpu);
  for (const Grain& grain : grains) {
    for (const Extent& extent : {product.k, product.n}) {
      const Count bits = Count{extent.size % (8 * grain.bytes)} * Count{product.bits};
      if (bits.value() % (8 * grain.bytes) == 0) continue;
      const double bytes = static_cast<double>(extent.size) * static_cast<double>(product.bits) / 8;
      return Symptom{grain.score, std::string(extent.name) + " = " + std::to_string(extent.size) +
                                      " makes rows of " + number(bytes) +
                                      " bytes, no multiple of " + std::to_string(grain.bytes)};
    }
  }
  return std::nullopt;
}

std::optional<Symptom> padded(const Record& point, const Product& product) {
  constexpr double kNotable = 1.1;
  const Tile tile = tile_of(point, product);
  const double m = up_to_multiple(product.m.size, tile.m);
  const double n = up_to_multiple(product.n.size, tile.n);
  const double ratio =
      (m / static_cast<double>(product.m.size)) * (n / static_cast<double>(product.n.size));
  if (ratio < kNotable) return std::nullopt;
  return Symptom{0.9 * explained(ratio, point),
                 std::string(product.m.name) + " x " + product.n.name + " = " +
                     std::to_string(product.m.size) + "x" + std::to_string(product.n.size) +
                     " fills tiles of " + std::to_string(tile.m) + "x" + std::to_string(tile.n) +
                     " to " + percent(1 / ratio)};
}

}  // namespace

std::optional<Symptom> clock_throttled(const Record& point, const Report&) {
  constexpr double kNotable = 1.1;
  const Assessment& found = *point.assessment;
  const auto& measured = std::get<Measured>(point.outcome);
  const bool fell = measured.end == MeasurementEnd::throttled;
  const bool known = found.mfu && found.clock_adjusted_mfu && *found.mfu > 0;
  const double ratio = known ? *found.clock_adjusted_mfu / *found.mfu : 1;
  if (!fell && ratio < kNotable) return std::nullopt;
  double score = 0.95 * explained(ratio, point);
  if (fell) score = std::max(score, 0.6);
  std::string evidence = fell ? "sampling ended throttled" : "the clock was low";
  if (measured.clock) evidence += " at " + text(*measured.clock);
  if (point.roofs.compute && point.roofs.compute->clock)
    evidence += ", the roof is of " + text(*point.roofs.compute->clock);
  if (known) {
    evidence += ": MFU is " + percent(*found.mfu) + ", at its own clock " +
                percent(*found.clock_adjusted_mfu);
  }
  return Symptom{score, std::move(evidence)};
}

std::optional<Symptom> awkward_shape(const Record& point, const Report&) {
  const auto product = product_of(point.workload);
  if (!product || product->m.size == 0 || product->n.size == 0) return std::nullopt;
  auto rows = misaligned(point, *product);
  auto tiles = padded(point, *product);
  if (rows && tiles) return rows->score < tiles->score ? tiles : rows;
  return rows ? rows : tiles;
}

std::optional<Symptom> wave_quantisation(const Record& point, const Report& report) {
  constexpr double kNotable = 1.15;
  const auto product = product_of(point.workload);
  const auto units = is_cpu(point) ? number_fact(point.implementation, "threads")
                                   : number_fact(report.environment, "sm_count");
  if (!product || !units) return std::nullopt;
  const Tile tile = tile_of(point, *product);
  const double tiles = up_to_multiple(product->m.size, tile.m) / static_cast<double>(tile.m) *
                       (up_to_multiple(product->n.size, tile.n) / static_cast<double>(tile.n)) *
                       static_cast<double>(product->batch);
  const double waves = std::ceil(tiles / *units);
  if (!(tiles > 0) || waves * *units / tiles < kNotable) return std::nullopt;
  const double ratio = waves * *units / tiles;
  return Symptom{0.85 * explained(ratio, point), number(tiles) + " tiles on " + number(*units) +
                                                     " units keep them busy for " +
                                                     percent(1 / ratio) + " of " + number(waves) +
                                                     (waves == 1 ? " wave" : " waves")};
}

std::optional<Symptom> library_held_back(const Record& point, const Report&) {
  const Facts& facts = point.implementation;
  const bool below = flag_fact(facts, "library_below_cpu_isa");
  const std::string instead = text_fact(facts, "provider_instead_of");
  if (!below && instead.empty()) return std::nullopt;
  std::string evidence = text_fact(facts, "provider");
  if (evidence.empty()) evidence = "the library";
  const std::string isa = text_fact(facts, "library_isa");
  const std::string core = text_fact(facts, "library_core");
  const std::string own = text_fact(facts, "isa_path");
  if (below) {
    evidence += " runs its code for " + (!core.empty()  ? core
                                         : !isa.empty() ? isa
                                                        : "an older CPU");
    if (!own.empty()) evidence += " on a CPU with " + own;
  }
  if (!instead.empty()) evidence += (below ? ", and" : " ran") + (" instead of " + instead);
  return Symptom{below ? 0.9 : 0.5, std::move(evidence)};
}

std::optional<Symptom> ordinary_units(const Record& point, const Report& report) {
  const auto& own = point.roofs.compute;
  const auto& achieved = point.assessment->achieved;
  if (!own || !achieved) return std::nullopt;
  constexpr double kFits = 0.7;    // of the slower peak, at least
  constexpr double kSlower = 0.6;  // of the own peak, at most
  const ComputeRoof* best = nullptr;
  for (const RoofEntry& entry : report.roofs) {
    const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
    if (roof == nullptr || roof->key == own->key || roof->sparsity != Sparsity::dense) continue;
    if (is_best_product(entry)) continue;  // what one shape reached is no limit of a unit
    if (roof->peak > kSlower * own->peak) continue;
    if (*achieved < kFits * roof->peak || *achieved > kImpossible * roof->peak) continue;
    if (best == nullptr || roof->peak < best->peak) best = roof;
  }
  if (best == nullptr) return std::nullopt;
  return Symptom{0.55, text(*achieved) + " is " + percent(*achieved / best->peak) + " of the " +
                           std::string(name(best->key)) + " peak, and " +
                           percent(*achieved / own->peak) + " of the " +
                           std::string(name(own->key)) + " one it is held against"};
}

std::optional<Symptom> kernel_choice(const Record& point, const Report&) {
  std::string evidence = percent(*point.assessment->of_ceiling) + " of the ceiling";
  if (point.assessment->achieved && point.placement.ceiling) {
    evidence = text(*point.assessment->achieved) + " of " + text(*point.placement.ceiling);
  }
  const std::string provider = text_fact(point.implementation, "provider");
  if (!provider.empty()) evidence += " by " + provider;
  return Symptom{0.2, std::move(evidence)};
}

}  // namespace roofline::symptom
