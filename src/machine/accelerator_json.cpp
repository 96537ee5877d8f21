#include "machine/accelerator_json.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include <roofline/error.hpp>

#include "machine/json_node.hpp"

namespace roofline::machine {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;

template <class Enum, std::size_t N>
Enum one_of(const JsonNode& node, const std::array<Enum, N>& values) {
  const std::string text = node.is_text() ? node.text() : std::string();
  std::string known;
  for (const Enum value : values) {
    if (name(value) == text) return value;
    known.append(known.empty() ? "one of " : ", ").append(name(value));
  }
  node.fail(known);
}

Confidence confidence_of(const JsonNode& node) {
  return one_of(node, std::array{Confidence::high, Confidence::medium, Confidence::low});
}

Provenance provenance_of(const JsonNode& node) {
  return one_of(
      node, std::array{Provenance::printed_dense, Provenance::sparse_halved, Provenance::same_rate,
                       Provenance::cloud_printed, Provenance::computed, Provenance::secondary});
}

/// Turns the members of one file into the value; `sources` is read first, so that every key can be
/// checked.
class AcceleratorReader {
 public:
  explicit AcceleratorReader(const JsonNode& root) : root_(root) {}

  Accelerator read();

 private:
  void read_identity();
  void read_sources();
  void read_clocks();
  void read_memory();
  void read_peaks();
  void read_sparse();
  void read_remarks();

  [[nodiscard]] SourceKeys sources_of(const JsonNode& node) const;
  [[nodiscard]] std::optional<Confidence> confidence_override(const JsonNode& node) const;
  [[nodiscard]] std::optional<Link> link(std::string_view key, std::string_view width_key) const;
  [[nodiscard]] PeakEntry peak_entry(const JsonNode& node) const;

  /// `{"value": x, "source": ...}`; `convert` turns the value's node into T.
  template <class Convert>
  auto sourced(const JsonNode& node, Convert convert) const {
    Sourced<decltype(convert(node))> out;
    out.value = convert(node.at("value"));
    out.sources = sources_of(node.at("source"));
    out.confidence = confidence_override(node);
    return out;
  }
  template <class Convert>
  auto sourced_if_there(const JsonNode& parent, std::string_view key, Convert convert) const
      -> std::optional<decltype(sourced(parent, convert))> {
    const auto node = parent.find(key);
    if (!node) return std::nullopt;
    node->allow_only({"value", "source", "confidence"});
    return sourced(*node, convert);
  }

