#include "cli/imported_devices.hpp"

#include <algorithm>

#include "machine/rated_device.hpp"
#include "machine/roofs.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

constexpr std::string_view kCustom = "custom";

/// Of what was rated on purpose by a measurement, that is the peak.
PeakOrder order_for(const RoofOptions& options, const std::string& device) {
  const bool measured =
      std::any_of(options.peaks.begin(), options.peaks.end(),
                  [](const std::string& text) { return measured_in(text).has_value(); });
  return measured || device == "cpu" ? PeakOrder::demonstrated_first : PeakOrder::rated_first;
}

template <class Roof>
void add_measured(RoofBook& book, MeasuredRoofs measured, const std::string& path,
                  std::string_view option) {
  bool any = false;
  for (RoofEntry& entry : measured.roofs) {
    if (!std::holds_alternative<Roof>(entry.roof)) continue;
    auto& roof = std::get<Roof>(entry.roof);
    roof.source = path + ": " + roof.source;
    // The point that showed it is in the other report.
    entry.point.clear();
    entry.device.clear();
    book.add(std::move(entry));
    any = true;
  }
  if (!any) {
    throw InputError(std::string(option) + ": " + path +
                     " holds no measured roof of that kind; measure it with roofline run -o FILE");
  }
}

/// The complaint about a device, at the place where it is named.
std::string placed(const std::string& message, const std::string& what) {
  constexpr std::string_view kOption = "--device: ";
  return message.starts_with(kOption) ? what + ": " + message.substr(kOption.size()) : message;
}

}  // namespace

ImportedDevices::ImportedDevices(const RoofOptions& options, const machine::Catalogue& catalogue,
                                 std::string_view file)
    : options_(options), catalogue_(catalogue), file_(printable(file)) {}

bool ImportedDevices::roofs_given() const {
  return !options_.peaks.empty() || !options_.bandwidth.empty();
}

ImportedDevice ImportedDevices::make(const std::string& name, const std::string& what) {
  ImportedDevice out{{}, RoofBook(order_for(options_, name)), nullptr};
  if (name.empty()) {
    if (!roofs_given()) {
      throw InputError(
          "no roof is given; add --device ID (see roofline devices), a column device, or "
          "--peak-flops and --bandwidth");
    }
    out.device = {std::string(kCustom), "roofs given on the command line", {}};
    return out;
  }
  if (name == "cpu") {
    if (!roofs_given()) {
      throw NotAvailable(
          what +
          ": the CPU has no datasheet in the catalogue; measure it (roofline run -o FILE), "
          "then add --peak-flops measured:FILE --bandwidth measured:FILE");
    }
    out.device = {"cpu", "CPU", {}};
    return out;
  }
  try {
    const machine::Match match = find_device(catalogue_, name);
    const machine::RatedDevice rated = machine::rate_device(catalogue_, name, {});
    const bool whole = match.status == machine::MatchStatus::found;
    out.accelerator = whole ? match.accelerator : nullptr;
    const machine::Accelerator* a = out.accelerator;
    out.device.id = a != nullptr ? a->id : name;
    out.device.name = a == nullptr       ? name + " (part of " + match.base + ")"
                      : a->names.empty() ? a->model
                                         : a->names.front();
    out.device.facts = rated.facts;
    if (a != nullptr && a->l2) {
      out.device.facts.push_back({"l2_bytes", static_cast<std::uint64_t>(in_byte(a->l2->value))});
    }
    // A kernel moves its bytes across DRAM; the link is no roof of it.
    for (const RoofEntry& entry : rated.roofs) {
      const auto* memory = std::get_if<MemoryRoof>(&entry.roof);
      if (memory == nullptr || memory->boundary == Boundary::dram) out.book.add(entry);
    }
    if (!rated.no_peaks.empty()) out.book.explain_missing_peaks(rated.no_peaks);
    if (!rated.no_bandwidth.empty())
      out.book.explain_missing_bandwidth(Boundary::dram, rated.no_bandwidth);
  } catch (const NotAvailable& error) {
    throw NotAvailable(placed(error.what(), what));
  } catch (const InputError& error) {
    throw InputError(placed(error.what(), what));
  }
  return out;
}

