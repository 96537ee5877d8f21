// Whether the quick parser's tree says what nlohmann/json makes of the same text.
#pragma once

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/json_tree.hpp"

namespace roofline::test {

/// The sign of a zero and the order of keys among it.
inline bool agree(const report::JsonTree& tree, std::uint32_t at,
                  const nlohmann::ordered_json& expected) {
  using Kind = report::JsonValue::Kind;
  const report::JsonValue& value = tree[at];
  switch (value.kind) {
    case Kind::null:
      return expected.is_null();
    case Kind::flag:
      return expected.is_boolean() && expected.get<bool>() == value.flag;
    case Kind::count:
      return expected.is_number_unsigned() && expected.get<std::uint64_t>() == value.count;
    case Kind::number:
    case Kind::digits:
      return expected.is_number() && !expected.is_number_unsigned() &&
             expected.get<double>() == value.as_number() &&
             std::signbit(expected.get<double>()) == std::signbit(value.as_number());
    case Kind::text:
      return expected.is_string() && expected.get_ref<const std::string&>() == value.view();
    default:
      break;
  }
  const bool keyed = value.kind == Kind::object;
  if (keyed ? !expected.is_object() : !expected.is_array()) return false;
  if (expected.size() != value.size) return false;
  std::uint32_t child = at + 1;
  for (const auto& entry : expected.items()) {
    if (keyed && tree[child].view() != entry.key()) return false;
    if (keyed && tree.find(at, entry.key()) != child + 1) return false;
    if (keyed) ++child;
    if (!agree(tree, child, entry.value())) return false;
    child = tree[child].end;
  }
  return child == value.end;
}

enum class Outcome {
  agree,     ///< both took the text and made the same of it
  declined,  ///< the quick parser left the text to the other one
  differ,
};

inline Outcome parse_twice(std::string_view text) {
  report::JsonTree tree;
  std::size_t at = 0;
  if (!tree.parse(text, at) || at != text.size()) return Outcome::declined;
  try {
    return agree(tree, 0, nlohmann::ordered_json::parse(text)) ? Outcome::agree : Outcome::differ;
  } catch (const nlohmann::ordered_json::exception&) {
    return Outcome::differ;
  }
}

}  // namespace roofline::test
