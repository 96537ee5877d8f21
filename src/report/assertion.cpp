#include "report/assertion.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/format.hpp"
#include "report/series.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::report {
namespace {

// ---- reading ----

bool is_rate(const Column& column) {
  return column.unit == Unit::flop_per_s || column.unit == Unit::byte_per_s;
}

/// Short words for what is asked most.
struct Alias {
  std::string_view word;
  std::string_view key;
};
constexpr std::array<Alias, 3> kAliases{{{"bandwidth", "achieved_byte_per_s"},
                                         {"achieved", "achieved_flop_per_s"},
                                         {"time", "time_median_s"}}};

/// The text from left to right; what went wrong is where it stands.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) { skip_blanks(); }

  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::string_view rest() const { return text_.substr(at_); }
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }

  void skip_blanks() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  void skip(std::size_t count) { at_ += count; }
  /// Up to one of `ends`, without blanks behind it.
  std::string_view until(std::string_view ends) {
    const std::size_t end = std::min(text_.find_first_of(ends, at_), text_.size());
    std::string_view out = text_.substr(at_, end - at_);
    at_ = end;
    while (out.ends_with(' ')) out.remove_suffix(1);
    return out;
  }
  [[noreturn]] static void fail(const std::string& what, std::size_t position) {
    throw AssertionError(what, position);
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

const Column& figure_of(std::string_view word, std::size_t position) {
  std::string_view key = word;
  for (const Alias& alias : kAliases) {
    if (alias.word == word) key = alias.key;
  }
  const Column* const found = find_column(key);
  if (found == nullptr) {
    Reader::fail("there is no figure '" + std::string(word) +
                     "'; use bandwidth, achieved, time or a column (roofline columns)",
                 position);
  }
  return *found;
}

void read_points(Reader& in, Assertion& out) {
  const std::size_t begin = in.position();
  out.points = std::string(in.until(".[<>=!"));
  // An id has its own: matvec/bf16/T=1_4096x4096.
  while (in.rest().starts_with('=') && out.points.find_first_of("/*") != std::string::npos) {
    in.skip(1);
    out.points += '=';
    out.points += in.until(".[<>=!");
  }
  if (out.points.empty())
    Reader::fail("it begins with no points; write gemm, read, an id or *", begin);
  if (in.rest().starts_with('[')) {
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
  if (!in.rest().starts_with('.')) {
    Reader::fail("behind the points stands a '.' and the figure, as in gemm.of_ceiling",
                 in.position());
  }
  in.skip(1);
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

double read_number(std::string_view text, const Column& column, std::size_t position) {
  try {
    if (const auto plain = parse_share(text)) return *plain;
    switch (column.unit) {
      case Unit::flop_per_s:
        return parse_performance(text, "value").si();
      case Unit::byte_per_s:
        return parse_bandwidth(text, "value").si();
      case Unit::second:
        return in_second(parse_seconds(text, "value"));
      case Unit::flop_per_byte:
        return parse_intensity(text, "value").si();
      default:
        return parse_number(text, "value");
    }
  } catch (const InputError& error) {
    Reader::fail(error.what(), position);
  }
}

void read_value(Reader& in, Assertion& out) {
  const std::size_t begin = in.position();
  if (in.at_end()) Reader::fail("the value is missing", begin);
  if (!has_numbers(out.column->unit)) {
    if (out.relation != Relation::equal && out.relation != Relation::unequal) {
      Reader::fail(std::string(out.column->key) + " is no number; use = or !=", begin);
    }
    out.word = std::string(in.until(""));
    if (out.column->unit == Unit::flag) {
      const auto flag = parse_flag(out.word);
      if (!flag) {
        Reader::fail("'" + out.word + "' is neither yes nor no (nor true or false), and " +
                         std::string(out.column->key) + " has nothing else",
                     begin);
      }
      out.word = flag_word(*flag);
    }
    return;
  }
  const std::size_t of = in.rest().find(" of ");
  const std::string_view all = in.rest();
  std::string_view value = all.substr(0, of);
  while (value.ends_with(' ')) value.remove_suffix(1);
  out.number = read_number(value, *out.column, begin);
  if (of == std::string_view::npos) {
    if (value.ends_with('%') && out.column->unit != Unit::share) {
      Reader::fail("'" + std::string(value) + "' of what? Write " + std::string(value) +
                       (is_rate(*out.column) ? " of datasheet, measured or ceiling"
                                             : " for a share, or a number here"),
                   begin);
    }
    return;
  }
  if (!value.ends_with('%'))
    Reader::fail("a share of a roof is written as 90% of datasheet", begin);
  in.skip(of + 4);
  in.skip_blanks();
  read_reference(in, out);
  in.skip_blanks();
  if (!in.at_end()) Reader::fail("nothing may stand behind the value", in.position());
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
      if (!bytes && compute->origin == origin && record.roofs.compute &&
          compute->key == record.roofs.compute->key)
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
  const std::string id = record.id + ": ";
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

bool is_limit_from_above(Relation relation) {
  return relation == Relation::less || relation == Relation::at_most;
}

}  // namespace

Assertion parse_assertion(std::string_view text) {
  Assertion out;
  out.text = std::string(text);
  Reader in(text);
  read_points(in, out);
  const std::size_t figure = in.position();
  const std::string_view word = in.until("!<>= ");
  out.column = &figure_of(word, figure);
  in.skip_blanks();
  const auto sign = leading_relation(in.rest());
  if (!sign) Reader::fail("a relation is missing: >=, <=, >, <, = or !=", in.position());
  out.relation = sign->relation;
  in.skip(sign->text.size());
  in.skip_blanks();
  read_value(in, out);
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
    out.said = {"it speaks of no point of the report"};
  } else if (out.holds && nearest) {
    out.said = {nearest->said};
  }
  return out;
}

}  // namespace roofline::report
