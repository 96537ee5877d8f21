// JUnit XML, as the gates of CI servers read it.
#include <fmt/format.h>

#include "report/export.hpp"
#include "report/format.hpp"
#include "report/markup.hpp"

namespace roofline::report {
namespace {

enum class Result { passed, failure, error, skipped };

struct Case {
  Result result = Result::passed;
  std::string_view type;
  std::string message;
};

Case case_of(const Record& record) {
  const auto why = unfit(record);
  if (!why) return {};
  if (std::holds_alternative<Incorrect>(record.outcome))
    return {Result::failure, "incorrect", *why};
  if (std::holds_alternative<Failed>(record.outcome)) return {Result::error, "failed", *why};
  if (record.assessment && record.assessment->impossible)
    return {Result::failure, "impossible", *why};
  return {Result::skipped, "", *why};
}

double seconds_of(const Record& record) {
  const auto* const measured = std::get_if<Measured>(&record.outcome);
  return measured != nullptr ? in_second(measured->time_median) : 0;
}

std::string figures_text(const Series& series) {
  std::string out;
  for (const Figure& figure : series.figures) {
    const Column* const column = find_column(figure.key);
    out += (out.empty() ? "" : ", ") + std::string(column->heading) + " " +
           format(Cell(figure.value), figure.unit);
  }
  if (is_unverified(*series.record)) {
    const auto& how = std::get<Measured>(series.record->outcome).verification;
    out += ", unverified" + (how.detail.empty() ? "" : ": " + std::string(how.detail));
  }
  return out;
}

void add_case(std::string& out, const Record& record, const std::string& name,
              const std::string& said) {
  const Case found = case_of(record);
  out += fmt::format("    <testcase classname=\"roofline.{}\" name=\"{}\" time=\"{:.9f}\"",
                     kind_name(record.workload), escaped(name), seconds_of(record));
  const std::string message = escaped(found.message);
  switch (found.result) {
    case Result::passed:
      out += ">\n      <system-out>" + escaped(said) + "</system-out>\n    </testcase>\n";
      return;
    case Result::skipped:
      out += ">\n      <skipped message=\"" + message + "\"/>\n    </testcase>\n";
      return;
    case Result::failure:
    case Result::error: {
      const std::string_view tag = found.result == Result::failure ? "failure" : "error";
      out += fmt::format(">\n      <{0} message=\"{1}\" type=\"{2}\">{1}</{0}>\n    </testcase>\n",
                         tag, message, found.type);
      return;
    }
  }
}

}  // namespace

Exported to_junit(const Report& report, const ExportOptions&) {
  AllSeries all = series_of(report);
  std::string cases;
  double time = 0;
  std::size_t failures = 0;
  std::size_t errors = 0;
  std::size_t skipped = 0;
  for (const Series& series : all.fit) {
    time += seconds_of(*series.record);
    add_case(cases, *series.record, series.name, figures_text(series));
  }
  std::size_t tests = all.fit.size();
  for (const LeftOut& left : all.left_out) {
    if (left.named_twice) continue;
    ++tests;
    time += seconds_of(*left.record);
    const Result result = case_of(*left.record).result;
    failures += result == Result::failure ? 1 : 0;
    errors += result == Result::error ? 1 : 0;
    skipped += result == Result::skipped ? 1 : 0;
    add_case(cases, *left.record, left.name, {});
  }
  if (report.run.interrupted) {
    ++tests;
    ++errors;
    cases += fmt::format(
        "    <testcase classname=\"roofline.run\" name=\"all points\" time=\"0.000000000\">\n"
        "      <error message=\"the run was cut short ({0}); what it had not begun is not here\" "
        "type=\"{0}\"/>\n    </testcase>\n",
        name(report.run.end));
  }
  // Without a zone, as the schema has it; ours is UTC.
  const std::string started = report.run.started.substr(0, 19);
  std::string out = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  const std::string counts =
      fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", tests, failures, errors);
  out += fmt::format("<testsuites {} time=\"{:.9f}\">\n", counts, time);
  out += fmt::format(
      "  <testsuite name=\"roofline {}\" {} skipped=\"{}\" time=\"{:.9f}\" timestamp=\"{}\" "
      "hostname=\"{}\">\n",
      escaped(report.run.suite), counts, skipped, time, escaped(started),
      escaped(report.device_name));
  out += fmt::format(
      "    <properties>\n      <property name=\"roofline\" value=\"{}\"/>\n      <property "
      "name=\"command\" value=\"{}\"/>\n    </properties>\n",
      escaped(report.tool_version), escaped(report.run.command_line));
  return {out + cases + "  </testsuite>\n</testsuites>\n", std::move(all.left_out)};
}

}  // namespace roofline::report
