// Names of results: as a scenario writes them, and as cuGetErrorName says them.
#pragma once

#include <optional>
#include <string_view>

namespace fakegpu {

struct ResultName {
  int code;
  std::string_view word;  ///< in scenarios; empty: by number only
  const char* name;       ///< CUDA_ERROR_...
  const char* text;
};

/// Null where the driver knows no such result.
[[nodiscard]] const ResultName* find_result(int code);
[[nodiscard]] std::optional<int> result_of_word(std::string_view word);

/// After such a result the context is good for nothing but being reset.
[[nodiscard]] bool is_sticky(int code);
/// What a reset of the primary context mends: faults of a program, not of the hardware.
[[nodiscard]] bool heals_on_reset(int code);

}  // namespace fakegpu
