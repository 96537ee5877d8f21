// The devices that an imported table was measured on, and the roofs that are known of each without
// measuring: the catalogue's, and those that the user gives.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/roof_options.hpp"
#include "profile/kernel_table.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {

struct ImportedDevice {
  ReportedDevice device;
  RoofBook book;
  const machine::Accelerator* accelerator = nullptr;
};

class ImportedDevices {
 public:
  /// Both must outlive it. `file` is for complaints.
  ImportedDevices(const RoofOptions& options, const machine::Catalogue& catalogue,
                  std::string_view file);

  /// The device of a kernel. Throws NotAvailable and InputError naming the line, where it named its
  /// device.
  ImportedDevice& of(const profile::TimedKernel& kernel);
  /// Puts the user's roofs into the book. Throws InputError where they could be of several devices.
  void add_stated_roofs(const std::vector<profile::TimedKernel>& kernels);
  /// Why the device has no peak for a kernel. Throws NotAvailable where it cannot compute so at
  /// all.
  [[nodiscard]] std::string missing_peak(const ImportedDevice& device,
                                         const profile::TimedKernel& kernel) const;
  /// In the order of their first kernels.
  [[nodiscard]] const std::vector<ImportedDevice*>& all() const { return order_; }
  /// One sentence each, for stderr.
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  ImportedDevice make(const std::string& name, const std::string& what);
  ImportedDevice& keep(ImportedDevice device);
  [[nodiscard]] bool roofs_given() const;
  MeasuredRoofs measured(const ImportedDevice& device, const std::string& path,
                         std::string_view option);
  void state(ImportedDevice& device, const profile::TimedKernel& kernel) const;

  const RoofOptions& options_;
  const machine::Catalogue& catalogue_;
  std::string file_;
  std::map<std::string, ImportedDevice> by_id_;
  std::map<std::string, ImportedDevice*> by_name_;
  std::vector<ImportedDevice*> order_;
  std::vector<std::string> warnings_;
};

}  // namespace roofline::cli
