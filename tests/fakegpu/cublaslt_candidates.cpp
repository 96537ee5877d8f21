#include "cublaslt_candidates.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace fakegpu::lt {
namespace {

struct Tile {
  std::uint32_t id;  // cublasLtMatmulTile_t
  unsigned rows;
  unsigned columns;
  double share;  // of the rate of the largest
};

constexpr std::array kTiles{Tile{24, 256, 128, 1},    Tile{23, 128, 256, 1},
                            Tile{20, 128, 128, 0.93}, Tile{21, 256, 64, 0.86},
                            Tile{19, 64, 256, 0.86},  Tile{18, 128, 64, 0.82},
                            Tile{17, 64, 128, 0.82},  Tile{15, 64, 64, 0.66},
                            Tile{16, 128, 32, 0.58},  Tile{13, 64, 32, 0.42}};

/// cublasLtMatmulStages_t, the deeper pipeline first.
struct Stages {
  std::uint32_t deep;
  std::uint32_t shallow;
};

constexpr std::array kSplits{2, 3, 4, 6, 8, 12, 16};
constexpr double kTileClocks = 1200;   // before the first and behind the last product of a tile
constexpr double kReduction = 1.5e-6;  // s, beyond its bytes
constexpr double kDeepFrom = 1024;     // of k; pipelines that are deeper than the loop is long idle
constexpr double kUnknown = 0.12;      // what no guess foresees: up to so much slower
constexpr double kClusterTraffic = 0.6;  // of L2, where two blocks share what they load
constexpr std::uint32_t kVector = 16;    // byte; what the units want their operands aligned to

constexpr std::uint32_t kInPlace = 1;
constexpr std::uint32_t kThroughWorkspace = 2;

bool on_tensor_cores(const Problem& problem, const DeviceModel& model) {
  if (problem.a.type == DataType::r_64f) return model.matrix_flop_per_clock.fp64 >= 128;
  return problem.a.type != DataType::r_32f || problem.compute == ComputeType::c_32f_fast_tf32;
}

unsigned largest_area(const Problem& problem) {
  if (problem.a.type == DataType::r_64f) return 128 * 64;
  return problem.a.type == DataType::r_32f && problem.compute == ComputeType::c_32f ? 128 * 128
                                                                                    : 256 * 128;
}

Stages stages_of(const Problem& problem, const DeviceModel& model) {
  if (problem.a.type == DataType::r_64f) return {4, 3};     // 16x4, 16x3
  if (!on_tensor_cores(problem, model)) return {28, 26};    // 8x5, 8x4
  if (bytes_of(problem.a.type) == 1) return {21, 16};       // 128x3, 64x4
  if (model.major >= 9) return {35, 16};                    // 64xAUTO, 64x4
  return model.major >= 8 ? Stages{15, 10} : Stages{8, 2};  // 64x3, 32x4; 32x2, 16x2
}

std::int32_t id_of(const Problem& problem, const DeviceModel& model, bool aligned) {
  if (!on_tensor_cores(problem, model)) return 0;
  if (!aligned) return 24;
  return model.major >= 9 ? 66 : model.major >= 8 ? 21 : 6;
}

/// What kernels that load less than 16 bytes at a time reach.
double alignment_share(const Problem& problem, std::uint32_t alignment) {
  const bool ordinary = problem.a.type == DataType::r_32f && problem.compute == ComputeType::c_32f;
  if (alignment >= kVector || ordinary) return 1;
  return alignment >= 8 ? 0.8 : alignment >= 4 ? 0.55 : 0.3;
}

std::uint32_t power_of_two_in(std::uint64_t bytes) {
  return bytes == 0 ? 256
                    : static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes & -bytes, 256));
}

/// What the kernel may count on for every column of both operands.
std::uint32_t alignment_of(const Problem& problem, const Limits& limits) {
  const auto of = [](const Matrix& matrix, std::uint32_t pointer) {
    const std::size_t element = bytes_of(matrix.type);
    const auto stride = matrix.batch == 1 ? 0 : static_cast<std::uint64_t>(matrix.stride) * element;
    return std::min({pointer, power_of_two_in(static_cast<std::uint64_t>(matrix.ld) * element),
                     power_of_two_in(stride), kVector});
  };
  return std::min(of(problem.a, limits.alignment_a), of(problem.b, limits.alignment_b));
}

