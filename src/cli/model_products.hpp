// The shapes of a model's own matrix products, for `gemm --shapes-from`.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace roofline::cli {

/// M, N and K: token rows, outputs, inputs.
using ProductShape = std::vector<std::uint64_t>;

struct ModelShapes {
  std::vector<ProductShape> shapes;           ///< each once, in the order a token meets them
  std::map<ProductShape, std::string> names;  ///< `qkv`; `output, query_up` where two are alike
};

/// Every product of `model` (as find_model takes it) for each number of `tokens`, an axis. What was
/// assumed of the model is warned of. Throws InputError and FileError.
[[nodiscard]] ModelShapes model_shapes(const std::string& model, const std::string& tokens, Io& io);

}  // namespace roofline::cli
