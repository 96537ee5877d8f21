// What the numbers mean by which cuBLASLt names the parts of an algorithm: facts of cublasLt.h,
// which a test compares with the header wherever there is one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace roofline::cuda {

/// A tile of the library's result: rows run along our n, columns along our m.
struct LtTile {
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;
  friend bool operator==(const LtTile&, const LtTile&) = default;
};

/// cublasLtMatmulTile_t; nothing for ids that this program doesn't know.
[[nodiscard]] std::optional<LtTile> lt_tile(std::uint32_t id);

// For facts; `id 4711` for what isn't known, `undefined` for 0.
/// `128x256`
[[nodiscard]] std::string lt_tile_text(std::uint32_t id);
/// cublasLtMatmulStages_t: elements along k by how many are under way, `64x3`, `128xauto`.
[[nodiscard]] std::string lt_stages_text(std::uint32_t id);
/// cublasLtClusterShape_t: `2x1x1`
[[nodiscard]] std::string lt_cluster_text(std::uint32_t id);
/// cublasLtReductionScheme_t: `none`, `in_place`, `compute_type`, `output_type`.
[[nodiscard]] std::string lt_reduction_text(std::uint32_t scheme);

}  // namespace roofline::cuda
