// Token rows meeting one weight matrix: y[rows, d_out] = x[rows, d_in] * W, W stored as d_out rows
// of d_in weights. Every weight is loaded once, 16 bytes at a time, straight into the registers
// from which the warp's matrix product takes it; activations lie in shared memory.
//
// A block makes 32 outputs at a time (a tile) for all token rows; its warps share d_in. A warp
// takes a chunk, 256 bytes of each of the 32 weight rows, and its neighbours take the next ones, so
// that a block reads 256 bytes * warps of each row at once. Lane 4 g + t loads bytes 16 t of every
// step of 64 bytes of the rows g, g + 8, g + 16, g + 24 of the tile: what a lane holds of a row are
// neighbours in d_in, where the product wants k = 2t, 2t + 1, 2t + 8, 2t + 9. That makes no
// difference to the sum as long as lane t finds its activations in the same order.
//
// As soon as a step is multiplied its registers ask for the same step of the next chunk, also
// across tiles. So 192 to 256 bytes per lane are in flight at any time; with the 512 threads per SM
// that 128 registers each allow these are 96 to 128 KiB per SM (stream.cuh says what devices need).
//
// Why matrix units for a memory-bound operation: at 16 rows an H200 would need 2.4e12 bf16
// weights/s
// * 16 FMA = 38e12 FMA/s, more than its vector units have (30e12), and 4-bit weights four times
// that. The product of a 16 x 16 piece of weights costs the same for 1 to 8 rows.
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

template <Weight weight, class A, u32 kRows>
class Matvec {
 public:
  ROOFLINE_DEVICE Matvec(const MatvecPlace& place, unsigned char* shared)
      : place_(place),
        x_(shared),
        x_stride_(matvec_x_stride(place.k_count)),
        partial_sums_(reinterpret_cast<float*>(shared + kRows * x_stride_)),
        tiles_(ceil_divide(place.d_out, kMatvecTile)),
        chunks_(ceil_divide(place.k_count, kChunk)),
        rounds_(ceil_divide(chunks_, place.warps)) {
    if (rounds_ == 0) rounds_ = 1;  // a split beyond d_in has zeros to write
  }

  /// Asks for the first weights.
  ROOFLINE_DEVICE void begin() {
    next_ = Cursor{blockIdx.x, 0, nullptr, false, false};
    point(next_);
    if (next_.whole) {
      ROOFLINE_UNROLL
      for (u32 step = 0; step < kSteps; ++step) load_step(step);
    }
  }

  /// Activations of this split into shared memory, zeros where there are none.
  ROOFLINE_DEVICE void load_activations(const A* x, u32 rows) {
    const u32 packs = matvec_padded(place_.k_count) / 8;
    const bool aligned = place_.d_in % 8 == 0;
    ROOFLINE_NO_UNROLL
    for (u32 row = 0; row < kRows; ++row) {
      const A* const from = x + u64{row} * place_.d_in + place_.k_begin;
      ROOFLINE_NO_UNROLL
      for (u32 pack = threadIdx.x; pack < packs; pack += blockDim.x) {
        const Pack<A> values = activations_at(from, pack * 8, row < rows, aligned);
        Pack<A> ordered;
        ROOFLINE_UNROLL
        for (u32 i = 0; i < 8; ++i) ordered.v[i] = values.v[order<weight>(i)];
        *reinterpret_cast<uint4*>(x_ + row * x_stride_ + place_of_pack(pack) * 16) =
            bits_as<uint4>(ordered);
      }
    }
  }

  /// All tiles of this block, of this split.
  ROOFLINE_DEVICE void run(A* y, float* partial, u32 rows) {
    ROOFLINE_NO_UNROLL
    for (;;) {
      if (next_.active && !next_.whole) load_edge();
      if constexpr (kScaled) load_scales();
      const Cursor now = next_;
      if (now.tile >= tiles_) break;
      const Scales scales = next_scales_;
      const bool last_round = now.round + 1 == rounds_;
      next_.tile = last_round ? now.tile + gridDim.x : now.tile;
      next_.round = last_round ? 0 : now.round + 1;
      point(next_);
      multiply(now, scales);
      if (last_round) finish(y, partial, rows, now.tile);
    }
  }

