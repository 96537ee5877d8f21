#include <algorithm>
#include <map>
#include <set>

#include "profile/kernel_table.hpp"
#include "roofline/printable.hpp"
#include "roofline/sample_summary.hpp"

namespace roofline::profile {
namespace {

constexpr double kConfidence = 0.95;

/// `kernel/bf16/attention_fwd`, `kernel/fp32/copy-t8`.
std::string id_of(const TimedKernel& kernel) {
  std::string label = printable(kernel.name, '_');
  std::replace(label.begin(), label.end(), ' ', '_');
  if (kernel.threads) label += "-t" + std::to_string(*kernel.threads);
  return "kernel/" + std::string(name(kernel.workload.dtype)) + "/" + label;
}

}  // namespace

Record record_of(const TimedKernel& kernel, const std::string& device_id,
                 const std::string& device_name, std::string_view source) {
  Record out;
  out.id = id_of(kernel);
  out.device_id = device_id;
  out.device_name = device_name;
  out.workload = kernel.workload;
  out.account = account(out.workload);
  Measured measured = summarise(kernel.samples, MeasurementEnd::budget_spent, kConfidence);
  measured.verification.detail =
      "timed elsewhere: " + std::string(source) + ", line " + std::to_string(kernel.line);
  out.outcome = std::move(measured);
  out.prediction.reason = "it was measured before";
  out.implementation = {
      {"imported_from", std::string(source)},
      {"imported_line", static_cast<std::uint64_t>(kernel.line)},
      {"kernel", kernel.name},
      {"traffic_direction", std::string(kernel.directions_known ? "known" : "unknown")}};
  if (kernel.threads) out.implementation.push_back({"threads", *kernel.threads});
  return out;
}

void tell_apart(std::vector<Record>& records) {
  std::set<std::string> taken;
  std::map<std::string, std::size_t> met;
  for (Record& record : records) {
    const std::string first = record.device_id + '\n' + record.id;
    const std::string id = record.id;
    std::size_t& number = met[first];
    for (++number; !taken.insert(record.device_id + '\n' + record.id).second; ++number)
      record.id = id + "#" + std::to_string(number);
  }
}

}  // namespace roofline::profile
