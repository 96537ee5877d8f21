// The words of a script's line and the values that they hold, each refused with the place, the word
// and a way out. Which words mean something is not known here.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "roofline/fact.hpp"
#include "roofline/units.hpp"

namespace roofline::scripted {

/// `script FILE line N`, the beginning of every error.
struct Place {
  std::string origin;  ///< on one line
  std::size_t line = 0;

  [[nodiscard]] std::string text() const;
  /// Throws InputError.
  [[noreturn]] void fail(const std::string& why) const;
};

/// A word, or a value in quotes, and what it is a value of.
class Value {
 public:
  Value(const Place& place, std::string key, std::string text, bool quoted)
      : place_(&place), key_(std::move(key)), text_(std::move(text)), quoted_(quoted) {}

  [[nodiscard]] const std::string& text() const { return text_; }
  /// Throws InputError: where, which key, the value, `why`.
  [[noreturn]] void fail(const std::string& why) const;
  /// `script FILE line N, KEY`, as the readers of core quantities want it.
  [[nodiscard]] std::string what() const;

  /// 1 ps .. 1e6 s; with `or_zero` also `0s`.
  [[nodiscard]] Seconds seconds(bool or_zero = false) const;
  /// 1 kHz .. 1 THz
  [[nodiscard]] Frequency frequency() const;
  /// 1 FLOP/s .. 1e24 FLOP/s, 1 B/s .. 1e21 B/s
  [[nodiscard]] Performance performance() const;
  [[nodiscard]] Bandwidth bandwidth() const;
  /// `0.9` or `90%`, within the bounds.
  [[nodiscard]] double ratio(double low, double high) const;
  /// A whole number within the bounds.
  [[nodiscard]] std::uint64_t whole(std::uint64_t low, std::uint64_t high) const;
  /// A size of 1 B .. 1 PiB.
  [[nodiscard]] std::uint64_t bytes() const;
  /// A quoted text is a text; a bare word may also be true, false or a number.
  [[nodiscard]] FactValue fact() const;
  /// What stands before and after `separator`, which must be there; `form` shows the whole.
  [[nodiscard]] std::pair<Value, Value> split(char separator, std::string_view form) const;

 private:
  void require(bool holds, const std::string& range) const;

  const Place* place_;
  std::string key_;
  std::string text_;
  bool quoted_;
};

/// One word of a line as it stands, quotes taken off.
struct Word {
  std::string text;
  bool quoted = false;                     ///< some of it was
  std::size_t equals = std::string::npos;  ///< the first `=` outside of quotes
};

/// Blanks separate words; `"..."` holds blanks together, with \" and \\ in it; `#` where a word
/// could begin starts a comment. Throws InputError for an open quote, a control character, or text
/// that is not UTF-8.
[[nodiscard]] std::vector<Word> split_words(std::string_view line, const Place& place);

/// `a, b, c`
template <class Range, class Name>
[[nodiscard]] std::string list_of(const Range& range, Name&& name) {
  std::string out;
  for (const auto& entry : range) {
    if (!out.empty()) out += ", ";
    out += name(entry);
  }
  return out;
}

}  // namespace roofline::scripted
