#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "backend/cpu/cpu_backend.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "cli/command.hpp"
#include "cli/configs.hpp"
#include "cli/device_sheet.hpp"
#include "cli/gpu_sheet.hpp"
#include "cli/roof_options.hpp"
#include "cli/suggest.hpp"
#include "cli/warnings.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

struct DevicesOptions {
  std::string device;
  std::string config_dir;
  bool json = false;
};

backend::Device this_cpu() { return cpu::make_cpu_backend({})->devices().at(0); }

nlohmann::ordered_json cpu_json(const backend::Device& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"usable", true},
          {"reason", nullptr},
          {"facts", report::facts_json(device.facts)}};
}

nlohmann::ordered_json list_json(const backend::Device& cpu, const cuda::Inventory& gpus,
                                 const machine::Catalogue& catalogue) {
  nlohmann::ordered_json out;
  out["here"] = nlohmann::ordered_json::array();
  for (const cuda::ListedDevice& listed : gpus.devices)
    out["here"].push_back(gpu_json(rate(listed, catalogue)));
  out["here"].push_back(cpu_json(cpu));
  out["no_gpu_because"] = gpus.none_because.empty() ? nlohmann::ordered_json(nullptr)
                                                    : nlohmann::ordered_json(gpus.none_because);
  out["libraries"] = report::facts_json(gpus.libraries);
  out["catalogue"] = nlohmann::ordered_json::array();
  for (const machine::Accelerator* a : catalogue.all()) out["catalogue"].push_back(device_json(*a));
  return out;
}

ExitStatus list_devices(const DevicesOptions& o, Io& io) {
  const machine::Catalogue catalogue = load_catalogue(o.config_dir);
  const backend::Device cpu = this_cpu();
  const cuda::Inventory gpus = cuda::take_inventory({});
  if (o.json) {
    io.out << report::to_text(list_json(cpu, gpus, catalogue));
    return ExitStatus::ok;
  }
  io.out << "Here (can be measured):\n";
  for (const cuda::ListedDevice& listed : gpus.devices)
    io.out << gpu_lines(rate(listed, catalogue));
  io.out << "  " << cpu.id << "  " << cpu.name << '\n';
  if (gpus.devices.empty()) {
    io.out << "  no GPU: " << gpus.none_because << '\n';
  } else {
    for (const Fact& fact : gpus.libraries)
      io.out << "  " << fact.key << ": " << fact_text(fact.value) << '\n';
  }
  io.out << "\nIn the catalogue (can be reasoned about with explain):\n";
  io.out << device_list(catalogue.all());
  io.out << "\nroofline devices ID shows one of them; dense peaks, FLOP/byte over DRAM\n";
  return ExitStatus::ok;
}

ExitStatus show_cpu(const DevicesOptions& o, Io& io) {
  const backend::Device device = this_cpu();
  if (o.json) {
    io.out << report::to_text(cpu_json(device));
    return ExitStatus::ok;
  }
  io.out << device.id << "  " << device.name << '\n';
  for (const Fact& fact : device.facts)
    io.out << fmt::format("  {:<28} {}\n", fact.key, fact_text(fact.value));
  return ExitStatus::ok;
}

/// By `cuda:N`, a number or a UUID: names are the catalogue's, which knows what isn't here.
bool names_a_gpu_here(const std::string& word) {
  return word.starts_with("cuda") || word.starts_with("gpu-") || word.starts_with("mig-") ||
         word.find_first_not_of("0123456789") == std::string::npos;
}

ExitStatus show_gpu(const DevicesOptions& o, const std::string& word, Io& io) {
  const cuda::Inventory gpus = cuda::take_inventory({});
  const cuda::ListedDevice* found = cuda::find_device(gpus, word);
  if (found == nullptr) {
    throw NotAvailable(
        "'" + o.device + "' is not here; " +
        (gpus.devices.empty() ? gpus.none_because : "roofline devices lists what is"));
  }
  const machine::Catalogue catalogue = load_catalogue(o.config_dir);
  const RatedGpu gpu = rate(*found, catalogue);
  io.out << (o.json ? report::to_text(gpu_json(gpu)) : gpu_page(gpu));
  return ExitStatus::ok;
}

ExitStatus devices(const DevicesOptions& o, Io& io) {
  if (o.device.empty()) return list_devices(o, io);
  const std::string word = lower(o.device);
  if (word == "cpu") return show_cpu(o, io);
  if (names_a_gpu_here(word)) return show_gpu(o, word, io);
  const machine::Catalogue catalogue = load_catalogue(o.config_dir);
  const machine::Match match = find_device(catalogue, o.device);
  if (match.accelerator == nullptr) throw NotAvailable(match.reason);
  if (match.status == machine::MatchStatus::partial) warn(io, match.reason);
  warn_each(io, match.cautions);
  io.out << (o.json ? report::to_text(device_json(*match.accelerator))
                    : device_page(*match.accelerator));
  return ExitStatus::ok;
}

}  // namespace

Action add_devices(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<DevicesOptions>();
  app.add_option("device", options->device,
                 "cpu, cuda:0, a GPU's UUID, a catalogue id, or a product name; all when left "
                 "out");
  app.add_flag("--json", options->json, "print JSON");
  add_config_option(app, options->config_dir);
  return [options](Io& io) { return devices(*options, io); };
}

}  // namespace roofline::cli
