// How a matvec is launched: block, grid and splits from its shape and the device. Plain C++; the
// kernel derives the same parts of d_in from `splits`.
#pragma once

#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

struct MatvecShape {
  u32 rows = 1;  ///< 1 .. 16
  u32 d_in = 0;  ///< even where weight_bits is 4
  u32 d_out = 0;
  u32 weight_bits = 16;  ///< 16, 8, 4
};

struct MatvecDevice {
  u32 sm_count = 1;
  u64 shared_per_block = u64{48} * 1024;  ///< bytes that a block may have (opt-in)
  u64 shared_per_sm = u64{64} * 1024;     ///< bytes
};

struct MatvecLaunch {
  u32 most_rows = 1;      ///< of the kernel to use: the r<1|2|4|8|16> of its name
  u32 block = 256;        ///< threads
  u32 grid_x = 1;         ///< blocks over tiles of 32 outputs
  u32 splits = 1;         ///< gridDim.y: parts of d_in; > 1: matvec_reduce follows
  u64 shared_bytes = 0;   ///< dynamic shared memory of a block (above 48 KiB: opt in)
  u64 partial_bytes = 0;  ///< size of `partial`; 0 where splits is 1
  u32 reduce_block = 256;
  u32 reduce_grid = 0;  ///< blocks of matvec_reduce; 0 where splits is 1
};

/// The launch that ought to be the fastest; all of its blocks are resident at once. Activations
/// that do not fit into shared memory are split along d_in.
[[nodiscard]] MatvecLaunch matvec_launch(const MatvecShape& shape, const MatvecDevice& device);

}  // namespace roofline::cuda
