#include "profile/kernel_cells.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::profile {
namespace {

constexpr std::string_view kNames[] = {"name", "flop",  "bytes",  "read",   "write",
                                       "time", "dtype", "device", "threads"};

struct Spelling {
  std::string_view word;
  Meaning meaning;
  std::string_view unit = {};  ///< that the word itself says
};

// In small letters, separators as one underscore.
constexpr Spelling kSpellings[] = {
    {"name", Meaning::name},           {"kernel", Meaning::name},
    {"kernel_name", Meaning::name},    {"flop", Meaning::flop},
    {"flops", Meaning::flop},          {"work", Meaning::flop},
    {"work_flop", Meaning::flop},      {"mflop", Meaning::flop, "MFLOP"},
    {"gflop", Meaning::flop, "GFLOP"}, {"tflop", Meaning::flop, "TFLOP"},
    {"bytes", Meaning::bytes},         {"byte", Meaning::bytes},
    {"traffic", Meaning::bytes},       {"traffic_bytes", Meaning::bytes},
    {"read", Meaning::read},           {"reads", Meaning::read},
    {"read_bytes", Meaning::read},     {"bytes_read", Meaning::read},
    {"read_byte", Meaning::read},      {"write", Meaning::write},
    {"writes", Meaning::write},        {"written", Meaning::write},
    {"write_bytes", Meaning::write},   {"bytes_written", Meaning::write},
    {"write_byte", Meaning::write},    {"time", Meaning::time},
    {"duration", Meaning::time},       {"elapsed", Meaning::time},
    {"dtype", Meaning::dtype},         {"type", Meaning::dtype},
    {"precision", Meaning::dtype},     {"device", Meaning::device},
    {"threads", Meaning::threads},
};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string in_small(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c == ' ' || c == '-') c = '_';
  }
  return out;
}

const Spelling* spelling_of(std::string_view word) {
  const std::string small = in_small(trim(word));
  const auto* const found =
      std::find_if(std::begin(kSpellings), std::end(kSpellings),
                   [&](const Spelling& spelling) { return spelling.word == small; });
  return found == std::end(kSpellings) ? nullptr : found;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  const bool cut = text.size() > kLongest;
  return "'" + printable(text.substr(0, kLongest), '?') + (cut ? "...'" : "'");
}

bool takes_unit(Meaning meaning) {
  return meaning == Meaning::flop || meaning == Meaning::bytes || meaning == Meaning::read ||
         meaning == Meaning::write || meaning == Meaning::time;
}

/// The unit as quantities are written: `G` of a count is GB or GFLOP.
std::string full_unit(std::string_view unit, Meaning meaning) {
  if (meaning == Meaning::time) return std::string(unit);
  std::string own = meaning == Meaning::flop ? "FLOP" : "B";
  constexpr std::string_view kPrefixes[] = {"k", "K", "M", "G", "T", "P", "Ki", "Mi", "Gi", "Ti"};
  if (std::find(std::begin(kPrefixes), std::end(kPrefixes), unit) != std::end(kPrefixes))
    return std::string(unit) + own;
  if (meaning != Meaning::flop && (unit == "bytes" || unit == "byte")) return own;
  return std::string(unit);
}

bool fits(const std::string& unit, Meaning meaning) {
  try {
    if (meaning == Meaning::time) {
      (void)parse_seconds("1" + unit, "unit");
    } else {
      (void)parse_count("1" + unit, meaning == Meaning::flop ? "FLOP" : "B", "unit");
    }
    return true;
  } catch (const InputError&) {
    return false;
  }
}

struct Heading {
  const Spelling* spelling = nullptr;
  std::string_view unit = {};
};

/// Without what brackets or the last underscore part off, which may be a unit.
Heading parts_of(std::string_view heading) {
  heading = trim(heading);
  // A rate is no count, and `time_min` is oftener the least of several times than one in minutes.
  const std::string small = in_small(heading);
  if (small.ends_with("/s") || small.ends_with("_per_s") || small == "time_min") return {};
  if (const Spelling* whole = spelling_of(heading)) return {whole};
  if (!heading.empty() && (heading.back() == ')' || heading.back() == ']')) {
    const std::size_t open = heading.find_last_of("([");
    if (open == std::string_view::npos) return {};
    return {spelling_of(heading.substr(0, open)),
            trim(heading.substr(open + 1, heading.size() - open - 2))};
  }
  const std::size_t cut = heading.find_last_of("_ /");
  if (cut == std::string_view::npos || cut == 0) return {};
  return {spelling_of(heading.substr(0, cut)), trim(heading.substr(cut + 1))};
}

constexpr const char* unit_example(Meaning meaning) {
  if (meaning == Meaning::time) return "time_us";
  return meaning == Meaning::flop ? "flop_GFLOP" : "bytes_GB";
}

