#include "report/journal.hpp"

#include <unordered_map>

#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "roofline/repetition.hpp"

namespace roofline::report {
namespace {

constexpr std::string_view kHeadKey = "{\"schema_version\":";

/// Takes the next line off `text`; `whole` says whether a newline ended it.
std::string_view next_line(std::string_view& text, bool& whole) {
  const std::size_t end = text.find('\n');
  whole = end != std::string_view::npos;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(whole ? end + 1 : text.size());
  return line;
}

}  // namespace

std::string journal_head(const Report& report) {
  Report head = report;
  head.points.clear();
  return report_line(head);
}

std::string journal_line(const Record& record) { return point_line(record); }

Report read_journal(std::string_view text, std::string_view name) {
  bool whole = false;
  std::string_view rest = text;
  const std::string_view head = next_line(rest, whole);
  if (!whole) {
    throw InputError(std::string(name) +
                     " was cut short in its first line and holds no point; remove it");
  }
  Report out = read_report(head, name);
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t number = 2; !rest.empty(); ++number) {
    const std::string_view line = next_line(rest, whole);
    if (!whole) break;
    const std::string place = std::string(name) + " line " + std::to_string(number);
    try {
      Record record = read_record(line, place);
      const bool repeated = !repetitions_of(record).empty();
      const auto [at, fresh] =
          places.emplace(record.device_id + '\n' + record.id, out.points.size());
      // A repetition has a line of its own; so has the failure of one.
      const bool joins = !fresh && (repeated || !repetitions_of(out.points[at->second]).empty());
      if (joins) {
        add_repetition(out.points[at->second], std::move(record));
      } else {
        out.points.push_back(std::move(record));
      }
    } catch (const InputError&) {
      // A machine that went down may leave a last line of which not every block reached the disk.
      if (!rest.empty()) throw;
    }
  }
  out.run.interrupted = true;
  out.run.end = RunEnd::interrupted;
  return out;
}

bool is_journal(std::string_view text) {
  const std::size_t end = text.find('\n');
  if (!text.starts_with(kHeadKey) || end == std::string_view::npos) return false;
  // A report on one line has nothing after it.
  return end + 1 == text.size() ? text.find("\"points\":[]") != std::string_view::npos
                                : text.substr(end + 1).starts_with('{');
}

std::string journal_path(std::string_view path) { return std::string(path) + ".journal"; }

}  // namespace roofline::report
