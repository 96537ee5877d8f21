// What a workload costs: its work by a named convention and its traffic by tensor across a named
// boundary. Every formula of the tool for work and bytes is stated once, behind `account()`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/count.hpp"
#include "roofline/text.hpp"
#include "roofline/units.hpp"
#include "roofline/workload.hpp"

namespace roofline {

enum class Direction { read, write };

struct TensorTraffic {
  Text tensor;  ///< `A`, `B`, `C`, `weights`, `scales`, `input`, `output` ...
  Direction direction = Direction::read;
  Count bytes;
};

struct Account {
  std::optional<Count> work;  ///< FLOP; nothing for a kernel given by its intensity alone
  Text convention;            ///< how the work was counted
  Boundary boundary = Boundary::dram;
  std::vector<TensorTraffic>
      traffic;           ///< counted bytes; empty when unknown or when nothing crosses
  Count write_allocate;  ///< bytes moved beyond the counted ones: lines read before a store
  std::optional<Intensity> stated_intensity;
};

/// Output tile of a blocked GEMM, which decides how often A and B cross an inner boundary.
struct Tile {
  std::uint64_t m = 128;
  std::uint64_t n = 128;
};

/// Minimum (compulsory) traffic across DRAM, or across the level that a stream's arrays or a
/// projection's weights lie in, or of a transfer across the link: every tensor once. At another
/// inner boundary (l3, l2, l1) a
/// GEMM reads A once per column of output tiles and B once per row of them, a projection its input
/// and its weights (and scales) alike; the other workloads have no reuse, and their bytes are the
/// same at every boundary. Throws InputError as validate() does, for an empty tile, or when a count
/// or the sum of the traffic leaves 64 bits.
[[nodiscard]] Account account(const Workload& workload, std::optional<Boundary> boundary = {},
                              Tile tile = {});

[[nodiscard]] Count total_traffic(const Account& account);
[[nodiscard]] Count read_traffic(const Account& account);
/// Counted traffic and write-allocate reads.
[[nodiscard]] Count moved_traffic(const Account& account);
/// Nothing where the work is unknown or no byte crosses the boundary.
[[nodiscard]] std::optional<Intensity> intensity(const Account& account);

}  // namespace roofline
