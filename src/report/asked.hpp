// What assertions and filters ask of a point: a figure by its word, and a value as people write it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/columns.hpp"

namespace roofline::report {

enum class Relation { equal, unequal, less, at_most, more, at_least };
struct RelationSign {
  Relation relation;
  std::string_view text;
};
/// The sign that `text` begins with; nothing for one that nobody knows (`=>`, `==`), too.
[[nodiscard]] std::optional<RelationSign> leading_relation(std::string_view text);
[[nodiscard]] bool compare(double left, Relation relation, double right);

struct AskedFigure {
  const Column* column = nullptr;
  bool by_short_word = false;  ///< which names no unit, as the keys of columns do
};
/// A column by its key, or by a short word for what is asked most: `bandwidth`, `achieved`, `time`.
[[nodiscard]] std::optional<AskedFigure> find_figure(std::string_view word);
/// The short words, for sentences.
[[nodiscard]] std::string short_words();

struct AskedValue {
  double number = 0;  ///< in the base SI unit, where the column has numbers
  std::string word;   ///< where it has none: of text a pattern, in which `*` stands for anything
};
/// Of a share `0.6` or `60%`; of other numbers with their unit (`150GB/s`, `10us`, `16GiB`) or in
/// the base one, which a key names and a short word doesn't: that takes a unit, but for 0. Throws
/// InputError for what cannot be meant: a share of 60, a word that the column never has, a text
/// that is to be less.
[[nodiscard]] AskedValue read_value(const AskedFigure& figure, Relation relation,
                                    std::string_view text);

/// `0.6` or `60%`.
[[nodiscard]] std::optional<double> parse_share(std::string_view text);
/// `yes`, `no`, as tables have it, or `true`, `false`, as JSON does.
[[nodiscard]] std::optional<bool> parse_flag(std::string_view text);
[[nodiscard]] std::string_view flag_word(bool flag);

/// Whether `text` is `pattern`, in which `*` stands for any characters.
[[nodiscard]] bool matches(std::string_view pattern, std::string_view text);

/// Without blanks and tabs at either end.
[[nodiscard]] std::string_view trimmed(std::string_view text);
/// What commas separate, each trimmed.
[[nodiscard]] std::vector<std::string_view> separated(std::string_view text);

}  // namespace roofline::report