  const JsonNode& root_;
  Accelerator out_;
};

double number(const JsonNode& node) { return node.above_zero(); }
unsigned whole(const JsonNode& node) { return node.whole_above_zero(); }
Frequency megahertz(const JsonNode& node) { return hertz(node.above_zero() * 1e6); }
Bytes mebibytes(const JsonNode& node) { return byte(node.above_zero() * kMebi); }
Bandwidth gigabytes_per_s(const JsonNode& node) { return gb_per_s(node.above_zero()); }

/// `{"unsupported": why}` or `{"unknown": why}`; nothing when it is neither.
std::optional<Missing> missing_of(const JsonNode& node) {
  for (const bool unsupported : {true, false}) {
    if (const auto reason = node.find(unsupported ? "unsupported" : "unknown")) {
      node.allow_only({unsupported ? "unsupported" : "unknown"});
      return Missing{unsupported, reason->text()};
    }
  }
  return std::nullopt;
}

PeakKey peak_key_of(const JsonNode& parent, std::string_view text) {
  if (const auto key = find_peak_key(text)) return *key;
  std::string known;
  for (const PeakKey key : peak_keys()) {
    known.append(known.empty() ? "" : ", ").append(name(key));
  }
  parent.fail("keyed by the known peaks (" + known + "), not by '" + std::string(text) + "'");
}

std::optional<std::string> text_if_there(const JsonNode& parent, std::string_view key) {
  const auto node = parent.find(key);
  return node ? std::optional(node->text()) : std::nullopt;
}

std::vector<std::string> texts_if_there(const JsonNode& parent, std::string_view key) {
  const auto node = parent.find(key);
  return node ? node->texts() : std::vector<std::string>();
}

SourceKeys AcceleratorReader::sources_of(const JsonNode& node) const {
  SourceKeys keys = node.is_text() ? SourceKeys{node.text()} : node.texts();
  for (const std::string& key : keys) {
    if (!out_.sources.contains(key)) node.fail("a key, or a list of keys, of 'sources'");
  }
  return keys;
}

std::optional<Confidence> AcceleratorReader::confidence_override(const JsonNode& node) const {
  const auto confidence = node.find("confidence");
  return confidence ? std::optional(confidence_of(*confidence)) : std::nullopt;
}

void AcceleratorReader::read_sources() {
  const JsonNode table = root_.at("sources");
  for (const std::string& key : table.keys()) out_.sources[key] = table.at(key).text();
}

void AcceleratorReader::read_identity() {
  out_.id = root_.at("id").text();
  out_.date = root_.at("date").text();
  out_.confidence = confidence_of(root_.at("confidence"));
  out_.vendor = root_.at("vendor").text();
  out_.architecture = text_if_there(root_, "architecture").value_or("");
  out_.chip = text_if_there(root_, "chip").value_or("");
  out_.compute_capability = text_if_there(root_, "compute_capability").value_or("");
  out_.kind = text_if_there(root_, "kind").value_or("");
  out_.model = root_.at("model").text();
  out_.form_factor = text_if_there(root_, "form_factor").value_or("");
  out_.names = root_.at("names").texts();
  if (const auto node = root_.find("names_source")) static_cast<void>(sources_of(*node));
  out_.aliases = texts_if_there(root_, "aliases");
  out_.not_to_confuse = texts_if_there(root_, "not_to_confuse");
  out_.shared_name = text_if_there(root_, "shared_name").value_or("");
  out_.pci_device_ids = texts_if_there(root_, "pci_device_ids");
  const JsonNode sms = root_.at("sm_count");
  if (!missing_of(sms)) out_.sm_count = sourced_if_there(root_, "sm_count", whole);
}

void AcceleratorReader::read_clocks() {
  const JsonNode clocks = root_.at("clock_mhz");
  clocks.allow_only({"boost", "tensor_boost", "base", "max"});
  out_.clocks.boost = sourced_if_there(clocks, "boost", megahertz);
  out_.clocks.tensor_boost = sourced_if_there(clocks, "tensor_boost", megahertz);
  out_.clocks.base = sourced_if_there(clocks, "base", megahertz);
  out_.clocks.max = sourced_if_there(clocks, "max", megahertz);
}

void AcceleratorReader::read_memory() {
  const JsonNode memory = root_.at("memory");
  memory.allow_only({"type", "capacity_gb", "capacity_mib", "bandwidth_gb_per_s", "bus_bits",
                     "clock_mhz", "data_rate_gbit_per_s", "note"});
  Memory& out = out_.memory;
  out.type = text_if_there(memory, "type").value_or("");
  out.nameplate_gb = sourced_if_there(memory, "capacity_gb", number);
  out.reported = sourced_if_there(memory, "capacity_mib", mebibytes);
  const JsonNode bandwidth = memory.at("bandwidth_gb_per_s");
  if (auto missing = missing_of(bandwidth)) {
    out.bandwidth = *std::move(missing);
  } else {
    bandwidth.allow_only({"value", "printed", "source", "confidence"});
    out.bandwidth = sourced(bandwidth, gigabytes_per_s);
    out.bandwidth_printed = text_if_there(bandwidth, "printed").value_or("");
  }
  out.bus_bits = sourced_if_there(memory, "bus_bits", whole);
  out.clock = sourced_if_there(memory, "clock_mhz", megahertz);
  out.bit_per_s_pin = sourced_if_there(memory, "data_rate_gbit_per_s",
                                       [](const JsonNode& node) { return number(node) * 1e9; });
  out.note = text_if_there(memory, "note").value_or("");
}

std::optional<Link> AcceleratorReader::link(std::string_view key,
                                            std::string_view width_key) const {
  const auto node = root_.find(key);
  if (!node) return std::nullopt;
  node->allow_only(
      {"generation", width_key, "per_direction_gb_per_s", "total_gb_per_s", "topology", "source"});
  Link out;
  out.generation = node->at("generation").whole_above_zero();
  out.width = node->at(width_key).whole_above_zero();
  out.per_direction = gigabytes_per_s(node->at("per_direction_gb_per_s"));
  if (const auto total = node->find("total_gb_per_s")) out.total = gigabytes_per_s(*total);
  out.topology = text_if_there(*node, "topology").value_or("");
  out.sources = sources_of(node->at("source"));
  return out;
}

PeakEntry AcceleratorReader::peak_entry(const JsonNode& node) const {
  if (auto missing = missing_of(node)) return *std::move(missing);
  node.allow_only({"value", "provenance", "source", "confidence"});
  DensePeak peak;
  peak.value = tflop_per_s(node.at("value").above_zero());
  peak.provenance = provenance_of(node.at("provenance"));
  peak.sources = sources_of(node.at("source"));
  peak.confidence = confidence_override(node);
  return peak;
}

void AcceleratorReader::read_peaks() {
  if (const auto rates = root_.find("flop_per_clock_per_sm")) {
    for (const std::string& key : rates->keys()) {
      if (key == "source") continue;
      out_.flop_per_clock_per_sm[peak_key_of(*rates, key)] = rates->at(key).above_zero();
    }
    out_.rate_sources = sources_of(rates->at("source"));
  }
  const JsonNode peaks = root_.at("peaks_dense_tflop_per_s");
  for (const std::string& key : peaks.keys()) static_cast<void>(peak_key_of(peaks, key));
  for (const PeakKey key : peak_keys()) out_.dense[key] = peak_entry(peaks.at(name(key)));
}

void AcceleratorReader::read_sparse() {
  const JsonNode sparse = root_.at("peaks_sparse_tflop_per_s");
  if (auto missing = missing_of(sparse)) {
    out_.sparse.missing = *std::move(missing);
    return;
  }
  for (const std::string& key : sparse.keys()) {
    if (key == "source") continue;
    out_.sparse.peaks[peak_key_of(sparse, key)] = tflop_per_s(sparse.at(key).above_zero());
  }
  out_.sparse.sources = sources_of(sparse.at("source"));
}

void AcceleratorReader::read_remarks() {
  if (const auto list = root_.find("alternates")) {
    for (const JsonNode& node : list->items()) {
      node.allow_only({"field", "value", "why"});
      out_.alternates.push_back(
          {node.at("field").text(), node.at("value").scalar_as_text(), node.at("why").text()});
    }
  }
  if (const auto list = root_.find("cross_check_exceptions")) {
    for (const JsonNode& node : list->items()) {
      node.allow_only({"fields", "reason"});
      out_.exceptions.push_back({node.at("fields").texts(), node.at("reason").text()});
    }
  }
  out_.notes = texts_if_there(root_, "notes");
}

Accelerator AcceleratorReader::read() {
  root_.allow_only({"id",
                    "date",
                    "confidence",
                    "vendor",
                    "architecture",
                    "chip",
                    "compute_capability",
                    "kind",
                    "model",
                    "form_factor",
                    "names",
                    "names_source",
                    "aliases",
                    "not_to_confuse",
                    "shared_name",
                    "pci_device_ids",
                    "sm_count",
                    "clock_mhz",
                    "memory",
                    "l2_mib",
                    "tdp_w",
                    "nvlink",
                    "pcie",
                    "flop_per_clock_per_sm",
                    "peaks_dense_tflop_per_s",
                    "peaks_sparse_tflop_per_s",
                    "alternates",
                    "cross_check_exceptions",
                    "notes",
                    "sources"});
  read_sources();
  read_identity();
  read_clocks();
  read_memory();
  out_.l2 = sourced_if_there(root_, "l2_mib", mebibytes);
  out_.tdp_w = sourced_if_there(root_, "tdp_w", number);
  out_.nvlink = link("nvlink", "links");
  out_.pcie = link("pcie", "lanes");
  read_peaks();
  read_sparse();
  read_remarks();
  return std::move(out_);
}

}  // namespace

std::string_view id_of_path(std::string_view path) {
  const std::size_t slash = path.find_last_of('/');
  if (slash != std::string_view::npos) path.remove_prefix(slash + 1);
  constexpr std::string_view extension = ".json";
  if (path.ends_with(extension)) path.remove_suffix(extension.size());
  return path;
}

Accelerator parse_accelerator(std::string_view text, std::string_view file) {
  const nlohmann::json document = parse_document(text, file);
  const JsonNode root(document, file);
  Accelerator accelerator = AcceleratorReader(root).read();
  if (accelerator.id != id_of_path(file)) {
    root.at("id").fail("the name of the file without .json");
  }
  return accelerator;
}

}  // namespace roofline::machine
