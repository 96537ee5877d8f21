#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/advise_options.hpp"
#include "cli/advise_sheet.hpp"
#include "cli/advise_text.hpp"
#include "cli/command.hpp"
#include "cli/refusal.hpp"
#include "cli/terminal.hpp"
#include "cli/warnings.hpp"
#include "report/format.hpp"
#include "report/json_writer.hpp"

namespace roofline::cli {
namespace {

std::string as_json(const AdviseOptions& o, const AdviseSheet& sheet) {
  nlohmann::ordered_json out = advice_json(sheet);
  if (o.reconcile) out["reconcile"] = reconciled_json(sheet);
  return report::to_text(out);
}

std::vector<std::string> warnings_of(const AdviseSheet& sheet) {
  std::vector<std::string> out = warnings_of(sheet.deployment);
  for (const RoofView& view : sheet.views) add_once(out, view.roofs.warnings);
  return out;
}

std::string above_ceiling_text(const AdviseSheet& sheet) {
  std::string out = "the reading is " + report::format_percent(sheet.rated().held.of_ceiling) +
                    " of its ceiling, which cannot be";
  if (sheet.causes.empty()) return out;
  const ImpossibleCause& first = sheet.causes.front();
  out += first.explains ? "; likeliest: " : "; perhaps: ";
  return out + first.text;
}

ExitStatus judge(const CLI::App& app, const AdviseOptions& o, Io& io) {
  refuse_idle_advice(app, o);
  const AdviseSheet sheet = make_advice(o);
  refuse_idle_options(app, sheet.deployment);
  const std::string text = o.json        ? as_json(o, sheet)
                           : o.reconcile ? reconciled_page(sheet)
                                         : advice_page(sheet, stdout_style());
  warn_each(io, warnings_of(sheet));
  io.out << text;
  warn_each(io, sheet.refuted);
  if (!sheet.misfit.empty()) warn(io, sheet.misfit);
  if (sheet.above_ceiling()) warn(io, above_ceiling_text(sheet));
  return sheet.impossible() && o.strict ? ExitStatus::failed : ExitStatus::ok;
}

}  // namespace

Action add_advise(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<AdviseOptions>();
  add_advise_options(app, *options);
  return [options, &app](Io& io) {
    return with_refusal_as_json(options->json, io, [&] { return judge(app, *options, io); });
  };
}

}  // namespace roofline::cli
