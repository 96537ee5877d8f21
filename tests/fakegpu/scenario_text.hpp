// The words of a scenario's line and the values in them, refused with the place and a way out.
// Which words mean something is not known here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fakegpu {

/// One line: `word word key=value "quoted words" # comment`.
class Line {
 public:
  /// Throws ScenarioError for an open quote.
  Line(std::string place, std::string_view text);

  [[nodiscard]] bool empty() const { return words_.empty(); }
  [[nodiscard]] const std::string& statement() const { return words_.front(); }
  /// The next word that has no `=`; throws ScenarioError saying that `what` is missing.
  [[nodiscard]] std::string next(std::string_view what);
  [[nodiscard]] bool has_next() const { return at_ < words_.size(); }
  /// The `key=value` words, in their order.
  [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& options() const {
    return options_;
  }
  /// Throws ScenarioError unless all words were taken, and options are allowed or there are none.
  void done(bool options_allowed = false) const;
  [[noreturn]] void fail(const std::string& why) const;

  [[nodiscard]] double seconds(std::string_view text) const;       ///< `2.5us`
  [[nodiscard]] std::uint64_t bytes(std::string_view text) const;  ///< `40MiB`, `80GB`
  [[nodiscard]] double rate(std::string_view text) const;          ///< `2039GB/s`
  [[nodiscard]] unsigned kilohertz(std::string_view text) const;   ///< `1410MHz`
  [[nodiscard]] double ratio(std::string_view text) const;         ///< `0.5`, `50%`, `3x`
  [[nodiscard]] std::uint64_t whole(std::string_view text) const;  ///< `108`
  [[nodiscard]] bool flag(std::string_view text) const;            ///< `on`, `off`

 private:
  [[nodiscard]] double scaled(std::string_view text, std::string_view what,
                              const std::vector<std::pair<std::string_view, double>>& units) const;

  std::string place_;
  std::vector<std::string> words_;
  std::vector<std::pair<std::string, std::string>> options_;
  std::size_t at_ = 1;
};

}  // namespace fakegpu
