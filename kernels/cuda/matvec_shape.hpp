// Sizes that the matvec kernels and the host's choice of a launch agree on. Plain C++.
#pragma once

#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

inline constexpr u32 kMatvecTile = 32;       ///< outputs that a block makes at a time
inline constexpr u32 kMatvecGroup = 128;     ///< weights along d_in that share a scale
inline constexpr u32 kMatvecGranule = 512;   ///< splits begin at multiples of it: a chunk of int4
inline constexpr u32 kMatvecSumStride = 36;  ///< floats; 32, and 4 against bank conflicts

[[nodiscard]] ROOFLINE_ON_BOTH constexpr u32 ceil_divide(u32 value, u32 by) {
  return value / by + (value % by != 0 ? 1 : 0);
}

/// d_in as it lies in shared memory.
[[nodiscard]] ROOFLINE_ON_BOTH constexpr u32 matvec_padded(u32 k_count) {
  return ceil_divide(k_count, kMatvecGranule) * kMatvecGranule;
}

/// Bytes from one row of activations in shared memory to the next; 64 of them keep two neighbouring
/// rows in different banks.
[[nodiscard]] ROOFLINE_ON_BOTH constexpr u32 matvec_x_stride(u32 k_count) {
  return matvec_padded(k_count) * 2 + 64;
}

/// d_in of a split; the last one may be shorter.
[[nodiscard]] ROOFLINE_ON_BOTH constexpr u32 matvec_split_length(u32 d_in, u32 splits) {
  return matvec_padded(ceil_divide(d_in, splits));
}

/// Shared memory of a block with `warps` warps.
[[nodiscard]] constexpr u64 matvec_shared_bytes(u32 most_rows, u32 k_count, u32 warps) {
  return u64{most_rows} * (matvec_x_stride(k_count) + u64{warps} * kMatvecSumStride * 4);
}

}  // namespace roofline::cuda
