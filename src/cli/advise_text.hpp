// An advice for people and as JSON. Judges nothing itself.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/advise_sheet.hpp"
#include "report/table.hpp"

namespace roofline::cli {

[[nodiscard]] nlohmann::ordered_json advice_json(const AdviseSheet& sheet);
[[nodiscard]] nlohmann::ordered_json reconciled_json(const AdviseSheet& sheet);
/// The verdict first, then what it stands on, then the levers.
[[nodiscard]] std::string advice_page(const AdviseSheet& sheet, const report::TableStyle& style);
[[nodiscard]] std::string reconciled_page(const AdviseSheet& sheet);

}  // namespace roofline::cli
