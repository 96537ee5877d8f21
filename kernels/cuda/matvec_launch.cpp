#include "kernels/cuda/matvec_launch.hpp"

#include <algorithm>
#include <optional>

#include "kernels/cuda/matvec_shape.hpp"

namespace roofline::cuda {
namespace {

/// 128 registers each leave room for this many on an SM.
constexpr u32 kThreadsPerSm = 512;
/// What the system takes of a block's shared memory (CUDA programming guide, from 8.0 on), and what
/// the bf16 kernels take in addition where they have no matrix instruction: on Turing, which is
/// told by its 64 KiB.
constexpr u64 kReservedShared = 1024;
constexpr u64 kTuringShared = u64{64} * 1024;
constexpr u64 kTuringReserved = u64{12} * 1024;

// Times below are in rounds: how long a chunk takes from the first load to the last product when
// nothing else is going on, about 0.8 us.
/// Warps of an SM, each with a chunk of 8 KiB in flight, that saturate its memory: 48 KiB.
constexpr double kSaturatingWarps = 6;
/// Adding up the warps' sums of a tile.
constexpr double kFinishRounds = 0.25;
/// The second kernel of a split product.
constexpr double kReduceRounds = 3;
constexpr double kChunkBytes = 8192;

struct Plan {
  MatvecLaunch launch;
  double rounds = 0;
};

u32 most_rows_for(u32 rows) {
  u32 most = 1;
  while (most < rows && most < 16) most *= 2;
  return most;
}

class Planner {
 public:
  Planner(const MatvecShape& shape, const MatvecDevice& device)
      : shape_(shape),
        device_(device),
        most_rows_(most_rows_for(shape.rows)),
        tiles_(ceil_divide(shape.d_out, kMatvecTile)),
        granules_(std::max(1U, ceil_divide(shape.d_in, kMatvecGranule))) {}

  /// Splits that differ in length: the last one is shorter, but none is empty.
  [[nodiscard]] u32 splits_near(u32 splits) const {
    return ceil_divide(granules_, ceil_divide(granules_, splits));
  }
  [[nodiscard]] u32 most_splits() const { return granules_; }

  /// Blocks that an SM holds at once; 0 where the activations do not fit.
  [[nodiscard]] u32 blocks_per_sm(u32 block, u32 splits) const {
    const u64 own = shared_bytes(block, splits) +
                    (device_.shared_per_block <= kTuringShared ? kTuringReserved : 0);
    if (own > device_.shared_per_block) return 0;
    return static_cast<u32>(
        std::min<u64>(kThreadsPerSm / block, device_.shared_per_sm / (own + kReservedShared)));
  }

  [[nodiscard]] Plan plan(u32 block, u32 splits) const {
    const u64 resident = u64{device_.sm_count} * std::max(blocks_per_sm(block, splits), 1U);
    const u32 warps = block / 32;
    const u32 length = matvec_split_length(shape_.d_in, splits);
    const u32 chunks = ceil_divide(length, chunk());
    const u64 most_x = std::max<u64>(resident / splits, 1);
    const u32 tiles_per_block = static_cast<u32>((tiles_ + most_x - 1) / most_x);
    Plan out;
    out.launch.most_rows = most_rows_;
    out.launch.block = block;
    // As many as have equal shares.
    out.launch.grid_x = ceil_divide(tiles_, tiles_per_block);
    out.launch.splits = splits;
    out.launch.shared_bytes = shared_bytes(block, splits);
    const double bytes = static_cast<double>(shape_.d_out) * static_cast<double>(shape_.d_in) *
                         static_cast<double>(shape_.weight_bits) / 8;
    out.rounds =
        std::max(in_rounds(bytes), tiles_per_block * (ceil_divide(chunks, warps) + kFinishRounds));
    if (splits > 1) {
      const u64 values = u64{shape_.rows} * shape_.d_out;
      out.launch.partial_bytes = values * splits * sizeof(float);
      out.launch.reduce_grid = static_cast<u32>(
          std::min<u64>((values + out.launch.reduce_block - 1) / out.launch.reduce_block,
                        u64{device_.sm_count} * 8));
      out.rounds += kReduceRounds + in_rounds(2 * static_cast<double>(out.launch.partial_bytes));
    }
    return out;
  }

 private:
  /// d_in of a chunk: 256 bytes of weights; 128 where 16 rows and scaled sums leave registers for
  /// no more.
  [[nodiscard]] u32 chunk() const {
    const u32 bytes = most_rows_ == 16 && shape_.weight_bits < 16 ? 128 : 256;
    return bytes * 8 / shape_.weight_bits;
  }
  [[nodiscard]] u64 shared_bytes(u32 block, u32 splits) const {
    return matvec_shared_bytes(most_rows_, matvec_split_length(shape_.d_in, splits), block / 32);
  }
  [[nodiscard]] double in_rounds(double bytes) const {
    return bytes / (kChunkBytes * kSaturatingWarps * device_.sm_count);
  }

  MatvecShape shape_;
  MatvecDevice device_;
  u32 most_rows_;
  u32 tiles_;
  u32 granules_;
};

}  // namespace

MatvecLaunch matvec_launch(const MatvecShape& shape, const MatvecDevice& device) {
  const Planner planner(shape, device);
  std::optional<Plan> best;
  for (const u32 block : {256U, 512U, 128U}) {
    u32 last = 0;
    for (u32 wanted = 1; wanted <= planner.most_splits(); ++wanted) {
      const u32 splits = planner.splits_near(wanted);
      if (splits == last || planner.blocks_per_sm(block, splits) == 0) continue;
      last = splits;
      const Plan plan = planner.plan(block, splits);
      // Splits and other blocks have to earn their place.
      if (!best || plan.rounds < 0.98 * best->rounds) best = plan;
    }
  }
  // The smallest there is, and the launch will say what is wrong with the device.
  return best ? best->launch : planner.plan(128, planner.most_splits()).launch;
}

}  // namespace roofline::cuda
