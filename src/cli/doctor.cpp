#include "cli/doctor.hpp"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>

#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "report/grid.hpp"
#include "report/json_null.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

using host::Finding;
using host::Severity;

struct DoctorOptions {
  std::string root;
  bool all = false;
  bool json = false;
  bool strict = false;
};

constexpr Severity kSeverities[] = {Severity::spoils, Severity::lowers, Severity::unknown,
                                    Severity::note, Severity::ok};

std::size_t count_of(const std::vector<Finding>& findings, Severity severity) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

nlohmann::ordered_json findings_json(const std::vector<Finding>& findings) {
  nlohmann::ordered_json out;
  out["doctor_version"] = 1;
  nlohmann::ordered_json& counts = out["counts"];
  for (const Severity severity : kSeverities)
    counts[std::string(name(severity))] = count_of(findings, severity);
  out["findings"] = nlohmann::ordered_json::array();
  for (const Finding& finding : findings) {
    nlohmann::ordered_json one;
    one["id"] = finding.id;
    one["topic"] = finding.topic;
    one["severity"] = name(finding.severity);
    one["found"] = finding.found;
    one["effect"] = report::text_or_null(finding.effect);
    one["remedy"] = report::text_or_null(finding.remedy.action);
    one["remedy_needs_root"] = finding.remedy.needs_root;
    one["remedy_without_root"] = report::text_or_null(finding.remedy.without_root);
    out["findings"].push_back(std::move(one));
  }
  return out;
}

std::string_view heading(Severity severity) {
  switch (severity) {
    case Severity::spoils:
      return "Spoils a measurement: figures taken now cannot be trusted";
    case Severity::lowers:
      return "Lowers or unsettles figures";
    case Severity::unknown:
      return "Could not be read";
    case Severity::note:
      return "Worth knowing";
    case Severity::ok:
      return "In order";
  }
  return "";
}

report::Paint paint_of(Severity severity) {
  if (severity == Severity::spoils) return report::Paint::red;
  return severity == Severity::lowers ? report::Paint::yellow : report::Paint::none;
}

/// A number stays with its sign when the line is broken.
std::string sentence(const std::string& text) {
  std::string out = printable(text);
  for (std::size_t at = 0; (at = out.find(" %", at)) != std::string::npos; ++at)
    out.replace(at, 2, "\u00a0%");
  return out;
}

std::string first_line(const Finding& finding, std::size_t id_width, std::size_t width) {
  return report::wrap(fmt::format("  {:<{}}  ", finding.id, id_width), sentence(finding.found),
                      width);
}

std::string full_text(const Finding& finding, std::size_t id_width,
                      const report::TableStyle& style) {
  const std::string indent(id_width + 4, ' ');
  std::string out = report::painted(first_line(finding, id_width, style.width),
                                    paint_of(finding.severity), style.colour);
  out += report::wrap(indent + "why  ", sentence(finding.effect), style.width);
  const host::Remedy& remedy = finding.remedy;
  if (!remedy.action.empty()) {
    out += report::wrap(indent + "do   ",
                        printable(remedy.action) + (remedy.needs_root ? " (as root)" : ""),
                        style.width);
  }
  if (!remedy.without_root.empty())
    out += report::wrap(indent + "     ", "without root: " + remedy.without_root, style.width);
  return out;
}

/// One line for all ids that can't be read for the same reason.
std::string unknown_text(const std::vector<Finding>& findings, std::size_t width) {
  std::map<std::string, std::string> ids_by_reason;
  std::vector<std::string> order;
  for (const Finding& finding : findings) {
    if (finding.severity != Severity::unknown) continue;
    std::string& ids = ids_by_reason[finding.found];
    if (ids.empty()) order.push_back(finding.found);
    ids += (ids.empty() ? "" : ", ") + std::string(finding.id);
  }
  std::string out;
  for (const std::string& reason : order)
    out += report::wrap("  ", ids_by_reason[reason] + ": " + printable(reason), width);
  return out;
}

std::string verdict_text(const std::vector<Finding>& findings) {
  const std::size_t spoils = count_of(findings, Severity::spoils);
  const std::size_t lowers = count_of(findings, Severity::lowers);
  const std::string rest =
      fmt::format("{} lower{} figures, {} could not be read, {} of {} in order.\n", lowers,
                  lowers == 1 ? "s" : "", count_of(findings, Severity::unknown),
                  count_of(findings, Severity::ok), findings.size());
  if (spoils == 0) {
    const bool seen_all = count_of(findings, Severity::unknown) == 0;
    return std::string(seen_all ? "Nothing" : "Nothing that was seen") +
           " spoils a measurement here; " + rest;
  }
  return fmt::format("{} finding{} a measurement here; ", spoils,
                     spoils == 1 ? " spoils" : "s spoil") +
         rest;
}

std::string findings_text(const std::vector<Finding>& findings, bool all,
                          const report::TableStyle& style) {
  std::size_t id_width = 0;
  for (const Finding& finding : findings) {
    const bool listed =
        finding.severity != Severity::unknown && (all || finding.severity != Severity::ok);
    if (listed) id_width = std::max(id_width, finding.id.size());
  }
  std::string out = verdict_text(findings);
  for (const Severity severity : kSeverities) {
    if (count_of(findings, severity) == 0 || (severity == Severity::ok && !all)) continue;
    out += '\n' + report::painted(std::string(heading(severity)) + "\n", report::Paint::bold,
                                  style.colour);
    if (severity == Severity::unknown) {
      out += unknown_text(findings, style.width);
      continue;
    }
    for (const Finding& finding : findings) {
      if (finding.severity != severity) continue;
      out += severity == Severity::ok ? first_line(finding, id_width, style.width)
                                      : full_text(finding, id_width, style);
    }
  }
  if (!all) out += "\n--all lists what is in order as well.\n";
  return out;
}

ExitStatus doctor(const DoctorOptions& o, Io& io) {
  const std::filesystem::path root = o.root.empty() ? "/" : o.root;
  std::error_code error;
  if (!std::filesystem::is_directory(root, error)) {
    throw FileError("--root: '" + o.root + "' is no folder; give one that holds proc and sys");
  }
  host::Evidence evidence = gather_evidence(root);
  if (root == "/") evidence.gpus = look_at_gpus();
  const std::vector<Finding> findings = host::findings(evidence);
  io.out << (o.json ? report::to_text(findings_json(findings))
                    : findings_text(findings, o.all, stdout_style()));
  const bool spoilt = count_of(findings, Severity::spoils) > 0 ||
                      (o.strict && count_of(findings, Severity::lowers) > 0);
  return spoilt ? ExitStatus::untrusted : ExitStatus::ok;
}

}  // namespace

Action add_doctor(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<DoctorOptions>();
  app.add_flag("--all", options->all, "list the checks that found nothing as well");
  app.add_flag("--json", options->json, "print JSON, all checks");
  app.add_flag("--strict", options->strict,
               "status 5 also for what lowers or unsettles figures, not only for what spoils them");
  app.add_option("--root", options->root,
                 "look at the machine whose proc and sys lie below this folder; nothing is "
                 "measured");
  return [options](Io& io) { return doctor(*options, io); };
}

}  // namespace roofline::cli