 private:
  static constexpr u32 kColumnTiles = kRows > 8 ? 2 : 1;  ///< of 8 token rows
  static constexpr u32 kColumns = kRows < 8 ? kRows : 8;
  static constexpr u32 kParts = 16 / bits_of(weight);  ///< of 8 weights, in 16 bytes
  static constexpr u32 kStep = 4 * kParts * 8;         ///< d_in that four lanes load at once
  static constexpr bool kScaled = bits_of(weight) < 16;
  /// Twice the sums take the registers of two steps.
  static constexpr u32 kSteps = kScaled && kRows > 8 ? 2 : 4;
  static constexpr u32 kChunk = kSteps * kStep;
  static constexpr u32 kGroupSteps = kMatvecGroup / kStep;
  static constexpr u32 kScales = kScaled ? kSteps / kGroupSteps : 1;  ///< of a chunk, in each row
  static_assert(kMatvecGranule % kChunk == 0);

  using Sums = Sum[2][kColumnTiles];  ///< 16 rows of the tile, 8 token rows
  struct Scales {
    Half of_group[kScales];
  };

  /// A chunk of this warp.
  struct Cursor {
    u32 tile;
    u32 round;
    const unsigned char* p;  ///< this lane's first 16 bytes
    bool active;             ///< there is one: in the last round of a tile not every warp has
    bool whole;              ///< all of it exists, in whole 16 bytes
  };

  ROOFLINE_DEVICE u32 chunk_of(const Cursor& cursor) const {
    return cursor.round * place_.warps + place_.warp;
  }

  ROOFLINE_DEVICE void point(Cursor& cursor) const {
    const u32 chunk = chunk_of(cursor);
    const u32 row = cursor.tile * kMatvecTile + place_.g;
    cursor.active = cursor.tile < tiles_ && chunk < chunks_;
    cursor.whole = cursor.active && place_.aligned && (chunk + 1) * kChunk <= place_.k_count &&
                   (cursor.tile + 1) * kMatvecTile <= place_.d_out;
    cursor.p = place_.weights + row * place_.row_bytes +
               u64{place_.k_begin + chunk * kChunk} * bits_of(weight) / 8 + place_.t * 16;
  }

  /// Lanes of a step lie together, parts of a lane do not: then the 8 lanes that shared memory
  /// serves at a time find their 16 bytes in different banks.
  ROOFLINE_DEVICE static u32 place_of_pack(u32 pack) {
    const u32 in_step = pack % (4 * kParts);
    return pack - in_step + in_step % kParts * 4 + in_step / kParts;
  }

  /// Once from DRAM, for the first block; the others find it in L2.
  template <class T>
  ROOFLINE_DEVICE static T activation(const T* p) {
    return blockIdx.x == 0 ? load(p) : load_uncounted(p);
  }

  ROOFLINE_DEVICE Pack<A> activations_at(const A* from, u32 k, bool row_exists,
                                         bool aligned) const {
    Pack<A> values{};
    if (!row_exists || k >= place_.k_count) return values;
    if (aligned && k + 8 <= place_.k_count) {
      return bits_as<Pack<A>>(activation(reinterpret_cast<const uint4*>(from + k)));
    }
    ROOFLINE_UNROLL
    for (u32 i = 0; i < 8; ++i) {
      if (k + i < place_.k_count) values.v[i] = activation(from + k + i);
    }
    return values;
  }

  ROOFLINE_DEVICE void load_step(u32 step) {
    ROOFLINE_UNROLL
    for (u32 j = 0; j < 4; ++j) {
      q_[step][j] = load128_once(next_.p + j * 8 * place_.row_bytes + 64 * step);
    }
  }

  /// A chunk at the end of d_in or d_out, or of rows that start anywhere.
  ROOFLINE_DEVICE void load_edge() {
    const u32 k = chunk_of(next_) * kChunk + place_.t * kParts * 8;
    const u32 row = next_.tile * kMatvecTile + place_.g;
    ROOFLINE_UNROLL
    for (u32 step = 0; step < kSteps; ++step) {
      ROOFLINE_UNROLL
      for (u32 j = 0; j < 4; ++j) {
        const unsigned char* const p = next_.p + j * 8 * place_.row_bytes + 64 * step;
        const u32 from = k + step * kStep;
        q_[step][j] = {};
        if (row + 8 * j < place_.d_out && from < place_.k_count) {
          q_[step][j] = load_singly<weight>(p, place_.k_count - from);
        }
      }
    }
  }

