#include "roofline/audit.hpp"

#include <algorithm>
#include <cmath>

#include "audit_view.hpp"

namespace roofline {
namespace {

using namespace audit_detail;

void keep(std::vector<AuditFinding>& out, const AuditRule& rule, std::vector<Evidence> found,
          const std::string& device, const std::string& point) {
  for (Evidence& evidence : found) out.push_back({&rule, std::move(evidence), device, point});
}

}  // namespace

std::string_view name(Severity severity) {
  constexpr std::string_view names[] = {"note", "warning", "error"};
  return names[static_cast<std::size_t>(severity)];
}

bool agree(double a, double b) {
  if (a == b) return true;
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) <= kAuditTolerance * std::max(std::abs(a), std::abs(b));
}

std::size_t Audit::count(Severity severity) const {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const AuditFinding& finding) { return finding.severity() == severity; }));
}

Audit audit(const Report& report, const AsWritten& file) {
  Audit out;
  out.points = report.points.size();
  out.unknown_keys = file.unknown_keys;
  const ReportView whole = report_view(report, file, out.numbers);
  const auto rules = audit_rules();
  for (const DeviceView& device : devices_of(whole)) {
    for (const Record* point : device.points) {
      const PointView view = view_of(device, *point);
      out.measured += view.measured != nullptr ? 1 : 0;
      for (const AuditRule& rule : rules) {
        if (const auto* check = std::get_if<PointCheck>(&rule.check))
          keep(out.findings, rule, (*check)(view), device.id, point->id);
      }
    }
    for (const AuditRule& rule : rules) {
      if (const auto* check = std::get_if<DeviceCheck>(&rule.check))
        keep(out.findings, rule, (*check)(device), device.id, {});
    }
  }
  for (const AuditRule& rule : rules) {
    if (const auto* check = std::get_if<ReportCheck>(&rule.check))
      keep(out.findings, rule, (*check)(whole), {}, {});
  }
  std::stable_sort(out.findings.begin(), out.findings.end(),
                   [](const AuditFinding& a, const AuditFinding& b) {
                     if (a.severity() != b.severity()) return a.severity() > b.severity();
                     return a.rule < b.rule;
                   });
  return out;
}

}  // namespace roofline
