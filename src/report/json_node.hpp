// A place in a parsed JSON text that knows how it is called, so that every complaint names the file
// and the JSON pointer. Knows nothing of reports.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/units.hpp"

namespace roofline::report {

/// Parses a whole text. Throws InputError with line and column; nesting beyond what a report has is
/// refused, so that no text can exhaust the stack.
[[nodiscard]] nlohmann::ordered_json parse_json(std::string_view text, std::string_view file);

class Node {
 public:
  /// Both must outlive the node.
  Node(const nlohmann::ordered_json& value, std::string_view file) : Node(value, {}, file) {}

  /// A key that must be there and not null.
  [[nodiscard]] Node at(std::string_view key) const;
  /// Nothing when the key is missing or null: unknown.
  [[nodiscard]] std::optional<Node> find(std::string_view key) const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] double number() const;
  /// > 0.
  [[nodiscard]] double positive() const;
  /// A whole number that fits 64 bits.
  [[nodiscard]] std::uint64_t count() const;
  [[nodiscard]] std::vector<Node> elements() const;
  /// Key and value of an object, in order.
  [[nodiscard]] std::vector<std::pair<std::string, Node>> members() const;

  /// The value among `all` whose name() is the text.
  template <class Enum, std::size_t N>
  [[nodiscard]] Enum one_of(const Enum (&all)[N]) const {
    return one_of(std::span<const Enum>(all));
  }
  template <class Enum>
  [[nodiscard]] Enum one_of(std::span<const Enum> all) const {
    const std::string given = text();
    std::string known;
    for (const Enum value : all) {
      if (name(value) == given) return value;
      known += (known.empty() ? "" : ", ") + std::string(name(value));
    }
    fail_with(given, "not one of " + known);
  }

  // The value of a key, nothing where it is missing or null.
  [[nodiscard]] std::string text_or_empty(std::string_view key) const;
  [[nodiscard]] bool flag_or(std::string_view key, bool otherwise) const;
  [[nodiscard]] std::optional<double> maybe_number(std::string_view key) const;
  [[nodiscard]] std::optional<std::uint64_t> maybe_count(std::string_view key) const;
  template <class Quantity>
  [[nodiscard]] std::optional<Quantity> maybe(std::string_view key) const {
    const auto value = maybe_number(key);
    if (!value) return std::nullopt;
    return Quantity::from_si(*value);
  }
  template <class Enum, std::size_t N>
  [[nodiscard]] std::optional<Enum> maybe_one_of(std::string_view key, const Enum (&all)[N]) const {
    return maybe_one_of(key, std::span<const Enum>(all));
  }
  template <class Enum>
  [[nodiscard]] std::optional<Enum> maybe_one_of(std::string_view key,
                                                 std::span<const Enum> all) const {
    const auto node = find(key);
    if (!node) return std::nullopt;
    return node->one_of(all);
  }

  [[nodiscard]] const nlohmann::ordered_json& raw() const { return *value_; }
  /// Throws InputError: `report.json: /points/3/noise is ..., ...`.
  [[noreturn]] void fail(const std::string& what) const;
  /// `... is 'given', what`, with a long text cut short.
  [[noreturn]] void fail_with(std::string_view given, const std::string& what) const;

 private:
  Node(const nlohmann::ordered_json& value, std::string pointer, std::string_view file)
      : value_(&value), pointer_(std::move(pointer)), file_(file) {}
  [[nodiscard]] Node child(std::string_view key, const nlohmann::ordered_json& value) const;
  void require_object() const;

  const nlohmann::ordered_json* value_;
  std::string pointer_;
  std::string_view file_;
};

}  // namespace roofline::report
