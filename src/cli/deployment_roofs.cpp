#include "cli/deployment_roofs.hpp"

#include <algorithm>
#include <utility>

#include "cli/configs.hpp"
#include "cli/operation_options.hpp"
#include "cli/warnings.hpp"
#include "roofline/account.hpp"
#include "roofline/error.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {
namespace {

/// A product of token rows and weights in `type`: whose roofs a step is held against.
Operation product_in(DType type) {
  Projection product;
  product.rows = 1;
  product.d_in = 4096;
  product.d_out = 4096;
  product.activation = type;
  return {product, Boundary::dram, {}};
}

/// The types that a step computes in, each once.
std::vector<DType> arithmetic_types(const model::StepTypes& types) {
  std::vector<DType> out;
  for (const DType type : {types.linear, types.activation, types.head})
    if (std::find(out.begin(), out.end(), type) == out.end()) out.push_back(type);
  return out;
}

}  // namespace

const TypedPeak& DeploymentRoofs::peak_of(DType type) const {
  const auto found = std::find_if(peaks.begin(), peaks.end(),
                                  [&](const TypedPeak& one) { return one.type == type; });
  return found == peaks.end() ? peaks.front() : *found;
}

DeploymentRoofs choose_deployment_roofs(const RoofOptions& options, const model::StepTypes& types,
                                        const std::string& config_dir) {
  const machine::Catalogue catalogue = load_catalogue(config_dir);
  DeploymentRoofs out;
  for (const DType type : arithmetic_types(types)) {
    const Operation operation = product_in(type);
    ChosenRoofs chosen = choose_roofs(options, operation, account(operation.workload), catalogue);
    if (!chosen.roofs.compute)
      throw NotAvailable("no peak for arithmetic in " + std::string(name(type)) + ": " +
                         std::string(chosen.roofs.compute_reason) + "; --peak-flops states one");
    if (!chosen.roofs.memory)
      throw NotAvailable("no bandwidth: " + std::string(chosen.roofs.memory_reason) +
                         "; --bandwidth states one");
    add_once(out.warnings, chosen.warnings);
    if (out.peaks.empty()) {
      out.device_id = chosen.device_id;
      out.device_name = chosen.device_name;
      out.memory = *chosen.roofs.memory;
      out.launch = chosen.roofs.overhead;
    }
    out.values.peaks.set(type, chosen.roofs.compute->peak);
    out.peaks.push_back({type, *chosen.roofs.compute, std::move(chosen.context)});
  }
  out.values.bandwidth = out.memory.bandwidth;
  return out;
}

DeploymentRoofs measured_deployment_roofs(const std::string& report, const std::string& device,
                                          const model::StepTypes& types,
                                          const std::string& config_dir) {
  const MeasuredRoofs measured = measured_roofs(report, "--measured");
  DeploymentRoofs out;
  out.device_id = report;
  out.device_name = measured.device.name;
  if (!device.empty()) {
    auto other =
        of_another_device(measured, report, "--measured", load_catalogue(config_dir), device);
    if (other) out.warnings.push_back(*std::move(other));
  }
  RoofBook book;
  for (const RoofEntry& entry : measured.roofs) {
    const auto* launch = std::get_if<OverheadRoof>(&entry.roof);
    if (launch != nullptr && (!out.launch || launch->path == LaunchPath::kernel))
      out.launch = *launch;
    book.add(entry);
  }
  for (const DType type : arithmetic_types(types)) {
    const Operation product = product_in(type);
    const auto peak = book.peaks_for(product.workload).empirical;
    if (!peak)
      throw InputError("--measured: " + report + " holds no measured peak of " +
                       std::string(name(type)) + "; roofline gemm --dtype " +
                       std::string(name(type)) + " -o FILE measures it");
    out.values.peaks.set(type, peak->peak);
    out.peaks.push_back({type, *peak});
    const auto memory = book.roofs_for(product.workload, account(product.workload)).memory;
    if (!memory)
      throw InputError("--measured: " + report +
                       " holds no measured bandwidth; roofline bandwidth -o FILE measures it");
    out.memory = *memory;
  }
  out.values.bandwidth = out.memory.bandwidth;
  return out;
}

}  // namespace roofline::cli