  /// Lane t of a row group has the scales of row group t: each is loaded once.
  ROOFLINE_DEVICE void load_scales() {
    if (!next_.active) return;
    const u32 row = next_.tile * kMatvecTile + place_.t * 8 + place_.g;
    if (row >= place_.d_out) return;
    const u32 groups = ceil_divide(place_.d_in, kMatvecGroup);
    const u32 group = (place_.k_begin + chunk_of(next_) * kChunk) / kMatvecGroup;
    const Half* const from = place_.scales + u64{row} * groups + group;
    if (groups % kScales == 0) {
      load_together(from);
      return;
    }
    ROOFLINE_UNROLL
    for (u32 i = 0; i < kScales; ++i) {
      if (group + i < groups) next_scales_.of_group[i] = load(from + i);
    }
  }

  ROOFLINE_DEVICE void load_together(const Half* from) {
    using Bits = std::conditional_t<kScales == 4, uint2,
                                    std::conditional_t<kScales == 2, u32, std::uint16_t>>;
    next_scales_ = bits_as<Scales>(load(reinterpret_cast<const Bits*>(from)));
  }

  ROOFLINE_DEVICE void multiply(const Cursor& now, const Scales& scales) {
    const unsigned char* const x = x_ + chunk_of(now) * (kChunk * 2) + place_.t * 16;
    Sums group = {};
    ROOFLINE_UNROLL
    for (u32 step = 0; step < kSteps; ++step) {
      if (now.active) {
        if constexpr (kScaled) {
          multiply_step(group, step, x + step * kStep * 2);
          if ((step + 1) % kGroupSteps == 0) add_scaled(group, scales.of_group[step / kGroupSteps]);
        } else {
          multiply_step(sums_, step, x + step * kStep * 2);
        }
      }
      if (next_.whole) load_step(step);
    }
  }

  ROOFLINE_DEVICE void multiply_step(Sums& sums, u32 step, const unsigned char* x) const {
    ROOFLINE_UNROLL
    for (u32 part = 0; part < kParts; ++part) {
      uint4 activations[kColumnTiles];
      ROOFLINE_UNROLL
      for (u32 n = 0; n < kColumnTiles; ++n) {
        const u32 row = n * 8 + place_.g;
        activations[n] = uint4{};
        if (kRows >= 8 || row < kRows) {
          activations[n] = *reinterpret_cast<const uint4*>(x + row * x_stride_ + part * 64);
        }
      }
      ROOFLINE_UNROLL
      for (u32 m = 0; m < 2; ++m) {
        const Pairs upper = expand<weight, A>(q_[step][2 * m], part);
        const Pairs lower = expand<weight, A>(q_[step][2 * m + 1], part);
        ROOFLINE_UNROLL
        for (u32 n = 0; n < kColumnTiles; ++n) {
          multiply_add<A, kColumns>(sums[m][n],
                                    {{upper.pair[0], lower.pair[0], upper.pair[1], lower.pair[1]}},
                                    {{activations[n].x, activations[n].y}});
          multiply_add<A, kColumns>(sums[m][n],
                                    {{upper.pair[2], lower.pair[2], upper.pair[3], lower.pair[3]}},
                                    {{activations[n].z, activations[n].w}});
        }
      }
    }
  }

  /// The sums of a group of weights times the scales of their rows; starts the next group.
  ROOFLINE_DEVICE void add_scaled(Sums& group, Half own_scale) {
    const float own = widen(own_scale);
    ROOFLINE_UNROLL
    for (u32 m = 0; m < 2; ++m) {
      ROOFLINE_UNROLL
      for (u32 lower = 0; lower < 2; ++lower) {
        // Of row group 2 m + lower.
        const float scale =
            __shfl_sync(kAllLanes, own, static_cast<int>(place_.g * 4 + 2 * m + lower));
        ROOFLINE_UNROLL
        for (u32 n = 0; n < kColumnTiles; ++n) {
          ROOFLINE_UNROLL
          for (u32 i = 2 * lower; i < 2 * lower + 2; ++i) {
            sums_[m][n].element[i] = fused(group[m][n].element[i], scale, sums_[m][n].element[i]);
            group[m][n].element[i] = 0;
          }
        }
      }
    }
  }

