// Whether a report holds: every derived number worked out again from the raw ones that stand beside
// it (workload, samples, figures of the roofs), and a table of the ways in which such reports are
// wrong. Pure functions of a report as it was read; what wrote it is not known here.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/record.hpp"

namespace roofline {

/// Relative; an other compiler or library may differ in the last digits, a wrong number lies
/// farther off.
inline constexpr double kAuditTolerance = 1e-6;
/// Whether two numbers differ by no more.
[[nodiscard]] bool agree(double a, double b);

enum class Severity {
  note,     ///< worth knowing before the figure is used
  warning,  ///< the figure may be right and says less than it seems to
  error,    ///< a number that is wrong, or cannot be
};
[[nodiscard]] std::string_view name(Severity severity);

/// That a rule fired, with the numbers.
struct Evidence {
  std::string text;                     ///< one clause with the actual numbers
  std::string field = {};               ///< key in the JSON of the point, where it is about one
  std::optional<double> stored = {};    ///< what the file has
  std::optional<double> expected = {};  ///< what it should be
  /// Milder than the rule's where the evidence is only circumstantial.
  std::optional<Severity> severity = {};
};

namespace audit_detail {
struct PointView;
struct DeviceView;
struct ReportView;
}  // namespace audit_detail

using PointCheck = std::vector<Evidence> (*)(const audit_detail::PointView&);
using DeviceCheck = std::vector<Evidence> (*)(const audit_detail::DeviceView&);
using ReportCheck = std::vector<Evidence> (*)(const audit_detail::ReportView&);

struct AuditRule {
  std::string_view id;  ///< stable
  Severity severity;
  std::string_view symptom;  ///< what it means, one sentence
  std::variant<PointCheck, DeviceCheck, ReportCheck> check;
  std::string_view remedy;  ///< the way out
};

/// Every row: is the number what the report's own figures give, can it be, is it held against the
/// right thing, are all bytes in it, may it be trusted.
[[nodiscard]] std::span<const AuditRule> audit_rules();

struct AuditFinding {
  const AuditRule* rule;
  Evidence evidence;
  std::string device = {};  ///< id; empty where it is about the report
  std::string point = {};   ///< id; empty where it is about a device or the report

  [[nodiscard]] Severity severity() const { return evidence.severity.value_or(rule->severity); }
};

/// What the file says of a point and the rest of the point does not give: of keys that are not read
/// but worked out again whenever a report is written, a report as it was read knows nothing.
struct Misstatement {
  std::string device;
  std::string point;
  Evidence evidence;
};
struct AsWritten {
  std::vector<Misstatement> misstated;
  std::set<std::string> unknown_keys;  ///< of points; this version would not write them
};

struct Audit {
  std::vector<AuditFinding> findings;  ///< worst first, within that in the order of the table
  std::size_t points = 0;
  std::size_t measured = 0;                 ///< of them
  std::size_t numbers = 0;                  ///< that were worked out again and compared
  std::set<std::string> unknown_keys = {};  ///< that nobody looked at
  [[nodiscard]] std::size_t count(Severity severity) const;
};

/// `file`: where the report was read from one.
[[nodiscard]] Audit audit(const Report& report, const AsWritten& file = {});

}  // namespace roofline
