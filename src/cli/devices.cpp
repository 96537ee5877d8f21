#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "backend/cpu/cpu_backend.hpp"
#include "cli/command.hpp"
#include "cli/configs.hpp"
#include "cli/device_sheet.hpp"
#include "cli/roof_options.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

struct Options {
  std::string device;
  std::string config_dir;
  bool json = false;
};

std::string fact_text(const FactValue& value) {
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  if (const auto* count = std::get_if<std::uint64_t>(&value)) return std::to_string(*count);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "yes" : "no";
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{:.6g}", *number);
  if (const auto* list = std::get_if<std::vector<std::string>>(&value)) {
    std::string out;
    for (const std::string& word : *list) out += (out.empty() ? "" : " ") + word;
    return out;
  }
  return "unknown: " + std::get<Unknown>(value).reason;
}

ExitStatus list_devices(const Options& o, Io& io) {
  const machine::Catalogue catalogue = load_catalogue(o.config_dir);
  const auto backend = cpu::make_cpu_backend({});
  const auto here = backend->devices();
  if (o.json) {
    nlohmann::ordered_json out;
    out["here"] = nlohmann::ordered_json::array();
    for (const auto& device : here)
      out["here"].push_back({{"id", device.id}, {"name", device.name}});
    out["catalogue"] = nlohmann::ordered_json::array();
    for (const machine::Accelerator* a : catalogue.all())
      out["catalogue"].push_back(device_json(*a));
    io.out << report::to_text(out);
    return ExitStatus::ok;
  }
  io.out << "Here (can be measured):\n";
  for (const auto& device : here) io.out << "  " << device.id << "  " << device.name << '\n';
  io.out << "  no GPU: GPU support is not in this build\n\nIn the catalogue (can be reasoned about "
            "with explain):\n";
  io.out << device_list(catalogue.all());
  io.out << "\nroofline devices ID shows one of them; dense peaks, FLOP/byte over DRAM\n";
  return ExitStatus::ok;
}

ExitStatus show_here(const Options& o, Io& io) {
  const auto backend = cpu::make_cpu_backend({});
  const auto device = backend->devices().at(0);
  if (o.json) {
    nlohmann::ordered_json out;
    out["id"] = device.id;
    out["name"] = device.name;
    out["facts"] = report::facts_json(device.facts);
    io.out << report::to_text(out);
    return ExitStatus::ok;
  }
  io.out << device.id << "  " << device.name << '\n';
  for (const Fact& fact : device.facts)
    io.out << fmt::format("  {:<28} {}\n", fact.key, fact_text(fact.value));
  return ExitStatus::ok;
}

ExitStatus devices(const Options& o, Io& io) {
  if (o.device.empty()) return list_devices(o, io);
  if (o.device == "cpu") return show_here(o, io);
  const machine::Catalogue catalogue = load_catalogue(o.config_dir);
  const machine::Match match = find_device(catalogue, o.device);
  if (match.accelerator == nullptr) throw NotAvailable(match.reason);
  if (match.status == machine::MatchStatus::partial)
    io.err << "roofline: warning: " << match.reason << '\n';
  for (const std::string& caution : match.cautions)
    io.err << "roofline: warning: " << caution << '\n';
  io.out << (o.json ? report::to_text(device_json(*match.accelerator))
                    : device_page(*match.accelerator));
  return ExitStatus::ok;
}

}  // namespace

Action add_devices(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<Options>();
  app.add_option("device", options->device,
                 "cpu, a catalogue id, or a product name; all when left out");
  app.add_flag("--json", options->json, "print JSON");
  add_config_option(app, options->config_dir);
  return [options](Io& io) { return devices(*options, io); };
}

}  // namespace roofline::cli
