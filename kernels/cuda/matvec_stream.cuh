// The weights that a warp meets, in registers, one chunk of a tile after the other: while a chunk
// is multiplied the next one is on its way. Knows how weights and scales lie in memory, nothing of
// activations.
#pragma once

#include "kernels/cuda/matvec_shape.hpp"
#include "kernels/cuda/matvec_weights.cuh"

namespace roofline::cuda::device {

/// The problem and a thread's place in it.
struct MatvecPlace {
  const unsigned char* weights;
  const Half* scales;
  u32 d_in;
  u32 d_out;
  u32 k_begin;  ///< of this split
  u32 k_count;
  u64 row_bytes;  ///< of weights
  bool aligned;   ///< every row starts at a multiple of 16 bytes
  u32 warp;
  u32 warps;
  u32 g;  ///< lane / 4
  u32 t;  ///< lane % 4
};

/// kSteps steps of 64 bytes make a chunk.
template <Weight weight, u32 kSteps>
class WeightStream {
 public:
  static constexpr u32 kParts = 16 / bits_of(weight);  ///< of 8 weights, in 16 bytes
  static constexpr u32 kStep = 4 * kParts * 8;         ///< d_in that four lanes load at once
  static constexpr u32 kChunk = kSteps * kStep;
  static constexpr bool kScaled = bits_of(weight) < 16;
  static constexpr u32 kGroupSteps = kMatvecGroup / kStep;
  static constexpr u32 kScales = kScaled ? kSteps / kGroupSteps : 1;  ///< of a chunk, in each row
  static_assert(kMatvecGranule % kChunk == 0);

  struct Scales {
    Half of_group[kScales];
  };
  struct Chunk {
    u32 tile;
    u32 round;    ///< how often the warps have shared out the row before
    bool exists;  ///< in the last round of a tile not every warp has a chunk
    bool last_round;
    Scales scales;  ///< of row group t of this lane's g
  };

  ROOFLINE_DEVICE explicit WeightStream(const MatvecPlace& place)
      : place_(place),
        tiles_(ceil_divide(place.d_out, kMatvecTile)),
        chunks_(ceil_divide(place.k_count, kChunk)),
        rounds_(ceil_divide(chunks_, place.warps)) {
    if (rounds_ == 0) rounds_ = 1;  // a split beyond d_in has zeros to write
  }

  /// Asks for the first chunk.
  ROOFLINE_DEVICE void begin() {
    next_.tile = blockIdx.x;
    next_.round = 0;
    point();
    ROOFLINE_UNROLL
    for (u32 step = 0; step < kSteps; ++step) refill(step);
  }

  /// The chunk whose weights are in the registers, or on their way there; false after the last one.
  /// Then the one after it is what refill() asks for.
  ROOFLINE_DEVICE bool take(Chunk& now) {
    if (next_.exists && !place_.aligned) load_singly_all();
    now = next_;
    if (now.tile >= tiles_) return false;
    next_.tile = now.last_round ? now.tile + gridDim.x : now.tile;
    next_.round = now.last_round ? 0 : now.round + 1;
    point();
    return true;
  }

  /// 16 bytes of row 8 * row_group + g of the tile.
  [[nodiscard]] ROOFLINE_DEVICE const uint4& pack(u32 step, u32 row_group) const {
    return q_[step][row_group];
  }

  /// The step has been used: its registers ask for the same step of the next chunk.
  ROOFLINE_DEVICE void refill(u32 step) {
    if (whole_) {
      ROOFLINE_UNROLL
      for (u32 j = 0; j < 4; ++j) q_[step][j] = load128_once(address(step, j));
    } else if (next_.exists && place_.aligned) {
      // At the end of d_in or d_out. Rows end where 16 bytes do.
      const bool inside = first_k() + step * kStep < place_.k_count;
      ROOFLINE_UNROLL
      for (u32 j = 0; j < 4; ++j) {
        q_[step][j] = {};
        if (inside && row(j) < place_.d_out) q_[step][j] = load128_once(address(step, j));
      }
    }
  }

