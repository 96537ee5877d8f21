#include "report/audit_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/grid.hpp"
#include "report/json_null.hpp"
#include "report/json_writer.hpp"
#include "report/markdown.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

/// So many of one rule are shown in full.
constexpr std::size_t kFew = 5;

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string totals(const Audit& audit) {
  if (audit.findings.empty()) return "nothing found";
  std::string out;
  for (const Severity severity : {Severity::error, Severity::warning, Severity::note}) {
    const std::size_t count = audit.count(severity);
    if (count == 0) continue;
    out += (out.empty() ? "" : ", ") + counted(count, name(severity));
  }
  return out;
}

std::string head(const Audit& audit, std::string_view file) {
  return fmt::format("{}: {}, {} measured; {} worked out again, to within {:g}", file,
                     counted(audit.points, "point"), audit.measured,
                     counted(audit.numbers, "number"), kAuditTolerance);
}

/// Findings of one rule and severity, which lie together.
template <class Do>
void each_group(const Audit& audit, const Do& act) {
  const auto& all = audit.findings;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin + 1;
    while (end < all.size() && all[end].rule == all[begin].rule &&
           all[end].severity() == all[begin].severity()) {
      ++end;
    }
    act(begin, end);
    begin = end;
  }
}

std::string unread(const Audit& audit) {
  std::string keys;
  std::size_t shown = 0;
  for (const std::string& key : audit.unknown_keys) {
    if (shown++ == kFew) break;
    keys += (keys.empty() ? "" : ", ") + key;
  }
  const std::size_t all = audit.unknown_keys.size();
  if (all > kFew) keys += fmt::format(" and {} more", all - kFew);
  return "not looked at, since this version writes no such key: " + keys;
}

bool several_devices(const Audit& audit) {
  const std::string* first = nullptr;
  for (const AuditFinding& finding : audit.findings) {
    if (finding.device.empty()) continue;
    if (first != nullptr && *first != finding.device) return true;
    first = &finding.device;
  }
  return false;
}

/// `cuda:1 gemm/bf16/...`, or what there is of it.
std::string place(const AuditFinding& finding, bool with_device) {
  std::string out = with_device ? finding.device : std::string();
  if (!finding.point.empty()) out += (out.empty() ? "" : " ") + finding.point;
  return printable(out);
}

Paint paint_of(Severity severity) {
  if (severity == Severity::error) return Paint::red;
  return severity == Severity::warning ? Paint::yellow : Paint::dim;
}

}  // namespace

std::string render_audit(const Audit& audit, std::string_view file, const TableStyle& style) {
  std::string out = wrap("", printable(head(audit, file)), style.width);
  if (!audit.unknown_keys.empty()) out += wrap("", printable(unread(audit)), style.width);
  const bool devices = several_devices(audit);
  each_group(audit, [&](std::size_t begin, std::size_t end) {
    const AuditFinding& first = audit.findings[begin];
    const std::string title =
        fmt::format("{}  {}", name(first.severity()), first.rule->id) +
        (end - begin > 1 ? fmt::format("  ({} times)", end - begin) : std::string());
    out += "\n" + painted(title, paint_of(first.severity()), style.colour) + "\n";
    out += wrap("   ", first.rule->symptom, style.width);
    for (std::size_t i = begin; i < end && i < begin + kFew; ++i) {
      const std::string where = place(audit.findings[i], devices);
      out += wrap("   - ",
                  (where.empty() ? "" : where + ": ") + printable(audit.findings[i].evidence.text),
                  style.width);
    }
    if (end - begin > kFew)
      out += fmt::format("   - and {} more; --format json has all\n", end - begin - kFew);
    out += wrap("   way out: ", first.rule->remedy, style.width);
  });
  return out + (audit.findings.empty() ? "" : "\n") + totals(audit) + "\n";
}

std::string audit_markdown(const Audit& audit, std::string_view file) {
  std::string out = "**" + markdown_text(head(audit, file)) + ".** " + totals(audit) + ".\n";
  if (!audit.unknown_keys.empty()) out += "\n" + markdown_text(printable(unread(audit))) + ".\n";
  if (audit.findings.empty()) return out;
  out += "\n| severity | rule | where | evidence | way out |\n|---|---|---|---|---|\n";
  const bool devices = several_devices(audit);
  each_group(audit, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end && i < begin + kFew; ++i) {
      const AuditFinding& finding = audit.findings[i];
      const std::string where = place(finding, devices);
      out += fmt::format("| {} | {} | {} | {} | {} |\n", name(finding.severity()),
                         markdown_code(finding.rule->id), where.empty() ? "" : markdown_code(where),
                         markdown_text(printable(finding.evidence.text)),
                         markdown_text(finding.rule->remedy));
    }
    if (end - begin > kFew) {
      out += fmt::format("| {} | {} | | and {} more | |\n", name(audit.findings[begin].severity()),
                         markdown_code(audit.findings[begin].rule->id), end - begin - kFew);
    }
  });
  return out;
}

std::string audit_json(const Audit& audit, std::string_view file) {
  nlohmann::ordered_json out;
  out["report"] = file;
  out["tolerance"] = kAuditTolerance;
  out["points"] = audit.points;
  out["measured"] = audit.measured;
  out["numbers"] = audit.numbers;
  out["errors"] = audit.count(Severity::error);
  out["warnings"] = audit.count(Severity::warning);
  out["notes"] = audit.count(Severity::note);
  out["unknown_keys"] = audit.unknown_keys;
  out["findings"] = nlohmann::ordered_json::array();
  for (const AuditFinding& finding : audit.findings) {
    nlohmann::ordered_json entry;
    entry["rule"] = finding.rule->id;
    entry["severity"] = name(finding.severity());
    entry["device"] = text_or_null(finding.device);
    entry["point"] = text_or_null(finding.point);
    entry["field"] = text_or_null(finding.evidence.field);
    entry["stored"] = or_null(finding.evidence.stored);
    entry["expected"] = or_null(finding.evidence.expected);
    entry["symptom"] = finding.rule->symptom;
    entry["evidence"] = finding.evidence.text;
    entry["remedy"] = finding.rule->remedy;
    out["findings"].push_back(std::move(entry));
  }
  return to_text(out);
}

}  // namespace roofline::report
