// An object of a config.json that reads what is there, remembers what was asked for, and complains
// in one sentence that names file and key. Knows no model.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace roofline::model {

/// The largest size that is read: beyond it, no dimension of a model is meant.
inline constexpr std::uint64_t kLargestSize = 4'294'967'295;

/// A null is like a key that is not there. The document must outlive the node. All throw
/// InputError.
class ConfigNode {
 public:
  ConfigNode(const nlohmann::json& object, std::string path, std::string_view file);

  /// `FILE: SENTENCE`
  [[noreturn]] void refuse(const std::string& sentence) const;
  /// `FILE: 'KEY' WHAT IS WRONG`
  [[noreturn]] void refuse(std::string_view key, const std::string& sentence) const;

  [[nodiscard]] bool has(std::string_view key) const;
  /// A whole number from 0 to kLargestSize.
  [[nodiscard]] std::optional<std::uint64_t> size(std::string_view key) const;
  /// Under any of several names, the first one counting where all agree; two that differ are
  /// refused.
  [[nodiscard]] std::optional<std::uint64_t> size(std::span<const std::string_view> keys) const;
  /// As above, from 1; refused when it is not there.
  [[nodiscard]] std::uint64_t needed_size(std::span<const std::string_view> keys) const;
  [[nodiscard]] std::optional<bool> flag(std::string_view key) const;
  [[nodiscard]] std::optional<double> number(std::string_view key) const;
  [[nodiscard]] std::optional<std::string> text(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<std::string>> texts(std::string_view key) const;
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> sizes(std::string_view key) const;
  [[nodiscard]] std::optional<ConfigNode> object(std::string_view key) const;
  [[nodiscard]] std::vector<ConfigNode> objects(std::string_view key) const;
  [[nodiscard]] std::vector<std::string> keys() const;

  /// Counts as read from now on.
  void pass(std::string_view key) const { read_.emplace(key); }
  /// Keys that nobody asked for and whose value says something: neither null, false, 0 nor empty.
  [[nodiscard]] std::vector<std::string> unread() const;
  [[nodiscard]] std::string path_of(std::string_view key) const;
  [[nodiscard]] std::string_view file() const { return file_; }

 private:
  [[nodiscard]] const nlohmann::json* find(std::string_view key) const;
  [[noreturn]] void fail(std::string_view key, std::string_view expected,
                         const nlohmann::json& found) const;
  [[nodiscard]] std::uint64_t whole(std::string_view key, const nlohmann::json& value) const;

  const nlohmann::json* value_;
  std::string path_;
  std::string_view file_;
  mutable std::set<std::string, std::less<>> read_;
};

/// For a sentence: on one line, and cut short.
[[nodiscard]] std::string in_quotes(std::string_view text);

/// Parses one JSON text. Throws InputError for what is not JSON (with its line), is nested deeper
/// than a configuration is, has a key twice, or is no object.
[[nodiscard]] nlohmann::json parse_config(std::string_view text, std::string_view file);

}  // namespace roofline::model
