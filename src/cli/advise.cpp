#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/advise_options.hpp"
#include "cli/advise_sheet.hpp"
#include "cli/advise_text.hpp"
#include "cli/command.hpp"
#include "cli/terminal.hpp"
#include "report/format.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

std::string as_json(const AdviseOptions& o, const AdviseSheet& sheet) {
  nlohmann::ordered_json out = advice_json(sheet);
  if (o.reconcile) out["reconcile"] = reconciled_json(sheet);
  return report::to_text(out);
}

ExitStatus judge(const CLI::App& app, const AdviseOptions& o, Io& io) {
  const AdviseSheet sheet = make_advice(o);
  refuse_idle_options(app, sheet.deployment);
  const std::string text = o.json        ? as_json(o, sheet)
                           : o.reconcile ? reconciled_page(sheet)
                                         : advice_page(sheet, stdout_style());
  const auto warn = [&](const std::string& warning) {
    io.err << "roofline: warning: " << warning << '\n';
  };
  std::vector<std::string> warnings = warnings_of(sheet.deployment);
  for (const std::string& one : sheet.rated().roofs.warnings)
    if (std::find(warnings.begin(), warnings.end(), one) == warnings.end()) warnings.push_back(one);
  for (const std::string& warning : warnings) warn(warning);
  io.out << text;
  if (!sheet.impossible()) return ExitStatus::ok;
  warn("the reading is " + report::format_percent(sheet.rated().held.of_ceiling) +
       " of its ceiling, which cannot be" +
       (sheet.causes.empty() ? "" : "; likeliest: " + sheet.causes.front().text));
  return o.strict ? ExitStatus::failed : ExitStatus::ok;
}

/// A refusal is a result, too: who reads JSON finds it where the judgement would be.
ExitStatus advise(const CLI::App& app, const AdviseOptions& o, Io& io) {
  try {
    return judge(app, o, io);
  } catch (const InputError& error) {
    if (o.json) io.out << report::to_text({{"refused", error.what()}});
    throw;
  }
}

}  // namespace

Action add_advise(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<AdviseOptions>();
  add_advise_options(app, *options);
  return [options, &app](Io& io) { return advise(app, *options, io); };
}

}  // namespace roofline::cli
