#include "roofline/tiling.hpp"

#include <algorithm>
#include <cmath>

#include "roofline/error.hpp"

namespace roofline {
namespace {

double pieces(std::uint64_t size, std::uint64_t of) {
  const std::uint64_t tiles = size / of + (size % of != 0 ? 1 : 0);
  return static_cast<double>(tiles);
}

}  // namespace

Tiling tiling(const TiledOutput& output, Tile tile, std::uint64_t units) {
  const std::uint64_t least =
      std::min({output.m, output.n, output.batch, output.splits, tile.m, tile.n, units});
  if (least == 0)
    throw InputError("tiling: output, tile and number of units must be at least 1 in every extent");
  const double rows = pieces(output.m, tile.m);
  const double columns = pieces(output.n, tile.n);
  const auto all = static_cast<double>(units);
  Tiling out;
  out.tiles =
      rows * columns * static_cast<double>(output.batch) * static_cast<double>(output.splits);
  out.waves = std::ceil(out.tiles / all);
  out.useful = static_cast<double>(output.m) / (rows * static_cast<double>(tile.m)) *
               (static_cast<double>(output.n) / (columns * static_cast<double>(tile.n)));
  out.busy = out.tiles / (out.waves * all);
  out.last_wave = (out.tiles - (out.waves - 1) * all) / all;
  return out;
}

}  // namespace roofline
