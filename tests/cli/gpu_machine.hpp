// The shipped program on a machine whose driver, NVML and cuBLASLt are those of tests/fakegpu.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {

// Sanitizers check each of the millions of steps that a kernel's threads take here.
#if ROOFLINE_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

class GpuMachine {
 public:
  explicit GpuMachine(const std::string& scenario, std::string suite = {})
      : suite_(std::move(suite)) {
    options_.environment = {
        {"FAKEGPU", folder_.write("gpu.scenario", scenario)},
        {"ROOFLINE_LIBCUDA", FAKEGPU_FOLDER "/libcuda.so.1"},
        {"ROOFLINE_NVML", FAKEGPU_FOLDER "/libnvidia-ml.so.1"},
        {"ROOFLINE_CUBLASLT", FAKEGPU_FOLDER "/libcublasLt.so.13"},
    };
  }
  void set(const std::string& name, const std::string& value) {
    options_.environment[name] = value;
  }
  [[nodiscard]] Run tool(const std::vector<std::string>& arguments) const {
    return roofline(arguments, options_);
  }
  /// The suite on a device, into the report.
  [[nodiscard]] Run run(const std::string& device, std::vector<std::string> more = {}) const {
    std::vector<std::string> all = {
        "run", "--device", device,   "--suite", folder_.write("suite.json", suite_),
        "-o",  output(),   "--seed", "3"};
    all.insert(all.end(), more.begin(), more.end());
    return tool(all);
  }
  [[nodiscard]] Run quick() const {
    return tool({"run", "--device", "cuda:0", "--suite", "quick", "-o", output()});
  }
  /// A command on the first GPU, into the report.
  [[nodiscard]] Run measure(std::vector<std::string> command) const {
    for (const char* const more : {"--device", "cuda:0", "--seed", "3", "-o"})
      command.emplace_back(more);
    command.push_back(output());
    return tool(command);
  }
  [[nodiscard]] std::string output() const { return folder_.path("r.json"); }
  [[nodiscard]] nlohmann::json report() const {
    const std::string text = folder_.read("r.json");
    for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
    return nlohmann::json::parse(text);
  }

 private:
  TemporaryFolder folder_;
  std::string suite_;
  RunOptions options_;
};

inline std::size_t count(const nlohmann::json& report, const std::string& outcome,
                         const std::string& device = {}) {
  return static_cast<std::size_t>(
      std::count_if(report.at("points").begin(), report.at("points").end(), [&](const auto& point) {
        return point.at("outcome") == outcome &&
               (device.empty() || point.at("device").at("id") == device);
      }));
}

/// Every reason that a point of this outcome gives.
inline std::string reasons(const nlohmann::json& report) {
  std::string out;
  for (const auto& point : report.at("points")) {
    const auto reason = point.find("reason");
    if (reason == point.end() || !reason->is_string()) continue;
    out += point.at("id").get<std::string>() + ": " + reason->get<std::string>() + "\n";
  }
  return out;
}

}  // namespace roofline::test
