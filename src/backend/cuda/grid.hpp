// The geometry of a launch.
#pragma once

#include <cstdint>

namespace roofline::cuda {

struct Grid {
  unsigned x = 1;            ///< blocks
  unsigned y = 1;            ///< blocks
  unsigned block = 1;        ///< threads of a block
  std::uint64_t shared = 0;  ///< dynamic shared memory of a block, byte
};

/// What a block may have of it without asking, on every GPU.
inline constexpr std::uint64_t kSharedWithoutOptIn = std::uint64_t{48} * 1024;

}  // namespace roofline::cuda
