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

#include "kernels/cuda/matvec_stream.cuh"

namespace roofline::cuda::device {

template <Weight weight, class A, u32 kRows>
class Matvec {
 public:
  ROOFLINE_DEVICE Matvec(const MatvecPlace& place, unsigned char* shared)
      : place_(place),
        x_(shared),
        x_stride_(matvec_x_stride(place.k_count)),
        partial_sums_(reinterpret_cast<float*>(shared + kRows * x_stride_)),
        stream_(place) {}

  ROOFLINE_DEVICE void begin() { stream_.begin(); }

  /// Activations of this split into shared memory, zeros where there are none.
  ROOFLINE_DEVICE void load_activations(const A* x, u32 rows) {
    if (place_.d_in % 8 == 0) {  // then no row, and no split, ends within eight
      load_packs(x, rows);
    } else {
      load_elements(x, rows);
    }
  }

  /// All tiles of this block, of this split.
  ROOFLINE_DEVICE void run(A* y, float* partial, u32 rows) {
    typename Stream::Chunk chunk;
    while (stream_.take(chunk)) {
      multiply(chunk);
      if (chunk.last_round) finish(y, partial, rows, chunk.tile);
    }
  }

 private:
  static constexpr u32 kColumnTiles = kRows > 8 ? 2 : 1;  ///< of 8 token rows
  static constexpr u32 kColumns = kRows < 8 ? kRows : 8;
  /// Scaled sums are there twice: of 16 rows they take the registers of two steps. So does what
  /// stands in for matrix units.
  static constexpr u32 kSteps = (bits_of(weight) < 16 && kRows > 8) || !kNative<A> ? 2 : 4;
  using Stream = WeightStream<weight, kSteps>;
  static constexpr u32 kParts = Stream::kParts;
  using Sums = Sum[2][kColumnTiles];  ///< 16 rows of the tile, 8 token rows

  /// Lanes of a step lie together, parts of a lane do not: then the 8 lanes that shared memory
  /// serves at a time find their 16 bytes in different banks.
  ROOFLINE_DEVICE static u32 place_of_pack(u32 pack) {
    const u32 in_step = pack % (4 * kParts);
    return pack - in_step + in_step % kParts * 4 + in_step / kParts;
  }

  /// Once from DRAM, for the first block; the others find it in L2.
  template <class T>
  ROOFLINE_DEVICE static T activation(const T* p, bool exists) {
    return exists && blockIdx.x == 0 ? load(p) : load_uncounted(p);
  }

  ROOFLINE_DEVICE void load_packs(const A* x, u32 rows) {
    // Eight loads at a time: one after the other would cost a latency each.
    constexpr u32 kRowsAtOnce = kColumns;
    constexpr u32 kPacksAtOnce = 8 / kRowsAtOnce;
    const u32 packs = matvec_padded(place_.k_count) / 8;
    const u32 stride = blockDim.x;
    ROOFLINE_NO_UNROLL
    for (u32 first_row = 0; first_row < kRows; first_row += kRowsAtOnce) {
      ROOFLINE_NO_UNROLL
      for (u32 first = threadIdx.x; first < packs; first += kPacksAtOnce * stride) {
        uint4 values[kRowsAtOnce][kPacksAtOnce];
        ROOFLINE_UNROLL
        for (u32 r = 0; r < kRowsAtOnce; ++r) {
          ROOFLINE_UNROLL
          for (u32 p = 0; p < kPacksAtOnce; ++p) {
            // What does not exist is loaded from somewhere else: a branch would wait for its load.
            const u32 row = first_row + r;
            const u32 k = (first + p * stride) * 8;
            const bool exists = row < rows && k < place_.k_count;
            const u64 at = exists ? u64{row} * place_.d_in + place_.k_begin + k : 0;
            const uint4 value = activation(reinterpret_cast<const uint4*>(x + at), exists);
            values[r][p] = exists ? value : uint4{};
          }
        }
        ROOFLINE_UNROLL
        for (u32 r = 0; r < kRowsAtOnce; ++r) {
          ROOFLINE_UNROLL
          for (u32 p = 0; p < kPacksAtOnce; ++p) {
            const u32 pack = first + p * stride;
            if (pack < packs) keep_activations(first_row + r, pack, bits_as<Pack<A>>(values[r][p]));
          }
        }
      }
    }
  }

  ROOFLINE_DEVICE void load_elements(const A* x, u32 rows) {
    const u32 packs = matvec_padded(place_.k_count) / 8;
    ROOFLINE_NO_UNROLL
    for (u32 row = 0; row < kRows; ++row) {
      const A* const from = x + u64{row} * place_.d_in + place_.k_begin;
      ROOFLINE_NO_UNROLL
      for (u32 pack = threadIdx.x; pack < packs; pack += blockDim.x) {
        Pack<A> values{};
        ROOFLINE_UNROLL
        for (u32 i = 0; i < 8; ++i) {
          const u32 k = pack * 8 + i;
          if (row < rows && k < place_.k_count) values.v[i] = activation(from + k, true);
        }
        keep_activations(row, pack, values);
      }
    }
  }

  ROOFLINE_DEVICE void keep_activations(u32 row, u32 pack, const Pack<A>& values) {
    Pack<A> ordered;
    ROOFLINE_UNROLL
    for (u32 i = 0; i < 8; ++i) ordered.v[i] = values.v[order<weight>(i)];
    *reinterpret_cast<uint4*>(x_ + row * x_stride_ + place_of_pack(pack) * 16) =
        bits_as<uint4>(ordered);
  }

  ROOFLINE_DEVICE void multiply(const typename Stream::Chunk& chunk) {
    const unsigned char* const x =
        x_ + stream_.number_of(chunk) * (Stream::kChunk * 2) + place_.t * 16;
    Sums group = {};
    ROOFLINE_UNROLL
    for (u32 step = 0; step < kSteps; ++step) {
      if (chunk.exists) {
        const unsigned char* const of_step = x + step * Stream::kStep * 2;
        if constexpr (Stream::kScaled) {
          multiply_step(group, step, of_step);
          if ((step + 1) % Stream::kGroupSteps == 0)
            add_scaled(group, chunk.scales.of_group[step / Stream::kGroupSteps]);
        } else {
          multiply_step(sums_, step, of_step);
        }
      }
      stream_.refill(step);
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
        const Pairs upper = expand<weight, A>(stream_.pack(step, 2 * m), part);
        const Pairs lower = expand<weight, A>(stream_.pack(step, 2 * m + 1), part);
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
  Stream stream_;
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
    for (u32 split = 0; split < splits; ++split) {
      sum += load_uncounted(partial + u64{split} * values + i);
    }
    A narrowed;
    narrow(sum, &narrowed);
    store(y + i, narrowed);
  }
}

}  // namespace roofline::cuda::device