ImportedDevice& ImportedDevices::keep(ImportedDevice device) {
  const std::string id = device.device.id;
  const auto [at, fresh] = by_id_.emplace(id, std::move(device));
  if (fresh) order_.push_back(&at->second);
  return at->second;
}

ImportedDevice& ImportedDevices::of(const profile::TimedKernel& kernel) {
  const std::string& name = kernel.device.empty() ? options_.device : kernel.device;
  const auto known = by_name_.find(name);
  if (known != by_name_.end()) return *known->second;
  const std::string what =
      kernel.device.empty() ? "--device"
                            : file_ + ", line " + std::to_string(kernel.line) + ", column device";
  ImportedDevice& device = keep(make(name, what));
  by_name_.emplace(name, &device);
  return device;
}

void ImportedDevices::state(ImportedDevice& device, const profile::TimedKernel& kernel) const {
  const auto peak = stated_peak(options_.peaks, kernel.workload);
  if (!peak) return;
  const bool known = std::any_of(
      device.book.entries().begin(), device.book.entries().end(), [&](const RoofEntry& entry) {
        const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
        return roof != nullptr && roof->origin == Origin::user && roof->key == peak->key;
      });
  if (!known) device.book.add({std::string(name(peak->key)), *peak, {}, {}});
}

MeasuredRoofs ImportedDevices::measured(const ImportedDevice& device, const std::string& path,
                                        std::string_view option) {
  MeasuredRoofs out = measured_roofs(path, option);
  if (device.accelerator == nullptr) return out;
  auto other = of_another_device(out, path, option, catalogue_, device.device.id);
  if (other) warnings_.push_back(*std::move(other));
  return out;
}

void ImportedDevices::add_stated_roofs(const std::vector<profile::TimedKernel>& kernels) {
  const bool any = roofs_given() || !options_.overhead.empty();
  if (!any) return;
  if (order_.size() > 1) {
    throw InputError("--peak-flops, --bandwidth and --overhead are of one device, and " + file_ +
                     " has " + std::to_string(order_.size()) +
                     "; import its devices apart, or leave the roofs out");
  }
  ImportedDevice& device = *order_.front();
  for (const std::string& text : options_.peaks) {
    if (const auto path = measured_in(text))
      add_measured<ComputeRoof>(device.book, measured(device, *path, "--peak-flops"), *path,
                                "--peak-flops");
  }
  for (const profile::TimedKernel& kernel : kernels) state(device, kernel);
  if (const auto path = measured_in(options_.bandwidth)) {
    add_measured<MemoryRoof>(device.book, measured(device, *path, "--bandwidth"), *path,
                             "--bandwidth");
  } else if (!options_.bandwidth.empty()) {
    device.book.add({"stated",
                     MemoryRoof{parse_bandwidth(options_.bandwidth, "--bandwidth"), Boundary::dram,
                                Origin::user, "--bandwidth"},
                     {},
                     {}});
  }
  if (!options_.overhead.empty()) {
    device.book.add({"stated",
                     OverheadRoof{parse_seconds(options_.overhead, "--overhead"),
                                  LaunchPath::kernel, Origin::user, "--overhead"},
                     {},
                     {}});
  }
}

std::string ImportedDevices::missing_peak(const ImportedDevice& device,
                                          const profile::TimedKernel& kernel) const {
  if (device.accelerator == nullptr) return {};
  const auto answer = machine::compute_roof(
      *device.accelerator,
      {.dtype = kernel.workload.dtype, .engine = engine(Workload{kernel.workload})});
  const auto* refusal = std::get_if<machine::Refusal>(&answer);
  if (refusal == nullptr) return {};
  const bool works = kernel.workload.flops && kernel.workload.flops->value() != 0;
  if (refusal->unsupported && works) {
    throw NotAvailable(file_ + ", line " + std::to_string(kernel.line) + ": " + refusal->reason);
  }
  return refusal->reason;
}

}  // namespace roofline::cli
