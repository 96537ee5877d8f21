#include "cli/rated_books.hpp"

#include "cli/configs.hpp"
#include "cli/gpu_sheet.hpp"
#include "cli/warnings.hpp"
#include "machine/rated_device.hpp"

namespace roofline::cli {
namespace {

RoofBook rated_book(backend::Device& device, const machine::Catalogue& catalogue, Io& io) {
  RoofBook book(PeakOrder::rated_first);
  machine::RatedDevice rated = rate(device, catalogue);
  for (RoofEntry& entry : rated.roofs) book.add(std::move(entry));
  if (!rated.no_peaks.empty()) book.explain_missing_peaks(rated.no_peaks);
  if (!rated.no_bandwidth.empty())
    book.explain_missing_bandwidth(Boundary::dram, rated.no_bandwidth);
  if (!rated.no_link.empty()) book.explain_missing_bandwidth(Boundary::link, rated.no_link);
  for (Fact& fact : rated.facts) device.facts.push_back(std::move(fact));
  if (!rated.no_peaks.empty())
    warn(io, device.id + " has no rated peaks, and no MFU: " + rated.no_peaks);
  for (const machine::Warning& warning : rated.warnings) warn(io, device.id + ": " + warning.text);
  return book;
}

}  // namespace

Books rated_books(ChosenDevices& chosen, const std::string& config_dir, Io& io) {
  Books out;
  std::optional<machine::Catalogue> catalogue;
  for (Target& target : chosen.targets) {
    if (backend::kind_of(target.device.id) != backend::DeviceKind::gpu) {
      out.emplace(target.device.id, RoofBook{});
      continue;
    }
    if (!catalogue) catalogue = load_catalogue(config_dir);
    out.emplace(target.device.id, rated_book(target.device, *catalogue, io));
  }
  return out;
}

}  // namespace roofline::cli
