#include "beside_others.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "report/format.hpp"
#include "report/selection.hpp"
#include "roofline/error.hpp"

namespace roofline::selftest {
namespace {

constexpr std::string_view kMadeUp = "FAKE ";

// ---- reading ----

[[noreturn]] void fail(std::string_view name, std::size_t line, const std::string& why) {
  throw InputError(std::string(name) + ", line " + std::to_string(line) + ": " + why);
}

/// The first `count - 1` fields and the rest.
std::vector<std::string> fields_of(std::string_view line, std::size_t count) {
  std::vector<std::string> out;
  while (out.size() + 1 < count) {
    const std::size_t comma = line.find(',');
    if (comma == std::string_view::npos) break;
    out.emplace_back(line.substr(0, comma));
    line.remove_prefix(comma + 1);
  }
  out.emplace_back(line);
  return out;
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || !(value > 0)) return std::nullopt;
  return value;
}

std::optional<Figure> figure_of(const std::string& text) {
  if (text == "byte_per_s") return Figure::byte_per_s;
  if (text == "flop_per_s") return Figure::flop_per_s;
  if (text == "s") return Figure::second;
  return std::nullopt;
}

/// Calls `row(fields, line number)` for every line but the first, which has the headings.
template <class Row>
void each_row(std::string_view text, std::size_t fields, std::string_view name, const Row& row) {
  bool headings = true;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view content = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (content.ends_with('\r')) content.remove_suffix(1);
    if (content.empty() || content.front() == '#') continue;
    if (std::exchange(headings, false)) continue;
    const auto found = fields_of(content, fields);
    if (found.size() != fields)
      fail(name, line,
           "it has " + std::to_string(found.size()) + " fields, not " + std::to_string(fields));
    row(found, line);
  }
}

Anchor figure_fields(const std::string& value, const std::string& unit, std::string_view name,
                     std::size_t line) {
  const auto number = number_of(value);
  if (!number) fail(name, line, "'" + value + "' is no positive number");
  const auto figure = figure_of(unit);
  if (!figure) fail(name, line, "'" + unit + "' is not known; use byte_per_s, flop_per_s or s");
  Anchor out;
  out.value = *number;
  out.figure = *figure;
  return out;
}

// ---- matching ----

using report::matches;

std::string_view real_name(std::string_view name) {
  return name.starts_with(kMadeUp) ? name.substr(kMadeUp.size()) : name;
}

struct Ours {
  const Record* record = nullptr;
  double value = 0;
  double noise = 0;
};

std::optional<Ours> ours(const Record& record, Figure figure) {
  const auto* const measured = std::get_if<Measured>(&record.outcome);
  if (measured == nullptr || !(in_second(measured->time_median) > 0)) return std::nullopt;
  const double time = in_second(measured->time_median);
  Ours out{&record, 0, measured->noise};
  switch (figure) {
    case Figure::byte_per_s:
      out.value = total_traffic(record.account).as_double() / time;
      break;
    case Figure::flop_per_s:
      out.value = record.account.work ? record.account.work->as_double() / time : 0;
      break;
    case Figure::second:
      out.value = time;
      break;
  }
  if (!(out.value > 0)) return std::nullopt;
  return out;
}

bool better(double one, double other, Figure figure) {
  return figure == Figure::second ? one < other : one > other;
}

std::optional<Ours> best(const std::vector<const Record*>& records, const Anchor& anchor) {
  std::optional<Ours> out;
  for (const Record* record : records) {
    if (!matches(anchor.point, record->id)) continue;
    const auto found = ours(*record, anchor.figure);
    if (found && (!out || better(found->value, out->value, anchor.figure))) out = found;
  }
  return out;
}

/// What kind of figure tells most of a point.
Figure usual_figure(const Record& record) {
  if (std::holds_alternative<Launch>(record.workload)) return Figure::second;
  const bool computes = std::holds_alternative<Gemm>(record.workload) ||
                        std::holds_alternative<PeakProbe>(record.workload);
  return computes ? Figure::flop_per_s : Figure::byte_per_s;
}

// ---- writing ----

std::string text_of(double value, Figure figure) {
  switch (figure) {
    case Figure::byte_per_s:
      return report::format(byte_per_s(value));
    case Figure::flop_per_s:
      return report::format(flop_per_s(value));
    case Figure::second:
      break;
  }
  return report::format(second(value));
}

/// Of a time, the other way round: more is better.
std::string share(double ours, double theirs, Figure figure) {
  return report::format_percent(figure == Figure::second ? theirs / ours : ours / theirs);
}

