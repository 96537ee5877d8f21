// A place in a hand-written JSON file, which reads what is there or says, in one sentence, which
// file, which key and what was expected. Knows no schema.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace roofline::machine {

/// Nodes point to their parent, so that the path is only spelt out when something is wrong: a
/// parent must outlive its children, and the document all of them. All throw InputError.
class JsonNode {
 public:
  JsonNode(const nlohmann::json& value, std::string_view file);

  [[noreturn]] void fail(std::string_view expected) const;

  [[nodiscard]] JsonNode at(std::string_view key) const;
  [[nodiscard]] std::optional<JsonNode> find(std::string_view key) const;
  [[nodiscard]] bool has(std::string_view key) const;
  [[nodiscard]] std::vector<JsonNode> items() const;  ///< of a list
  [[nodiscard]] std::vector<std::string> keys() const;
  /// Refuses members that are not listed: a misspelt key must not be ignored.
  void allow_only(std::initializer_list<std::string_view> keys) const;
  void require_object() const;

  [[nodiscard]] bool is_text() const;
  [[nodiscard]] std::string text() const;  ///< not empty
  [[nodiscard]] std::vector<std::string> texts() const;
  [[nodiscard]] double above_zero() const;
  [[nodiscard]] unsigned whole_above_zero() const;
  [[nodiscard]] std::string scalar_as_text() const;  ///< a text, or a number as it is written

 private:
  JsonNode(const nlohmann::json& value, const JsonNode& parent, std::string_view key,
           std::optional<std::size_t> index);
  [[nodiscard]] std::string path() const;

  const nlohmann::json* value_;
  const JsonNode* parent_ = nullptr;
  std::string_view file_;
  std::string_view key_;
  std::optional<std::size_t> index_;
};

/// Parses one JSON text. Throws InputError for malformed text (with its line) and for a repeated
/// key.
[[nodiscard]] nlohmann::json parse_document(std::string_view text, std::string_view file);

}  // namespace roofline::machine
