// How weights are stored: a plain type, or few bits with scales beside them. Knows shapes, but no
// model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/tensor_class.hpp"
#include "roofline/count.hpp"
#include "roofline/dtype.hpp"

namespace roofline::model {

/// A group of weights shares a scale, and a zero where there is one. A group is group_rows x
/// group_columns of a matrix of outputs x inputs; 0 means all of them.
struct WeightFormat {
  std::string name;
  unsigned bits = 16;
  unsigned scale_bits = 0;  ///< 0: no groups
  unsigned zero_bits = 0;
  std::uint64_t group_rows = 1;
  std::uint64_t group_columns = 0;
};

[[nodiscard]] WeightFormat plain_format(DType dtype);
/// A dtype, or `int4-g128` (16-bit scale and 4-bit zero per 128 inputs), `int8-g128` (16-bit
/// scale), `mxfp4` (8-bit scale per 32), `nvfp4` (8-bit scale per 16). Throws InputError naming
/// `what`.
[[nodiscard]] WeightFormat parse_weight_format(std::string_view text, std::string_view what);

/// Exact bytes of `copies` matrices, each packed on its own, scales and zeros included. Throws
/// InputError when they do not fit 64 bits.
[[nodiscard]] Count matrix_bytes(const WeightFormat& format, std::uint64_t rows,
                                 std::uint64_t columns, Count copies);
/// Of one weight of a matrix whose sides are whole groups: 0.53125 for mxfp4. Groups as large as
/// the matrix weigh nothing.
[[nodiscard]] double bytes_per_weight(const WeightFormat& format);
/// Scales of one matrix.
[[nodiscard]] Count group_count(const WeightFormat& format, std::uint64_t rows,
                                std::uint64_t columns);

/// What a configuration says of its weights.
struct StoredWeights {
  DType type = DType::bf16;  ///< of everything that is not quantised
  bool type_stated = true;   ///< false: the configuration states none, and 16 bits are assumed
  std::string method = {};   ///< of quantisation: `fp8`, `gptq`
  std::optional<WeightFormat> quantised = {};
  std::vector<TensorClass> classes = {};  ///< whose matrices are quantised
  std::string unknown = {};               ///< why the bytes cannot be told; empty when they can
  std::optional<DType> cache = {};        ///< of keys and values, where it is stated
  /// Of products with quantised matrices, where activations are quantised, too.
  std::optional<DType> arithmetic = {};
};

[[nodiscard]] bool is_quantised(const StoredWeights& weights, TensorClass kind);
/// As if every matrix that is multiplied were stored in `format`; what is gathered or added stays
/// in the type it has, the cache, too. Of activations nothing is stated any more.
[[nodiscard]] StoredWeights stored_as(const StoredWeights& weights, const WeightFormat& format);

}  // namespace roofline::model
