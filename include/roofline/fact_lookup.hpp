// Facts by name, as what is computed with.
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "roofline/fact.hpp"

namespace roofline {

[[nodiscard]] inline const FactValue* find_fact(const Facts& facts, std::string_view key) {
  for (const Fact& fact : facts) {
    if (fact.key == key) return &fact.value;
  }
  return nullptr;
}

/// Nothing where it is missing, no number or not positive.
[[nodiscard]] inline std::optional<double> number_fact(const Facts& facts, std::string_view key) {
  const FactValue* value = find_fact(facts, key);
  if (value == nullptr) return std::nullopt;
  std::optional<double> out;
  if (const auto* count = std::get_if<std::uint64_t>(value)) out = static_cast<double>(*count);
  if (const auto* number = std::get_if<double>(value)) out = *number;
  if (!out || !std::isfinite(*out) || *out <= 0) return std::nullopt;
  return out;
}

[[nodiscard]] inline std::string text_fact(const Facts& facts, std::string_view key) {
  const FactValue* value = find_fact(facts, key);
  const auto* text = value != nullptr ? std::get_if<std::string>(value) : nullptr;
  return text != nullptr ? *text : std::string();
}

/// Whether it is there and true.
[[nodiscard]] inline bool flag_fact(const Facts& facts, std::string_view key) {
  const FactValue* value = find_fact(facts, key);
  const auto* flag = value != nullptr ? std::get_if<bool>(value) : nullptr;
  return flag != nullptr && *flag;
}

}  // namespace roofline
