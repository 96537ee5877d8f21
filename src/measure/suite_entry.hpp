// One JSON object of a suite with the words to say where a fault is. What its keys mean is not
// known here.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/dtype.hpp"

namespace roofline::measure {

/// Everything that is refused is an InputError of one line that names the place.
class Entry {
 public:
  /// `value` must outlive it.
  Entry(const nlohmann::json& value, std::string place);

  /// Keys and words come from the file and may hold anything; an error stays one line.
  [[noreturn]] void fail(const std::string& why) const;
  /// Refuses members that are not listed: a misspelt key must not be ignored.
  void only(std::initializer_list<std::string_view> known) const;

  [[nodiscard]] bool has(const char* key) const;
  [[nodiscard]] const nlohmann::json& at(const char* key) const;
  [[nodiscard]] std::string text(const char* key) const;
  /// One text or a list of them.
  [[nodiscard]] std::vector<std::string> texts(const char* key) const;
  /// A whole number >= 1, or a list of them.
  [[nodiscard]] std::vector<std::uint64_t> counts(const char* key) const;
  [[nodiscard]] std::uint64_t count(const char* key, std::uint64_t fallback) const;
  /// Above `low`, at most `high`.
  [[nodiscard]] double number(const char* key, double fallback, double low, double high) const;
  [[nodiscard]] std::vector<DType> dtypes(const char* key, DType fallback) const;
  /// The key `shape`: `4096x14336`, or a list of them.
  [[nodiscard]] std::vector<std::vector<std::uint64_t>> shapes(std::size_t dimensions) const;

 private:
  const nlohmann::json& value_;
  std::string place_;
};

}  // namespace roofline::measure