/// Where the digits of a number end and its unit begins.
std::size_t unit_begin(std::string_view text) {
  std::size_t at = text.find_first_not_of("0123456789.");
  if (at != std::string_view::npos && at + 1 < text.size() &&
      (text[at] == 'e' || text[at] == 'E')) {
    const bool exponent = text.find_first_of("0123456789", at) == at + 1 || text[at + 1] == '-' ||
                          text[at + 1] == '+';
    if (exponent) at = text.find_first_not_of("0123456789", at + 2);
  }
  return at == std::string_view::npos ? text.size() : at;
}

/// The cell with the unit that it is meant in.
std::string with_unit(const Column& column, std::string_view text, Meaning meaning,
                      const std::string& what) {
  const std::string_view cell = trim(text);
  const std::size_t begin = unit_begin(cell);
  const std::string_view own = trim(cell.substr(begin));
  if (column.unit.empty() || begin == 0) return std::string(cell);
  if (own.empty()) return std::string(cell) + column.unit;
  // What is no unit is refused by whoever reads the quantity, with a better sentence.
  const std::string full = full_unit(own, meaning);
  if (full != column.unit && fits(full, meaning)) {
    throw InputError(what + ": " + quoted(cell) + " is in " + std::string(own) +
                     " where the heading says " + column.unit + "; keep one of the two units");
  }
  return std::string(cell);
}

std::string what_of(const Column& column, const std::string& place) {
  return place + ", column " + printable(column.heading);
}

/// Nothing where the number does not lie on a whole one but for its last digits.
std::optional<Count> nearly_whole(std::string_view cell, std::string_view unit_kind,
                                  const std::string& what) {
  const std::size_t begin = unit_begin(cell);
  const std::string unit(trim(cell.substr(begin)));
  if (begin == 0 || unit.empty()) return std::nullopt;
  double value = 0;
  double factor = 0;
  try {
    value = parse_number(cell.substr(0, begin), what);
    factor = parse_count("1" + unit, unit_kind, what).as_double();
  } catch (const InputError&) {
    return std::nullopt;
  }
  constexpr double kExact = 9007199254740992.0;  // 2^53
  constexpr double kLastDigits = 1e-9;
  const double scaled = value * factor;
  const double whole = std::round(scaled);
  if (!(whole > 0) || whole >= kExact) return std::nullopt;
  if (std::abs(scaled - whole) > kLastDigits * whole) return std::nullopt;
  return Count{static_cast<std::uint64_t>(whole)};
}

}  // namespace

std::string_view name(Meaning meaning) { return kNames[static_cast<std::size_t>(meaning)]; }

Columns columns_of(const std::vector<std::string>& headings, const std::string& place) {
  Columns out;
  out.count = headings.size();
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const Heading heading = parts_of(headings[i]);
    if (heading.spelling == nullptr) {
      out.unknown.push_back(headings[i]);
      continue;
    }
    const Meaning meaning = heading.spelling->meaning;
    std::optional<Column>& column = out.of[static_cast<std::size_t>(meaning)];
    const std::string what = place + ", column " + printable(headings[i]);
    if (column) {
      throw InputError(what + " means " + std::string(name(meaning)) + ", as " +
                       printable(column->heading) + " does; keep one of them");
    }
    const std::string_view given =
        heading.spelling->unit.empty() ? heading.unit : heading.spelling->unit;
    const std::string unit = given.empty() ? std::string() : full_unit(given, meaning);
    if (!unit.empty() && (!takes_unit(meaning) || !fits(unit, meaning))) {
      const std::string way = takes_unit(meaning)
                                  ? std::string("write for example ") + unit_example(meaning)
                                  : "leave it out";
      throw InputError(what + " has the unit " + quoted(given) + ", which is none of " +
                       std::string(name(meaning)) + "; " + way);
    }
    column = Column{i, headings[i], unit};
  }
  return out;
}

Seconds time_cell(const Column& column, std::string_view text, const std::string& place) {
  const std::string what = what_of(column, place);
  const std::string cell = with_unit(column, text, Meaning::time, what);
  const bool bare = !cell.empty() && unit_begin(cell) == cell.size();
  if (bare && column.unit.empty()) {
    throw InputError(what + ": " + quoted(cell) +
                     " has no unit; write it into the heading (time_us) or the cell (1.5 ms)");
  }
  return parse_seconds(cell, what);
}

Count count_cell(const Column& column, std::string_view text, Meaning meaning,
                 const std::string& place) {
  const std::string what = what_of(column, place);
  const std::string cell = with_unit(column, text, meaning, what);
  const std::string_view kind = meaning == Meaning::flop ? "FLOP" : "B";
  try {
    return parse_count(cell, kind, what);
  } catch (const InputError&) {
    if (const auto whole = nearly_whole(cell, kind, what)) return *whole;
    throw;
  }
}

}  // namespace roofline::profile
