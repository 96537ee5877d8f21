// The findings of an audit for a person, for a pull request and for a program.
#pragma once

#include <string>
#include <string_view>

#include "report/table.hpp"
#include "roofline/audit.hpp"

namespace roofline::report {

/// `file`: how the report is called in the text.
[[nodiscard]] std::string render_audit(const Audit& audit, std::string_view file,
                                       const TableStyle& style = {});
[[nodiscard]] std::string audit_markdown(const Audit& audit, std::string_view file);
/// Every finding with its numbers, one object each.
[[nodiscard]] std::string audit_json(const Audit& audit, std::string_view file);

}  // namespace roofline::report
