// How the output of a product falls into tiles, and the tiles onto the units that make them: what
// is lost at the edges of the output and in the last wave. Arithmetic on sizes alone; which tile a
// kernel has is not known here.
#pragma once

#include <cstdint>

#include "roofline/account.hpp"

namespace roofline {

/// An output of m x n, `batch` times, each tile of which is made by `splits` units that share k.
struct TiledOutput {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t batch = 1;
  std::uint64_t splits = 1;
};

struct Tiling {
  double tiles = 0;      ///< of all products and parts of k
  double waves = 0;      ///< in each every unit makes one tile, in the last one only some do
  double useful = 1;     ///< of what the tiles cover, the part that was asked for
  double busy = 1;       ///< of all units in all waves, those that have a tile
  double last_wave = 1;  ///< of the units in the last wave, those that have a tile
};

/// Tiles are whole, and each takes a unit for as long as any other; however many of them a unit has
/// at the same time. Source: NVIDIA, Matrix Multiplication Background User's Guide, sections on
/// tile and wave quantization. Throws InputError for an output, a tile or a device without extent.
[[nodiscard]] Tiling tiling(const TiledOutput& output, Tile tile, std::uint64_t units);

}  // namespace roofline