std::string cell(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

const Anchor* peer_of(const std::vector<Anchor>& peers, const Anchor& of, const Record* record) {
  for (const Anchor& peer : peers) {
    if (peer.figure == of.figure &&
        (peer.point == of.point || (record != nullptr && matches(peer.point, record->id))))
      return &peer;
  }
  return nullptr;
}

class Table {
 public:
  Table(const std::vector<const Record*>& records, const std::vector<Anchor>& peers)
      : records_(records), peers_(peers) {
    for (const Record* record : records) {
      const auto* const stream = std::get_if<Stream>(&record->workload);
      if (stream == nullptr || stream->kind != StreamKind::read || stream->level != Boundary::dram)
        continue;
      const auto found = ours(*record, Figure::byte_per_s);
      if (found) read_ = std::max(read_, found->value);
    }
  }

  [[nodiscard]] std::string with_anchors(const std::vector<Anchor>& anchors) {
    std::string out =
        "| point | ours | noise | anchor | ours / anchor | stretch | PyTorch | ours / PyTorch | "
        "anchor's source |\n|---|---|---|---|---|---|---|---|---|\n";
    for (const Anchor& anchor : anchors) {
      const auto found = best(records_, anchor);
      const Anchor* const peer = peer_of(peers_, anchor, found ? found->record : nullptr);
      // NOLINTNEXTLINE(clang-analyzer-core.NonNullParamChecker): what is found has a record.
      out += "| `" + (found ? found->record->id : anchor.point) + "` | ";
      out += found ? text_of(found->value, anchor.figure) + " | " +
                         report::format_percent(found->noise)
                   : std::string("not measured | -");
      out += " | " + text_of(anchor.value, anchor.figure) + " | ";
      out += found ? share(found->value, anchor.value, anchor.figure) : "-";
      out += " | " + (anchor.stretch ? text_of(*anchor.stretch, anchor.figure) : "-") + " | ";
      out += peer_cells(found, peer) + " | " + cell(anchor.source) + " |\n";
      if (found) shown_.insert(found->record);
    }
    return out;
  }

  [[nodiscard]] std::string without_anchors() const {
    std::string out =
        "| point | ours | noise | of our own read | PyTorch | ours / PyTorch |\n"
        "|---|---|---|---|---|---|\n";
    for (const Record* record : records_) {
      if (shown_.count(record) != 0) continue;
      Anchor usual;
      usual.point = record->id;
      usual.figure = usual_figure(*record);
      const auto found = ours(*record, usual.figure);
      out += "| `" + record->id + "` | ";
      if (found) {
        out += text_of(found->value, usual.figure) + " | " + report::format_percent(found->noise);
      } else {
        out += std::string(outcome_name(record->outcome)) + " | -";
      }
      out += " | " + of_read(*record, found) + " | ";
      out += peer_cells(found, peer_of(peers_, usual, record)) + " |\n";
    }
    return out;
  }

 private:
  [[nodiscard]] static std::string peer_cells(const std::optional<Ours>& found,
                                              const Anchor* peer) {
    if (peer == nullptr) return "- | -";
    return text_of(peer->value, peer->figure) + " | " +
           (found ? share(found->value, peer->value, peer->figure) : "-");
  }
  [[nodiscard]] std::string of_read(const Record& record, const std::optional<Ours>& found) const {
    const bool dram = std::holds_alternative<Projection>(record.workload) &&
                      record.account.boundary == Boundary::dram;
    return dram && found && read_ > 0 ? report::format_percent(found->value / read_) : "-";
  }

  const std::vector<const Record*>& records_;
  const std::vector<Anchor>& peers_;
  double read_ = 0;  ///< byte/s; 0: not measured
  std::set<const Record*> shown_;
};

}  // namespace

std::vector<Anchor> read_anchors(std::string_view text, std::string_view name) {
  std::vector<Anchor> out;
  each_row(text, 6, name, [&](const std::vector<std::string>& fields, std::size_t line) {
    Anchor anchor = figure_fields(fields[2], fields[3], name, line);
    anchor.device = fields[0];
    anchor.point = fields[1];
    anchor.source = fields[5];
    if (!fields[4].empty()) {
      anchor.stretch = number_of(fields[4]);
      if (!anchor.stretch) fail(name, line, "'" + fields[4] + "' is no positive number");
    }
    out.push_back(std::move(anchor));
  });
  return out;
}

std::vector<Anchor> read_peers(std::string_view text, std::string_view name) {
  std::vector<Anchor> out;
  each_row(text, 4, name, [&](const std::vector<std::string>& fields, std::size_t line) {
    Anchor peer = figure_fields(fields[1], fields[2], name, line);
    peer.point = fields[0];
    peer.source = fields[3];
    out.push_back(std::move(peer));
  });
  return out;
}

std::string beside_others(const std::vector<Report>& reports, const std::vector<Anchor>& anchors,
                          const std::vector<Anchor>& peers) {
  if (reports.empty()) return "No report: nothing was measured.\n";
  std::vector<const Record*> records;
  std::map<std::string, std::size_t> places;  // a point of two reports stands once: the first
  for (const Report& report : reports) {
    for (const Record& record : report.points) {
      if (places.emplace(record.id, records.size()).second) records.push_back(&record);
    }
  }
  const std::string& name = reports.front().device_name;
  std::string out = "# " + name + "\n\n";
  if (name.starts_with(kMadeUp)) {
    out +=
        "**This GPU was made up by the tests. Its times are simulated: nothing here says "
        "anything about hardware.**\n\n";
  }
  for (const Report& report : reports) {
    out += "- `" + cell(report.run.command_line) + "`, " + report.run.started + ", " +
           report::format(report.run.duration) + ", roofline " + report.tool_version + "\n";
  }
  std::vector<Anchor> of_device;
  std::copy_if(anchors.begin(), anchors.end(), std::back_inserter(of_device),
               [&](const Anchor& anchor) { return anchor.device == real_name(name); });
  Table table(records, peers);
  if (of_device.empty()) {
    out += "\nNobody's figures are known for this device.\n";
  } else {
    out += "\n## Beside published figures\n\n" + table.with_anchors(of_device);
  }
  return out + "\n## Everything else\n\n" + table.without_anchors();
}

}  // namespace roofline::selftest