std::uint64_t ceil_of(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// 0..1, the same for the same problem and algorithm.
double chance(const Problem& problem, const Config& config) {
  std::uint64_t hash = problem.m() * 0x9e3779b97f4a7c15ULL + problem.n();
  for (const std::uint64_t part :
       {problem.k(), static_cast<std::uint64_t>(problem.a.type), std::uint64_t{config.tile},
        std::uint64_t{config.stages}, static_cast<std::uint64_t>(config.split_k)}) {
    hash = (hash ^ part) * 0xbf58476d1ce4e5b9ULL;
    hash ^= hash >> 31;
  }
  return static_cast<double>(hash >> 11) * 0x1p-53;
}

/// Bytes of sums that wait to be added up.
std::uint64_t partial_bytes(const Problem& problem, const Config& config) {
  const std::uint64_t element = problem.a.type == DataType::r_64f ? 8 : 4;
  return problem.m() * problem.n() * static_cast<std::uint64_t>(problem.d.batch) * element *
         static_cast<std::uint64_t>(config.split_k);
}

class CostModel {
 public:
  CostModel(const Problem& problem, const DeviceModel& model)
      : problem_(problem),
        model_(model),
        clock_(model.clock_khz * 1e3),
        l2_per_clock_(model.l2_bandwidth / clock_) {
    for (const Tile& tile : kTiles) {
      if (tile.rows * tile.columns <= largest_area(problem)) {
        best_share_ = std::max(best_share_, tile.share);
      }
    }
  }

  [[nodiscard]] Candidate cost(const Tile& tile, const Config& config) const {
    Candidate out{.config = config};
    const auto split = static_cast<std::uint64_t>(config.split_k);
    const std::uint64_t depth = ceil_of(problem_.k(), split);
    out.blocks = ceil_of(problem_.m(), tile.rows) * ceil_of(problem_.n(), tile.columns) *
                 static_cast<std::uint64_t>(problem_.d.batch) * split;
    const double waves = static_cast<double>(out.blocks) / model_.sm_count;
    out.waves = static_cast<float>(waves);
    if (config.reduction == kThroughWorkspace) {
      out.workspace_bytes = partial_bytes(problem_, config);
    }
    const double block = block_clocks(tile, config, static_cast<double>(depth));
    const double whole = std::ceil(waves);
    out.estimate = block * (0.6 * whole + 0.4 * std::max(waves, 1.0));
    if (split > 1) out.estimate += kReduction * clock_;
    const double computing = block * whole * (1 + kUnknown * chance(problem_, config));
    const double loading = static_cast<double>(out.blocks) *
                           block_bytes(tile, config, static_cast<double>(depth)) / l2_per_clock_;
    out.sm_clocks = std::max(computing, loading) + reduction_clocks(config);
    const double flop = 2.0 * static_cast<double>(problem_.m() * problem_.n()) *
                        static_cast<double>(problem_.k()) * problem_.d.batch;
    out.busy_clocks =
        flop / (rate_of(problem_, model_) * model_.matrix_efficiency * model_.sm_count);
    return out;
  }

 private:
  [[nodiscard]] double block_clocks(const Tile& tile, const Config& config, double depth) const {
    const bool deep = config.stages == stages_of(problem_, model_).deep;
    const double pipeline = deep ? std::min(1.0, 0.9 + 0.1 * depth / kDeepFrom) : 0.96;
    const double rate = rate_of(problem_, model_) * model_.matrix_efficiency * pipeline *
                        tile.share / best_share_ * alignment_share(problem_, config.alignment);
    return 2.0 * tile.rows * tile.columns * depth / rate + kTileClocks;
  }
  /// Through L2, edges that are no whole tile included.
  [[nodiscard]] double block_bytes(const Tile& tile, const Config& config, double depth) const {
    const auto element = static_cast<double>(bytes_of(problem_.a.type));
    const double shared = config.cluster == kTwo ? kClusterTraffic : 1;
    return (tile.rows + tile.columns) * depth * element * shared +
           static_cast<double>(tile.rows) * tile.columns *
               static_cast<double>(bytes_of(problem_.d.type));
  }
  [[nodiscard]] double reduction_clocks(const Config& config) const {
    if (config.split_k == 1) return 0;
    const double passes = config.reduction == kInPlace ? 4 : 2;
    return kReduction * clock_ +
           passes * static_cast<double>(partial_bytes(problem_, config)) / l2_per_clock_;
  }

 public:
  static constexpr std::uint16_t kOne = 2;  // cublasLtClusterShape_t: 1x1x1
  static constexpr std::uint16_t kTwo = 3;  // 2x1x1

 private:
  const Problem& problem_;
  const DeviceModel& model_;
  double clock_;
  double l2_per_clock_;
  double best_share_ = 0;
};

std::vector<Config> configs_of(const Problem& problem, const Tile& tile, std::uint32_t alignment,
                               const DeviceModel& model) {
  std::vector<Config> out;
  const bool clusters = model.major >= 9 && on_tensor_cores(problem, model);
  const Stages stages = stages_of(problem, model);
  const std::uint64_t tiles = ceil_of(problem.m(), tile.rows) * ceil_of(problem.n(), tile.columns) *
                              static_cast<std::uint64_t>(problem.d.batch);
  const auto add = [&](std::uint32_t depth, int split, std::uint32_t reduction) {
    out.push_back({.id = id_of(problem, model, alignment >= kVector),
                   .tile = tile.id,
                   .stages = depth,
                   .split_k = split,
                   .reduction = reduction,
                   .swizzle = depth == stages.deep ? 1U : 0U,
                   .cluster = !clusters          ? std::uint16_t{0}
                              : tile.rows >= 128 ? CostModel::kTwo
                                                 : CostModel::kOne,
                   .alignment = alignment});
  };
  for (const std::uint32_t depth : {stages.deep, stages.shallow}) add(depth, 1, 0);
  for (const int split : kSplits) {
    const auto parts = static_cast<std::uint64_t>(split);
    const auto sms = static_cast<std::uint64_t>(model.sm_count);
    if (problem.k() / parts < 128 || tiles * parts > 2 * sms) break;
    add(stages.shallow, split, kThroughWorkspace);
    add(stages.shallow, split, kInPlace);
  }
  return out;
}

/// Any alignment that the operands have.
template <class Take>
void each_candidate(const Problem& problem, std::uint32_t alignment, const DeviceModel& model,
                    const Take& take) {
  if (alignment < kVector && bytes_of(problem.a.type) == 1 && problem.a.type != DataType::r_8i) {
    return;  // FP8 is loaded 16 bytes at a time
  }
  const CostModel costs(problem, model);
  for (const Tile& tile : kTiles) {
    if (tile.rows * tile.columns > largest_area(problem)) continue;
    if (alignment < kVector && tile.rows * tile.columns > 128 * 128) continue;
    for (const Config& config : configs_of(problem, tile, alignment, model)) {
      take(costs.cost(tile, config));
    }
  }
}

}  // namespace

std::vector<Candidate> candidates(const Problem& problem, const Limits& limits,
                                  const DeviceModel& model) {
  std::vector<Candidate> out;
  const std::uint32_t alignment = alignment_of(problem, limits);
  if (alignment < bytes_of(problem.a.type)) return out;
  if (std::min(limits.alignment_c, limits.alignment_d) < bytes_of(problem.d.type)) return out;
  each_candidate(problem, alignment, model, [&](const Candidate& candidate) {
    if (candidate.workspace_bytes <= limits.most_workspace_bytes) out.push_back(candidate);
  });
  std::stable_sort(out.begin(), out.end(),
                   [](const Candidate& a, const Candidate& b) { return a.estimate < b.estimate; });
  return out;
}

std::optional<Candidate> candidate_of(const Problem& problem, const Config& config,
                                      const DeviceModel& model) {
  std::optional<Candidate> found;
  each_candidate(problem, config.alignment, model, [&](const Candidate& candidate) {
    if (candidate.config == config) found = candidate;
  });
  return found;
}

}  // namespace fakegpu::lt
