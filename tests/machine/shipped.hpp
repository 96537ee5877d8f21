// The catalogue as it ships, and short ways to ask it.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "embedded/embedded.hpp"
#include "machine/catalogue.hpp"
#include "machine/match.hpp"
#include "machine/roofs.hpp"

namespace roofline::machine {

inline std::vector<CatalogueText> shipped_texts() {
  std::vector<CatalogueText> texts;
  for (const auto& file : embedded::files_below("accelerators/")) {
    texts.push_back({std::string(file.path), std::string(file.text)});
  }
  return texts;
}

inline const Catalogue& shipped() {
  static const Catalogue catalogue(shipped_texts());
  return catalogue;
}

inline Match match(std::string_view name) { return match(shipped(), {.name = name}); }

/// The id that a name is found as; `ambiguous`, `unknown` or `partial` where it is not.
inline std::string found_as(std::string_view name) {
  const Match result = match(name);
  return result.status == MatchStatus::found ? result.accelerator->id
                                             : std::string(machine::name(result.status));
}

inline const Accelerator& device(std::string_view name) {
  const Match result = match(name);
  if (result.status != MatchStatus::found)
    throw std::runtime_error("not found: " + std::string(name));
  return *result.accelerator;
}

inline ComputeAnswer roof(std::string_view device_name, RoofQuery query) {
  return compute_roof(device(device_name), query);
}

/// Dense peak in TFLOP/s; 0 where there is a refusal.
inline double peak(std::string_view device_name, RoofQuery query) {
  const ComputeAnswer answer = roof(device_name, query);
  const auto* found = std::get_if<ComputeRoof>(&answer);
  return found != nullptr ? in_tflop_per_s(found->peak) : 0;
}
inline double peak(std::string_view device_name, DType dtype) {
  return peak(device_name, RoofQuery{.dtype = dtype});
}

inline bool unsupported(std::string_view device_name, DType dtype) {
  const ComputeAnswer answer = roof(device_name, {.dtype = dtype});
  const auto* refusal = std::get_if<Refusal>(&answer);
  return refusal != nullptr && refusal->unsupported;
}

/// GB/s; 0 where it is not known.
inline double bandwidth(std::string_view device_name) {
  const MemoryAnswer answer = memory_roof(device(device_name));
  return answer.roof ? in_gb_per_s(answer.roof->bandwidth) : 0;
}

inline double ridge(std::string_view device_name, RoofQuery query) {
  return in_flop_per_byte(
      ridge_point(tflop_per_s(peak(device_name, query)), gb_per_s(bandwidth(device_name))));
}
inline double ridge(std::string_view device_name, DType dtype) {
  return ridge(device_name, RoofQuery{.dtype = dtype});
}

/// Roofs as a measured point would be held against them.
inline Roofs roofs_of(std::string_view device_name, RoofQuery query) {
  Roofs out;
  const ComputeAnswer answer = roof(device_name, query);
  if (const auto* compute = std::get_if<ComputeRoof>(&answer)) out.compute = *compute;
  out.memory = memory_roof(device(device_name)).roof;
  return out;
}

/// Within `percent` of `expected`.
inline testing::AssertionResult near(double actual, double expected, double percent) {
  if (std::abs(actual / expected - 1) * 100 <= percent) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << actual << " is not within " << percent << " % of " << expected;
}

}  // namespace roofline::machine
