// The options that say which roofs an operation is held against (--device, --peak-flops,
// --bandwidth ...), and the roofs that follow from them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/operation_options.hpp"
#include "machine/catalogue.hpp"
#include "machine/match.hpp"
#include "report/comparability.hpp"
#include "roofline/placement.hpp"
#include "roofline/record.hpp"
#include "roofline/roof.hpp"

namespace roofline::cli {

struct RoofOptions {
  std::string device;
  std::vector<std::string> peaks;  ///< `bf16=312TFLOP/s`, `312TFLOP/s`, `measured:FILE`
  std::string bandwidth;           ///< `2039GB/s`, `measured:FILE`
  std::string overhead;
  std::string clock;
  std::string peak_kind = "datasheet";
  bool sparse = false;
};

void add_roof_options(CLI::App& app, RoofOptions& options);

/// Everything that the roofs of one operation on one device come to.
struct ChosenRoofs {
  std::string device_id;
  std::string device_name;
  Roofs roofs;
  RoofContext context;
  std::vector<std::string> warnings;  ///< one sentence each, for stderr
};

/// Throws InputError for options that contradict or are malformed, NotAvailable for an unknown
/// device and for a type the device cannot compute in.
[[nodiscard]] ChosenRoofs choose_roofs(const RoofOptions& options, const Operation& operation,
                                       const Account& account, const machine::Catalogue& catalogue);

/// What one device of a report has shown.
struct MeasuredRoofs {
  report::DeviceFacts device;
  std::vector<RoofEntry> roofs;
};
/// The measured roofs of REPORT or REPORT@DEVICE, `path`. Throws as above and FileError.
[[nodiscard]] MeasuredRoofs measured_roofs(const std::string& path, std::string_view option);
/// A sentence where they are not of the product that `device` names, which is no error: a
/// simulated one, or a cut of it, may stand for it on purpose.
[[nodiscard]] std::optional<std::string> of_another_device(const MeasuredRoofs& measured,
                                                           const std::string& path,
                                                           std::string_view option,
                                                           const machine::Catalogue& catalogue,
                                                           const std::string& device);
/// What `measured:FILE` names; nothing of a stated figure.
[[nodiscard]] std::optional<std::string> measured_in(const std::string& text);
/// Throws InputError where `output` is a report that roofs are taken from, which would be lost.
void require_other_than_roofs(const std::string& output, const RoofOptions& options);
/// The peak that a list of `bf16=312TFLOP/s` and `312TFLOP/s` states for the workload: the first
/// that fits it. Throws InputError.
[[nodiscard]] std::optional<ComputeRoof> stated_peak(const std::vector<std::string>& peaks,
                                                     const Workload& workload);

/// The one accelerator that `device` names. Throws NotAvailable when unknown (with what is near),
/// InputError when several fit.
[[nodiscard]] machine::Match find_device(const machine::Catalogue& catalogue,
                                         const std::string& device);

}  // namespace roofline::cli
