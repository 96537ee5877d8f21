// Which tensors of an account are read once whatever the number of rows. Internal to the core.
#pragma once

#include <string_view>

#include "roofline/account.hpp"

namespace roofline {

/// B (or what it is converted from and through), weights, their scales.
[[nodiscard]] inline bool shared_by_rows(std::string_view tensor) {
  return tensor == "B" || tensor.starts_with("B ") || tensor == "weights" ||
         tensor.starts_with("weights ") || tensor == "scales";
}

/// Bytes that all rows share.
[[nodiscard]] inline double shared_bytes(const Account& account) {
  double out = 0;
  for (const TensorTraffic& entry : account.traffic) {
    if (shared_by_rows(entry.tensor)) out += entry.bytes.as_double();
  }
  return out;
}

}  // namespace roofline
