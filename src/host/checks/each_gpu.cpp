#include "host/checks/each_gpu.hpp"

#include <utility>
#include <vector>

#include "roofline/fact_lookup.hpp"

namespace roofline::host {
namespace {

/// Devices by what was found on them, in the order of the devices.
class Groups {
 public:
  void add(const std::string& id, const std::string& found) {
    for (auto& [text, ids] : groups_) {
      if (text != found) continue;
      ids += ", " + id;
      return;
    }
    groups_.emplace_back(found, id);
  }
  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& [text, ids] : groups_) out += (out.empty() ? "" : "; ") + ids + ": " + text;
    return out;
  }

 private:
  std::vector<std::pair<std::string, std::string>> groups_;
};

template <class Value>
Told<Value> untold(const Gpu& gpu, std::string_view key) {
  const FactValue* fact = find_fact(gpu.facts, key);
  const auto* unknown = fact != nullptr ? std::get_if<Unknown>(fact) : nullptr;
  if (unknown != nullptr && !unknown->reason.empty()) return {std::nullopt, unknown->reason};
  return {std::nullopt, std::string(key) + " is not told"};
}

}  // namespace

Verdict of_each_gpu(const Evidence& evidence, LookAtGpu look) {
  if (!evidence.gpus || evidence.gpus->devices.empty())
    return unknown("only GPUs of this very machine can be asked");
  Verdict worst;
  Groups all;
  Groups amiss;
  for (const Gpu& gpu : evidence.gpus->devices) {
    Verdict seen = look(gpu);
    all.add(gpu.id, seen.found);
    if (seen.severity != Severity::ok) amiss.add(gpu.id, seen.found);
    if (seen.severity < worst.severity) worst = std::move(seen);
  }
  worst.found = worst.severity == Severity::ok ? all.text() : amiss.text();
  return worst;
}

Told<double> number_of(const Gpu& gpu, std::string_view key) {
  const FactValue* fact = find_fact(gpu.facts, key);
  if (fact != nullptr) {
    if (const auto* count = std::get_if<std::uint64_t>(fact))
      return {static_cast<double>(*count), {}};
    if (const auto* number = std::get_if<double>(fact)) return {*number, {}};
  }
  return untold<double>(gpu, key);
}

Told<bool> flag_of(const Gpu& gpu, std::string_view key) {
  const FactValue* fact = find_fact(gpu.facts, key);
  const auto* flag = fact != nullptr ? std::get_if<bool>(fact) : nullptr;
  if (flag != nullptr) return {*flag, {}};
  return untold<bool>(gpu, key);
}

Told<std::string> text_of(const Gpu& gpu, std::string_view key) {
  const FactValue* fact = find_fact(gpu.facts, key);
  const auto* text = fact != nullptr ? std::get_if<std::string>(fact) : nullptr;
  if (text != nullptr) return {*text, {}};
  return untold<std::string>(gpu, key);
}

std::string smi_name(const Gpu& gpu) {
  std::string uuid = text_of(gpu, "uuid").value.value_or("");
  if (uuid.starts_with("GPU-")) return uuid;
  // A slice has its card's address.
  return text_of(gpu, "pci_bus_id").value.value_or("N");
}

}  // namespace roofline::host