  /// Adds up what the warps have of a tile, writes it, and starts the next tile with zeros.
  ROOFLINE_DEVICE void finish(A* y, float* partial, u32 rows, u32 tile) {
    float* const mine = partial_sums_ + place_.warp * (kRows * kMatvecSumStride);
    ROOFLINE_UNROLL
    for (u32 m = 0; m < 2; ++m) {
      ROOFLINE_UNROLL
      for (u32 n = 0; n < kColumnTiles; ++n) {
        ROOFLINE_UNROLL
        for (u32 i = 0; i < 4; ++i) {
          const u32 output = m * 16 + i / 2 * 8 + place_.g;
          const u32 row = n * 8 + place_.t * 2 + i % 2;
          if (row < kRows) mine[row * kMatvecSumStride + output] = sums_[m][n].element[i];
          sums_[m][n].element[i] = 0;
        }
      }
    }
    __syncthreads();
    ROOFLINE_NO_UNROLL
    for (u32 i = threadIdx.x; i < kRows * kMatvecTile; i += blockDim.x) {
      write_output(y, partial, rows, i / kMatvecTile, tile * kMatvecTile, i % kMatvecTile);
    }
    // The next tile's sums go to the same place.
    __syncthreads();
  }

  ROOFLINE_DEVICE void write_output(A* y, float* partial, u32 rows, u32 row, u32 first,
                                    u32 in_tile) const {
    const u32 output = first + in_tile;
    if (row >= rows || output >= place_.d_out) return;
    float sum = 0;
    ROOFLINE_NO_UNROLL
    for (u32 warp = 0; warp < place_.warps; ++warp) {
      sum += partial_sums_[(warp * kRows + row) * kMatvecSumStride + in_tile];
    }
    const u64 at = u64{row} * place_.d_out + output;
    if (partial != nullptr) {
      store_uncounted(partial + u64{blockIdx.y} * rows * place_.d_out + at, sum);
      return;
    }
    A narrowed;
    narrow(sum, &narrowed);
    store(y + at, narrowed);
  }

  MatvecPlace place_;
  unsigned char* x_;     ///< [kRows][x_stride_]
  u32 x_stride_;         ///< bytes
  float* partial_sums_;  ///< [warps][kRows][kMatvecSumStride]
  u32 tiles_;            ///< of d_out
  u32 chunks_;           ///< of this split, in each row
  u32 rounds_;           ///< of all warps over the chunks
  Cursor next_;
  uint4 q_[kSteps][4];  ///< step, row group; of the chunk that is multiplied, then of next_
  Scales next_scales_ = {};
  Sums sums_ = {};
};

/// Launch shape: matvec_launch.hpp. What each parameter is: kernels.def.
template <Weight weight, class A, u32 kRows>
ROOFLINE_DEVICE void matvec(A* y, const void* w, const void* scales, const A* x, u32 rows, u32 d_in,
                            u32 d_out, float* partial, u32 splits) {
  ROOFLINE_DYNAMIC_SHARED(shared);
  const u32 length = matvec_split_length(d_in, splits);
  const u32 k_begin = blockIdx.y * length;
  const u32 k_left = k_begin < d_in ? d_in - k_begin : 0;
  MatvecPlace place;
  place.weights = static_cast<const unsigned char*>(w);
  place.scales = static_cast<const Half*>(scales);
  place.d_in = d_in;
  place.d_out = d_out;
  place.k_begin = k_begin;
  place.k_count = k_left < length ? k_left : length;
  place.row_bytes = u64{d_in} * bits_of(weight) / 8;
  place.aligned = place.row_bytes % 16 == 0;
  place.warp = threadIdx.x / kWarp;
  place.warps = blockDim.x / kWarp;
  place.g = threadIdx.x % kWarp / 4;
  place.t = threadIdx.x % 4;
  Matvec<weight, A, kRows> work(place, shared);
  work.begin();
  work.load_activations(x, rows);
  __syncthreads();
  work.run(y, splits > 1 ? partial : nullptr, rows);
}

/// y[i] = the sum over all splits of partial[split][i].
template <class A>
ROOFLINE_DEVICE void matvec_reduce(A* y, const float* partial, u32 values, u32 splits) {
  const u64 stride = u64{gridDim.x} * blockDim.x;
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < values; i += stride) {
    float sum = 0;
    ROOFLINE_NO_UNROLL
    for (u32 split = 0; split < splits; ++split)
      sum += load_uncounted(partial + u64{split} * values + i);
    A narrowed;
    narrow(sum, &narrowed);
    store(y + i, narrowed);
  }
}

}  // namespace roofline::cuda::device