  [[nodiscard]] ROOFLINE_DEVICE u32 number_of(const Chunk& chunk) const {
    return chunk.round * place_.warps + place_.warp;
  }

 private:
  /// Of this lane's first weight of the next chunk, in this split.
  [[nodiscard]] ROOFLINE_DEVICE u32 first_k() const {
    return number_of(next_) * kChunk + place_.t * kParts * 8;
  }
  [[nodiscard]] ROOFLINE_DEVICE u32 row(u32 row_group) const {
    return next_.tile * kMatvecTile + 8 * row_group + place_.g;
  }
  [[nodiscard]] ROOFLINE_DEVICE const unsigned char* address(u32 step, u32 row_group) const {
    return p_ + row_group * 8 * place_.row_bytes + 64 * step;
  }

  /// Tile and round of next_ are new: everything else follows.
  ROOFLINE_DEVICE void point() {
    const u32 number = number_of(next_);
    next_.exists = next_.tile < tiles_ && number < chunks_;
    next_.last_round = next_.round + 1 == rounds_;
    whole_ = next_.exists && place_.aligned && (number + 1) * kChunk <= place_.k_count &&
             (next_.tile + 1) * kMatvecTile <= place_.d_out;
    p_ = place_.weights + row(0) * place_.row_bytes +
         u64{place_.k_begin + number * kChunk} * bits_of(weight) / 8 + place_.t * 16;
    if constexpr (kScaled) load_scales(number);
  }

  /// Lane t of a row group has the scales of row group t: each is loaded once.
  ROOFLINE_DEVICE void load_scales(u32 number) {
    const u32 own_row = row(place_.t);
    if (!next_.exists || own_row >= place_.d_out) return;
    const u32 groups = ceil_divide(place_.d_in, kMatvecGroup);
    const u32 group = (place_.k_begin + number * kChunk) / kMatvecGroup;
    const Half* const from = place_.scales + u64{own_row} * groups + group;
    if (groups % kScales == 0) {
      using Bits = std::conditional_t<kScales == 4, uint2,
                                      std::conditional_t<kScales == 2, u32, std::uint16_t>>;
      next_.scales = bits_as<Scales>(load(reinterpret_cast<const Bits*>(from)));
      return;
    }
    ROOFLINE_UNROLL
    for (u32 i = 0; i < kScales; ++i) {
      if (group + i < groups) next_.scales.of_group[i] = load(from + i);
    }
  }

  /// Rows that start anywhere: element by element, and in no hurry. From the last pack to the
  /// first, each pushing the others up: indices that are not constant would need memory.
  ROOFLINE_DEVICE void load_singly_all() {
    ROOFLINE_NO_UNROLL
    for (u32 n = kSteps * 4; n > 0; --n) {
      const u32 step = (n - 1) / 4;
      const u32 j = (n - 1) % 4;
      const u32 k = first_k() + step * kStep;
      ROOFLINE_UNROLL
      for (u32 to = kSteps * 4 - 1; to > 0; --to)
        q_[to / 4][to % 4] = q_[(to - 1) / 4][(to - 1) % 4];
      q_[0][0] = {};
      if (row(j) < place_.d_out && k < place_.k_count) {
        q_[0][0] = load_singly<weight>(address(step, j), place_.k_count - k);
      }
    }
  }

  MatvecPlace place_;
  u32 tiles_;   ///< of d_out
  u32 chunks_;  ///< of this split, in each row
  u32 rounds_;  ///< of all warps over the chunks
  Chunk next_ = {};
  bool whole_ = false;                ///< all of next_ exists, in whole 16 bytes
  const unsigned char* p_ = nullptr;  ///< this lane's first 16 bytes of next_
  uint4 q_[kSteps][4] = {};  ///< step, row group; of the chunk that was taken, then of next_
};

}  // namespace roofline::cuda::device
