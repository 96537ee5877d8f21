// What two runs must have in common before their times may be held against each other, and what is
// only worth a note. Knows no times.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "report/comparison_point.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Something that is not the same on both sides.
struct Difference {
  std::string what;      ///< `driver_version`, `threads`, `buffer`
  std::string base;      ///< as text
  std::string fresh;     ///< likewise
  std::string where;     ///< device or point, and how many more; empty where it is of the whole run
  bool refuses = false;  ///< times can't be held against each other; else it is a note
};

/// One device of a report, with all that is known of it.
struct DeviceFacts {
  std::string id;
  std::string name;
  Facts facts;  ///< of the device and of the machine
};
[[nodiscard]] std::vector<DeviceFacts> devices_of(const Report& report);

/// Of the devices alone: model, driver, threads, instruction set, settings.
[[nodiscard]] std::vector<Difference> device_differences(const DeviceFacts& base,
                                                         const DeviceFacts& fresh);
/// Of two measurements of one workload: library, buffers, data, protocol.
[[nodiscard]] std::vector<Difference> point_differences(const RunPoint& base,
                                                        const RunPoint& fresh);
/// Those facts of a measurement that it looks at.
[[nodiscard]] Facts compared_facts(Facts implementation);
/// Of the runs: version of the tool, suite, whether one was cut short.
[[nodiscard]] std::vector<Difference> run_differences(const Report& base, const Report& fresh);

/// `driver_version 535.1 against 550.2 (gemm/bf16/64x64x64 and 3 more)`.
[[nodiscard]] std::string text_of(const Difference& difference);

}  // namespace roofline::report
