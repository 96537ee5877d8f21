#include "cli/gpu_sheet.hpp"

#include <fmt/core.h>

#include "report/format.hpp"
#include "report/json_writer.hpp"
#include "roofline/fact_lookup.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

/// `1.41 GHz`, `877 MHz`.
std::string clock_text(double hz) {
  return hz >= 1e9 ? report::format_number(hz / 1e9) + " GHz"
                   : report::format_number(hz / 1e6) + " MHz";
}

class Line {
 public:
  explicit Line(const Facts& facts) : facts_(facts) {}

  void number(std::string_view key, std::string (*shown)(double)) {
    if (const auto value = number_fact(facts_, key)) add(shown(*value));
  }
  void flag(std::string_view key, std::string_view yes, std::string_view no) {
    const FactValue* value = find_fact(facts_, key);
    const bool* is = value == nullptr ? nullptr : std::get_if<bool>(value);
    if (is != nullptr && !(*is ? yes : no).empty()) add(std::string(*is ? yes : no));
  }
  void text(std::string_view key, std::string_view before) {
    const std::string value = text_fact(facts_, key);
    if (!value.empty()) add(std::string(before) + value);
  }
  void add(const std::string& part) { out_ += ", " + part; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  const Facts& facts_;
  std::string out_;
};

std::string in_line(const Facts& facts) {
  Line line(facts);
  line.number("sm_count", [](double v) { return fmt::format("{:.0f} SMs", v); });
  line.number("memory_bytes",
              [](double v) { return report::format_capacity(static_cast<std::uint64_t>(v)); });
  line.number("clock_max_hz", [](double v) { return "SM " + clock_text(v); });
  line.number("memory_clock_hz", [](double v) { return "memory " + clock_text(v); });
  line.flag("ecc", "ECC on", "ECC off");
  line.flag("mig", "MIG slice", "");
  line.flag("virtual_gpu", "virtual GPU", "");
  line.flag("wsl", "WSL2", "");
  line.flag("simulated", "SIMULATED", "");
  line.text("driver_version", "driver ");
  return line.take();
}

std::string roof_text(const RoofEntry& entry) {
  if (const auto* compute = std::get_if<ComputeRoof>(&entry.roof)) {
    return fmt::format("{:<14} {:>14}  {}{}, {}\n", entry.name, report::format(compute->peak),
                       compute->sparsity == Sparsity::dense ? "" : "2:4 sparse, ",
                       name(compute->origin), compute->source);
  }
  const auto& memory = std::get<MemoryRoof>(entry.roof);
  return fmt::format("{:<14} {:>14}  {}, {}\n",
                     memory.boundary == Boundary::link ? "host link" : "memory",
                     report::format(memory.bandwidth), name(memory.origin), memory.source);
}

/// Reasons of what is missing.
std::vector<std::string> reasons(const machine::RatedDevice& rated) {
  std::vector<std::string> out;
  if (!rated.no_peaks.empty()) out.push_back("no peaks, and no MFU: " + rated.no_peaks);
  if (!rated.no_bandwidth.empty() && rated.no_bandwidth != rated.no_peaks)
    out.push_back("no memory bandwidth: " + rated.no_bandwidth);
  if (!rated.no_link.empty()) out.push_back("no bandwidth of the host link: " + rated.no_link);
  return out;
}

}  // namespace

std::string product_name(const backend::Device& device) {
  std::string_view out = device.name;
  const auto strip = [&](std::string_view mark) {
    if (out.starts_with(mark)) out.remove_prefix(mark.size());
  };
  if (text_fact(device.facts, "backend") == "scripted") strip("scripted: ");
  if (flag_fact(device.facts, "simulated")) strip("FAKE ");
  return std::string(out);
}

machine::RatedDevice rate(const backend::Device& device, const machine::Catalogue& catalogue) {
  Facts facts = device.facts;
  // A simulated card has the memory that this machine can spare.
  if (flag_fact(facts, "simulated") && !flag_fact(facts, "mig"))
    std::erase_if(facts, [](const Fact& fact) { return fact.key == "memory_bytes"; });
  return machine::rate_device(catalogue, product_name(device), facts);
}

RatedGpu rate(const cuda::ListedDevice& listed, const machine::Catalogue& catalogue) {
  return {listed, rate(listed.device, catalogue)};
}

std::string gpu_lines(const RatedGpu& gpu) {
  const backend::Device& device = gpu.listed.device;
  const auto* card = gpu.rated.accelerator;
  std::string out = fmt::format("  {}  {} ({}){}\n", device.id, printable(device.name),
                                card != nullptr ? card->id : "not in the catalogue",
                                printable(in_line(device.facts)));
  if (!gpu.listed.unusable.empty())
    out += fmt::format("          can't be measured: {}\n", printable(gpu.listed.unusable));
  return out;
}

std::string gpu_page(const RatedGpu& gpu) {
  const backend::Device& device = gpu.listed.device;
  std::string out = fmt::format("{}  {}\n", device.id, printable(device.name));
  if (!gpu.listed.unusable.empty())
    out += fmt::format("can't be measured: {}\n", printable(gpu.listed.unusable));
  for (const Facts* facts : {&device.facts, &gpu.rated.facts}) {
    for (const Fact& fact : *facts)
      out += fmt::format("  {:<32} {}\n", fact.key, printable(fact_text(fact.value)));
  }
  if (!gpu.rated.roofs.empty()) out += "roofs before anything is measured:\n";
  for (const RoofEntry& entry : gpu.rated.roofs) out += "  " + roof_text(entry);
  for (const std::string& reason : reasons(gpu.rated)) out += printable(reason) + '\n';
  for (const machine::Warning& warning : gpu.rated.warnings)
    out += "doubt: " + printable(warning.text) + '\n';
  return out;
}

nlohmann::ordered_json gpu_json(const RatedGpu& gpu) {
  const backend::Device& device = gpu.listed.device;
  Facts facts = device.facts;
  facts.insert(facts.end(), gpu.rated.facts.begin(), gpu.rated.facts.end());
  nlohmann::ordered_json out;
  out["id"] = device.id;
  out["name"] = device.name;
  out["usable"] = gpu.listed.unusable.empty();
  out["reason"] = gpu.listed.unusable.empty() ? nlohmann::ordered_json(nullptr)
                                              : nlohmann::ordered_json(gpu.listed.unusable);
  out["facts"] = report::facts_json(facts);
  out["roofs"] = report::roofs_json(gpu.rated.roofs);
  out["missing"] = reasons(gpu.rated);
  out["doubts"] = nlohmann::ordered_json::array();
  for (const machine::Warning& warning : gpu.rated.warnings)
    out["doubts"].push_back({{"id", warning.id}, {"text", warning.text}});
  return out;
}

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

}  // namespace roofline::cli
