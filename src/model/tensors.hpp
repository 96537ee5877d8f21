// Every weight tensor of an architecture, once, with its shape: the one list that all counts, bytes
// and shapes are made from. Knows neither where the architecture came from nor how it is stored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/architecture.hpp"
#include "model/tensor_class.hpp"
#include "roofline/count.hpp"

namespace roofline::model {

/// What becomes of a tensor's weights when a token passes.
enum class Use {
  multiplied,  ///< a matrix times the activations
  gathered,    ///< one row is looked up
  added,       ///< a vector: a norm, a bias, a sink
};

struct Tensor {
  TensorClass kind;
  std::string_view name;  ///< `query`, `down`; a bias is `query bias`
  Use use;
  std::uint64_t rows = 1;     ///< outputs; 1 for a vector
  std::uint64_t columns = 0;  ///< inputs, or the length of a vector
  std::uint64_t copies = 1;   ///< over layers and experts
  std::uint64_t used = 1;     ///< of the copies, by one token
  std::uint64_t layers = 1;   ///< that have it: copies / layers experts, used / layers chosen
  /// Index into Architecture::layers; nothing for what stands before and behind the layers.
  std::optional<std::size_t> layer_kind = {};
};

/// Throws InputError when a count of elements does not fit 64 bits.
[[nodiscard]] Count elements(const Tensor& tensor);
[[nodiscard]] Count used_elements(const Tensor& tensor);

/// In the order a token meets them. The vision tower is not among them.
[[nodiscard]] std::vector<Tensor> tensors(const Architecture& model);

}  // namespace roofline::model
