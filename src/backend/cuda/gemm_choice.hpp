// The algorithm that a product runs with, and how it was chosen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "backend/cuda/cublaslt_abi.hpp"

namespace roofline::cuda {

struct GemmChoice {
  lt::HeuristicResult algorithm = {};
  bool first = false;           ///< the library's first suggestion, untimed
  std::uint64_t suggested = 0;  ///< by the library
  std::uint64_t tried = 0;      ///< of them timed
  std::uint64_t refused = 0;    ///< of them that turned out not to run
  bool cut = false;             ///< time ran out before all were tried
  std::optional<double> first_loss = {};
};

/// By device name and product. GPUs of one name run the same code, and so do all patterns of data
/// of one product: what differs between them is the hardware's.
using GemmChoices = std::map<std::string, GemmChoice>;

}  // namespace roofline::cuda
