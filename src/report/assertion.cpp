#include "report/assertion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "report/asked.hpp"
#include "report/format.hpp"
#include "report/series.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

// ---- reading ----

bool is_rate(const Column& column) {
  return column.unit == Unit::flop_per_s || column.unit == Unit::byte_per_s;
}

/// The text from left to right; what went wrong is where it stands.
class Reader {
 public:
  /// Blanks at the end are none of it.
  explicit Reader(std::string_view text) : text_(text.substr(0, text.find_last_not_of(" \t") + 1)) {
    skip_blanks();
  }

  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

  void skip_blanks() { at_ = std::min(text_.find_first_not_of(" \t", at_), text_.size()); }
  void skip(std::size_t count) { at_ += count; }
  /// The text before `end`, a position, likewise.
  std::string_view up_to(std::size_t end) {
    const std::string_view out = text_.substr(at_, end - at_);
    at_ = end;
    return trimmed(out);
  }
  /// Up to one of `ends`, without blanks behind it.
  std::string_view until(std::string_view ends) {
    const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    const std::string_view out = text_.substr(at_, end - at_);
    at_ = end;
    return trimmed(out);
  }
  [[noreturn]] static void fail(const std::string& what, std::size_t position) {
    throw AssertionError(what, position);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Figures end where a relation or a blank begins.
constexpr std::string_view kBehindFigure = "!<>= \t";
// As texts: of a find() for a letter g++ 11 warns that the text might have any length.
constexpr std::string_view kFilterBegin = "[";
constexpr std::string_view kDot = ".";

/// Where the points end: at the first dot with a known figure behind it, as ids have dots and `=`
/// of their own (kernel/bf16/softmax.v2, matvec/bf16/T=1_4096x4096), or at the bracket of a filter;
/// else at the first dot with a letter behind it, which no number has.
std::optional<std::size_t> end_of_points(std::string_view text) {
  const std::size_t bracket = text.find_first_of(kFilterBegin);
  const std::size_t end = std::min(bracket, text.size());
  std::optional<std::size_t> unknown;
  for (std::size_t dot = text.find_first_of(kDot); dot < end;
       dot = text.find_first_of(kDot, dot + 1)) {
    const std::string_view behind = text.substr(dot + 1, end - dot - 1);
    if (find_figure(behind.substr(0, behind.find_first_of(kBehindFigure)))) return dot;
    const bool letter = !behind.empty() && behind[0] >= 'a' && behind[0] <= 'z';
    if (letter && !unknown) unknown = dot;
  }
  return bracket == text.npos ? unknown : bracket;
}

void read_filter(Reader& in, Assertion& out) {
  in.skip(1);
  const std::size_t filter = in.position();
  const std::string_view inside = in.until("]");
  if (in.at_end()) Reader::fail("'[' has no ']'", filter - 1);
  try {
    out.filter.emplace(inside, "[" + std::string(inside) + "]");
  } catch (const InputError& error) {
    Reader::fail(error.what(), filter);
  }
  in.skip(1);
}

void read_points(Reader& in, Assertion& out) {
  const std::size_t begin = in.position();
  const auto end = end_of_points(in.rest());
  out.points = std::string(end ? in.up_to(begin + *end) : in.until(".<>=!"));
  if (out.points.empty())
    Reader::fail("it begins with no points; write gemm, read, an id or *", begin);
  if (in.rest().starts_with('[')) read_filter(in, out);
  if (!in.rest().starts_with('.')) {
    Reader::fail("behind the points stands a '.' and the figure, as in gemm.of_ceiling",
                 in.position());
  }
  in.skip(1);
}

AskedFigure read_figure(Reader& in) {
  const std::size_t begin = in.position();
  const std::string_view word = in.until(kBehindFigure);
  if (const auto found = find_figure(word)) return *found;
  Reader::fail("there is no figure '" + std::string(word) + "'; use " + short_words() +
                   " or a column (roofline columns)",
               begin);
}

Relation read_relation(Reader& in) {
  in.skip_blanks();
  const auto sign = leading_relation(in.rest());
  if (!sign) {
    const bool unknown = in.rest().find_first_of("<>=!") == 0;
    Reader::fail(std::string(unknown ? "there is no such relation" : "a relation is missing") +
                     ": >=, <=, >, <, = or !=",
                 in.position());
  }
  in.skip(sign->text.size());
  in.skip_blanks();
  return sign->relation;
}

void read_reference(Reader& in, Assertion& out) {
  const std::size_t begin = in.position();
  const std::string_view word = in.until(" ");
  constexpr std::array<std::pair<std::string_view, Reference>, 3> kWords{
      {{"datasheet", Reference::datasheet},
       {"measured", Reference::measured},
       {"ceiling", Reference::ceiling}}};
  for (const auto& [name, reference] : kWords) {
    if (name == word) out.reference = reference;
  }
  if (out.reference == Reference::none)
    Reader::fail("behind 'of' stands datasheet, measured or ceiling", begin);
  if (!is_rate(*out.column))
    Reader::fail("only rates are held against a roof: bandwidth or achieved", begin);
}

/// `90% of datasheet`, with or without the blank.
struct ShareOf {
  std::string_view share;
  std::size_t behind_of;
};
std::optional<ShareOf> share_of(std::string_view text) {
  const std::size_t of = text.find("of ");
  if (of == text.npos || of == 0) return std::nullopt;
  const char before = text[of - 1];
  if (before != ' ' && before != '\t' && before != '%') return std::nullopt;
  return ShareOf{trimmed(text.substr(0, of)), of + 3};
}

void read_share_of_roof(Reader& in, const ShareOf& found, Assertion& out) {
  const std::size_t begin = in.position();
  const auto share = found.share.ends_with('%') ? parse_share(found.share) : std::nullopt;
  if (!share) Reader::fail("a share of a roof is written as 90% of datasheet", begin);
  out.number = *share;
  in.skip(found.behind_of);
  in.skip_blanks();
  read_reference(in, out);
  in.skip_blanks();
  if (!in.at_end()) Reader::fail("nothing may stand behind the value", in.position());
}

void read_value(Reader& in, const AskedFigure& figure, Assertion& out) {
  const std::size_t begin = in.position();
  if (in.at_end()) Reader::fail("the value is missing", begin);
  const std::string_view text = in.rest();
  const bool number = has_numbers(figure.column->unit);
  if (const auto found = share_of(text); found && number)
    return read_share_of_roof(in, *found, out);
  if (text.ends_with('%') && is_rate(*figure.column)) {
    Reader::fail("'" + std::string(text) + "' of what? Write " + std::string(text) +
                     " of datasheet, measured or ceiling",
                 begin);
  }
  try {
    AskedValue value = report::read_value(figure, out.relation, text);
    out.number = value.number;
    out.word = std::move(value.word);
  } catch (const InputError& error) {
    Reader::fail(error.what(), begin);
  }
}

// ---- asking ----

bool speaks_of(const Assertion& assertion, const Record& record) {
  const std::string& points = assertion.points;
  const auto* const stream = std::get_if<Stream>(&record.workload);
  const bool by_kind =
      points == kind_name(record.workload) || (stream != nullptr && points == name(stream->kind));
  if (!by_kind && !matches(points, record.id)) return false;
  // Data sheets rate memory: whoever holds a kind against them doesn't mean the caches.
  const bool rates_memory =
      assertion.reference == Reference::datasheet && assertion.column->unit == Unit::byte_per_s &&
      !(assertion.filter && assertion.filter->asks_for("traffic_byte.boundary"));
  if (by_kind && rates_memory && record.account.boundary != Boundary::dram) return false;
  return !assertion.filter || assertion.filter->admits(record);
}

/// The roof that `reference` means for this point's figure.
std::optional<double> roof_of(const Assertion& assertion, const Record& record,
                              const Report& report) {
  const bool bytes = assertion.column->unit == Unit::byte_per_s;
  if (assertion.reference == Reference::ceiling) {
    if (bytes) {
      if (!record.roofs.memory) return std::nullopt;
      return record.roofs.memory->bandwidth.si();
    }
    if (!record.placement.ceiling) return std::nullopt;
    return record.placement.ceiling->si();
  }
  const Origin origin =
      assertion.reference == Reference::datasheet ? Origin::datasheet : Origin::measured;
  std::optional<double> best;
  const auto offer = [&](double value) { best = std::max(best.value_or(0), value); };
  for (const RoofEntry& entry : report.roofs) {
    if (!entry.device.empty() && entry.device != record.device_id) continue;
    if (const auto* const memory = std::get_if<MemoryRoof>(&entry.roof); memory != nullptr) {
      if (bytes && memory->origin == origin && memory->boundary == record.account.boundary)
        offer(memory->bandwidth.si());
    }
    if (const auto* const compute = std::get_if<ComputeRoof>(&entry.roof); compute != nullptr) {
      const auto& own = record.roofs.compute;
      if (!bytes && compute->origin == origin && own && compute->key == own->key &&
          compute->sparsity == own->sparsity)
        offer(compute->peak.si());
    }
  }
  return best;
}

std::string_view name_of(Reference reference) {
  switch (reference) {
    case Reference::datasheet:
      return "datasheet";
    case Reference::measured:
      return "measured roof";
    case Reference::ceiling:
      return "ceiling";
    case Reference::none:
      break;
  }
  return "";
}

struct Seen {
  bool holds = false;
  double margin = 0;  ///< value / limit, so that less is nearer to failing a floor
  std::string said;
};

Seen look(const Assertion& assertion, const Record& record, const Report& report) {
  const Column& column = *assertion.column;
  const std::string device = of_several_devices(report) ? record.device_id + " " : "";
  const std::string id = device + record.id + ": ";
  const Cell cell = column.get(record);
  const std::string shown = format(cell, column.unit);
  if (std::holds_alternative<std::monostate>(cell) && !has_numbers(column.unit))
    return {false, 0, id + "its " + std::string(column.key) + " is not known"};
  if (!has_numbers(column.unit)) {
    const auto* const flag = std::get_if<bool>(&cell);
    const std::string word = flag != nullptr ? std::string(flag_word(*flag)) : shown;
    const bool equal = matches(assertion.word, word);
    return {equal == (assertion.relation == Relation::equal), 1,
            id + std::string(column.key) + " is " + word};
  }
  if (const auto why = unfit(record)) return {false, 0, id + *why};
  const auto number = number_of(cell);
  if (!number) return {false, 0, id + "its " + std::string(column.heading) + " is not known"};
  double limit = assertion.number;
  std::string said = id + shown + (is_unverified(record) ? " (unverified)" : "");
  if (assertion.reference != Reference::none) {
    const auto roof = roof_of(assertion, record, report);
    if (!roof) {
      return {false, 0,
              id + "no " + std::string(name_of(assertion.reference)) +
                  " figure for it is in the report"};
    }
    limit *= *roof;
    said += ", " + format_percent(*number / *roof) + " of the " +
            std::string(name_of(assertion.reference)) + " (" + format(Cell(*roof), column.unit) +
            ")";
  }
  const double margin = limit > 0 ? *number / limit : 0;
  return {compare(*number, assertion.relation, limit), margin, said};
}

/// What there is to speak of, for whoever misspelt it.
std::string kinds_text(const Report& report) {
  std::set<std::string_view> kinds;
  for (const Record& record : report.points) {
    kinds.insert(kind_name(record.workload));
    if (const auto* const stream = std::get_if<Stream>(&record.workload))
      kinds.insert(name(stream->kind));
  }
  if (kinds.empty()) return ", which has none";
  return fmt::format("; it has {}", fmt::join(kinds, ", "));
}

bool is_limit_from_above(Relation relation) {
  return relation == Relation::less || relation == Relation::at_most;
}

}  // namespace

Assertion parse_assertion(std::string_view text) {
  Assertion out;
  out.text = std::string(text);
  Reader in(text);
  read_points(in, out);
  const AskedFigure figure = read_figure(in);
  out.column = figure.column;
  out.relation = read_relation(in);
  read_value(in, figure, out);
  return out;
}

Answer ask(const Assertion& assertion, const Report& report) {
  Answer out;
  out.holds = true;
  std::optional<Seen> nearest;
  for (const Record& record : report.points) {
    if (!speaks_of(assertion, record)) continue;
    ++out.points;
    Seen seen = look(assertion, record, report);
    if (!seen.holds) {
      if (out.holds) out.said.clear();
      out.holds = false;
      out.said.push_back(seen.said);
      continue;
    }
    const bool above = is_limit_from_above(assertion.relation);
    if (!nearest || (above ? seen.margin > nearest->margin : seen.margin < nearest->margin))
      nearest = std::move(seen);
  }
  if (out.points == 0) {
    out.holds = false;
    out.said = {"it speaks of no point of the report" + kinds_text(report)};
  } else if (out.holds && nearest) {
    out.said = {nearest->said};
  }
  return out;
}

}  // namespace roofline::report
