// What sizes and layout of a product say: where its rows begin, and how its output falls into tiles
// and waves. The tile is the one that the library told, or else the usual one.
#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <vector>

#include "diagnosis_symptoms.hpp"
#include "prose.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/tiling.hpp"

namespace roofline::symptom {

using prose::number;
using prose::percent;

namespace {

struct Extent {
  const char* name;
  std::uint64_t size;
};

/// The rows of an operand as memory holds them, and the bits of their elements.
struct Rows {
  Extent length;
  unsigned bits;
};

/// A product as its kernel sees it.
struct Product {
  Extent m, n, k;
  std::uint64_t batch;
  std::vector<Rows> operands;
};

std::optional<Product> product_of(const Workload& workload) {
  if (const auto* gemm = std::get_if<Gemm>(&workload)) {
    const Extent m{"m", gemm->m}, n{"n", gemm->n}, k{"k", gemm->k};
    const unsigned in = storage_bits(gemm->input);
    const unsigned out = storage_bits(gemm->output.value_or(info(gemm->input).output));
    return Product{m,
                   n,
                   k,
                   gemm->batch,
                   {{gemm->transpose_a ? m : k, in}, {gemm->transpose_b ? k : n, in}, {n, out}}};
  }
  if (const auto* projection = std::get_if<Projection>(&workload)) {
    const unsigned bits = storage_bits(projection->activation);
    const Extent in{"d_in", projection->d_in}, out{"d_out", projection->d_out};
    return Product{{"rows", projection->rows}, out, in, 1, {{in, bits}, {out, bits}}};
  }
  return std::nullopt;
}

struct ChosenTile {
  Tile tile;
  bool told = false;  ///< by the library, which chose it
};

/// `128x256` as the library says it: rows x columns of its column-major result, which are our n x
/// m.
std::optional<Tile> told_tile(const Record& point) {
  const std::string text = text_fact(point.implementation, "algo_tile");
  std::array<std::uint64_t, 2> sides{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (i == 1 && (at == end || *at++ != 'x')) return std::nullopt;
    const auto [next, error] = std::from_chars(at, end, sides[i]);
    if (error != std::errc{} || sides[i] == 0) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return Tile{.m = sides[1], .n = sides[0]};
}

/// Unless it is told: the usual tile of matrix units, and what a few vector registers hold.
ChosenTile tile_of(const Record& point, const Product& product) {
  if (const auto told = told_tile(point)) return {*told, true};
  if (!is_cpu(point)) return {};
  constexpr std::uint64_t kRegisterBits = 512;
  return {{16, std::max<std::uint64_t>(1, kRegisterBits / product.operands.front().bits)}};
}

std::string tile_text(const ChosenTile& chosen) {
  // The library names the sides the other way round.
  const bool which = chosen.told && chosen.tile.m != chosen.tile.n;
  return (chosen.told ? "the library's tiles of " : "tiles of ") + std::to_string(chosen.tile.m) +
         "x" + std::to_string(chosen.tile.n) + (which ? " (m x n)" : "");
}

std::uint64_t whole(std::optional<double> fact) {
  constexpr double kMost = 1e9;
  return fact && *fact >= 1 && *fact < kMost ? static_cast<std::uint64_t>(*fact) : 0;
}

/// Tiles on the units of the device, or as many units as threads ran it.
struct Layout {
  Product product;
  ChosenTile chosen;
  std::uint64_t units;
  std::uint64_t splits;  ///< parts of k; 1 where nothing is said
  Tiling tiling;
};

std::optional<Layout> layout_of(const Record& point, const Report& report) {
  auto product = product_of(point.workload);
  const std::uint64_t units = whole(is_cpu(point) ? number_fact(point.implementation, "threads")
                                                  : number_fact(report.environment, "sm_count"));
  if (!product || units == 0) return std::nullopt;
  if (product->m.size == 0 || product->n.size == 0 || product->batch == 0) return std::nullopt;
  const ChosenTile chosen = tile_of(point, *product);
  const std::uint64_t splits =
      std::max<std::uint64_t>(1, whole(number_fact(point.implementation, "split_k")));
  const TiledOutput output{product->m.size, product->n.size, product->batch, splits};
  return Layout{*product, chosen, units, splits, tiling(output, chosen.tile, units)};
}

/// `16 tiles of 128x128, each in 2 parts of k, on 108 units leave` or another verb.
std::string tiles_on_units(const Layout& layout, const std::string& verb) {
  const double tiles = layout.tiling.tiles / static_cast<double>(layout.splits);
  std::string out = number(tiles) + (layout.chosen.told ? " of " : " ") + tile_text(layout.chosen);
  if (layout.splits > 1)
    out +=
        ", each in " + std::to_string(layout.splits) + " parts of " + layout.product.k.name + ",";
  return out + " on " + std::to_string(layout.units) + " units " + verb + (tiles == 1 ? "s" : "");
}

/// Fewer idle units than this say nothing.
constexpr double kNotableWaves = 1.15;

/// How many times as many parts of k would put idle units to work; 1: none would. A part needs some
/// length of k to be worth the sum at its end.
std::uint64_t possible_parts(const Layout& layout) {
  constexpr std::uint64_t kLeastPart = 256;
  if (layout.tiling.waves > 1) return 1;
  const auto by_units = static_cast<std::uint64_t>(static_cast<double>(layout.units) /
                                                   std::max(1.0, layout.tiling.tiles));
  return std::max<std::uint64_t>(
      1, std::min(by_units, layout.product.k.size / layout.splits / kLeastPart));
}

bool few_tiles_explain(const Record& point, const Layout& layout) {
  return !is_cpu(point) && possible_parts(layout) > 1;
}

}  // namespace

std::optional<Symptom> awkward_shape(const Record& point, const Report&) {
  const auto product = product_of(point.workload);
  if (!product) return std::nullopt;
  // Rows of operands start where the hardware loads them whole: tensor cores by 16 bytes, memory by
  // lines of 128, CPUs by lines of 64.
  struct Grain {
    std::uint64_t bytes;
    double score;
  };
  static constexpr std::array<Grain, 2> kGpu = {{{16, 0.8}, {128, 0.45}}};
  static constexpr std::array<Grain, 1> kCpu = {{{64, 0.4}}};
  const std::span<const Grain> grains =
      is_cpu(point) ? std::span<const Grain>(kCpu) : std::span<const Grain>(kGpu);
  for (const Grain& grain : grains) {
    for (const Rows& rows : product->operands) {
      const std::uint64_t bits = 8 * grain.bytes;
      const std::uint64_t elements = bits / std::gcd(bits, std::uint64_t{rows.bits});
      const std::uint64_t rest = rows.length.size % elements;
      if (rest == 0) continue;
      const auto size = static_cast<double>(rows.length.size);
      const auto padding = static_cast<double>(elements - rest);
      return Symptom{grain.score, std::string(rows.length.name) + " = " +
                                      std::to_string(rows.length.size) + " makes rows of " +
                                      number(size * rows.bits / 8) + " bytes, no multiple of " +
                                      std::to_string(grain.bytes) + "; padded to " +
                                      number(size + padding) + " they are one, for " +
                                      percent(padding / size) + " more work"};
    }
  }
  return std::nullopt;
}

std::optional<Symptom> tile_quantisation(const Record& point, const Report&) {
  constexpr double kNotable = 1.1;
  const auto product = product_of(point.workload);
  if (!product || product->m.size == 0 || product->n.size == 0) return std::nullopt;
  const ChosenTile chosen = tile_of(point, *product);
  const double useful = tiling({product->m.size, product->n.size}, chosen.tile, 1).useful;
  if (1 / useful < kNotable) return std::nullopt;
  return Symptom{0.9 * explained(1 / useful, point),
                 std::string(product->m.name) + " x " + product->n.name + " = " +
                     std::to_string(product->m.size) + "x" + std::to_string(product->n.size) +
                     " fills " + tile_text(chosen) + " to " + percent(useful) + ", so that " +
                     percent(1 - useful) + " of what they compute is thrown away"};
}

std::optional<Symptom> wave_quantisation(const Record& point, const Report& report) {
  const auto layout = layout_of(point, report);
  if (!layout || 1 / layout->tiling.busy < kNotableWaves) return std::nullopt;
  if (few_tiles_explain(point, *layout)) return std::nullopt;
  const Tiling& found = layout->tiling;
  std::string evidence = tiles_on_units(*layout, "keep") + " them busy for " + percent(found.busy) +
                         " of " + number(found.waves) + (found.waves == 1 ? " wave" : " waves");
  if (found.waves > 1)
    evidence += "; the last one has work for " + percent(found.last_wave) + " of them";
  return Symptom{0.85 * explained(1 / found.busy, point), std::move(evidence)};
}

std::optional<Symptom> few_tiles(const Record& point, const Report& report) {
  const auto layout = layout_of(point, report);
  // By memory's side only what the library told counts: no tile is usual there.
  if (!layout || (memory_side(point) && !layout->chosen.told)) return std::nullopt;
  if (1 / layout->tiling.busy < kNotableWaves || !few_tiles_explain(point, *layout))
    return std::nullopt;
  const std::uint64_t parts = possible_parts(*layout);
  const double busy = layout->tiling.busy;
  const std::string more =
      layout->splits == 1 ? " is not split; " + std::to_string(parts) + " parts of it would employ "
                          : " could be split further; " + std::to_string(parts) +
                                " times as many parts would employ ";
  return Symptom{0.88 * explained(static_cast<double>(parts), point),
                 tiles_on_units(*layout, "leave") + " " + percent(1 - busy) +
                     " of them idle, and " + layout->product.k.name + " = " +
                     std::to_string(layout->product.k.size) + more +
                     percent(busy * static_cast<double>(parts))};
}

}  // namespace roofline::symptom
