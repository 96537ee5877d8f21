// `roofline doctor` on machines with GPUs, over the simulated driver of tests/fakegpu: what it says
// of each state that a scenario can give, that it makes no context, and what it says without any.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

class GpuDoctor {
 public:
  explicit GpuDoctor(const std::string& scenario,
                     const std::map<std::string, std::string>& more = {}) {
    RunOptions options;
    options.environment = {{"FAKEGPU", folder_.write("gpu.scenario", scenario)},
                           {"ROOFLINE_LIBCUDA", FAKEGPU_FOLDER "/libcuda.so.1"},
                           {"ROOFLINE_NVML", FAKEGPU_FOLDER "/libnvidia-ml.so.1"}};
    for (auto& [name, value] : more) options.environment[name] = value;
    run_ = roofline({"doctor", "--json"}, options);
    EXPECT_TRUE(run_.err.empty()) << run_.err;
    doctor_ = json::parse(run_.out);
  }
  [[nodiscard]] json finding(const std::string& id) const {
    for (const json& one : doctor_.at("findings")) {
      if (one.at("id") == id) return one;
    }
    return {{"severity", "not there"}, {"found", ""}};
  }
  [[nodiscard]] std::string severity(const std::string& id) const {
    return finding(id).at("severity");
  }
  [[nodiscard]] std::string found(const std::string& id) const { return finding(id).at("found"); }
  [[nodiscard]] std::size_t of_gpus() const {
    return static_cast<std::size_t>(
        std::count_if(doctor_.at("findings").begin(), doctor_.at("findings").end(),
                      [](const json& one) { return one.at("topic") == "gpu"; }));
  }
  [[nodiscard]] const Run& run() const { return run_; }

 private:
  TemporaryFolder folder_;
  Run run_;
  json doctor_;
};

TEST(GpuDoctor, AHealthyGpuIsInOrderAndNamed) {
  const GpuDoctor doctor("device a100-80gb\n");
  EXPECT_EQ(doctor.severity("nvidia_driver"), "note");
  EXPECT_NE(doctor.found("nvidia_driver").find("1 GPU: cuda:0 (FAKE NVIDIA A100"),
            std::string::npos)
      << doctor.found("nvidia_driver");
  for (const char* id :
       {"gpu_usable", "gpu_processes", "gpu_throttling", "gpu_power_limit", "gpu_clock_setting",
        "gpu_ecc", "gpu_persistence", "gpu_link", "gpu_slice", "gpu_virtual"})
    EXPECT_EQ(doctor.severity(id), "ok") << id << ": " << doctor.found(id);
}

TEST(GpuDoctor, WhatWasSetAndWhoElseIsThere) {
  const GpuDoctor doctor(
      "device a100-80gb\n"
      "device a100-80gb power_limit=250 persistence=off ecc=off\n"
      "process 4242 3GiB device=1\n");
  EXPECT_EQ(doctor.severity("gpu_processes"), "spoils");
  EXPECT_EQ(doctor.found("gpu_processes"), "cuda:1: 1 other process has a context on it");
  EXPECT_EQ(doctor.run().status, 5);
  EXPECT_EQ(doctor.severity("gpu_power_limit"), "lowers");
  EXPECT_EQ(doctor.found("gpu_power_limit"), "cuda:1: 250 W of the default 400 W");
  const json limit = doctor.finding("gpu_power_limit");
  EXPECT_EQ(limit.at("remedy_needs_root"), true);
  EXPECT_NE(limit.at("remedy").get<std::string>().find("nvidia-smi -i GPU-"), std::string::npos);
  EXPECT_TRUE(limit.at("remedy_without_root").is_string());
  EXPECT_EQ(doctor.severity("gpu_persistence"), "note");
  EXPECT_EQ(doctor.severity("gpu_ecc"), "note");
  EXPECT_EQ(doctor.found("gpu_ecc"), "cuda:1: off");
}

TEST(GpuDoctor, MemoryErrorsSpoil) {
  const GpuDoctor doctor("device a100-80gb ecc_errors=3\n");
  EXPECT_EQ(doctor.severity("gpu_memory_errors"), "spoils");
  EXPECT_NE(doctor.found("gpu_memory_errors").find("3 uncorrected"), std::string::npos);
}

TEST(GpuDoctor, SlicesAndSharesSaySo) {
  EXPECT_EQ(GpuDoctor("device a100-80gb/1g.10gb\n").severity("gpu_slice"), "note");
  const GpuDoctor shared("device vgpu\n");
  EXPECT_EQ(shared.severity("gpu_virtual"), "lowers");
  // NVML tells little of a share; that is never in order.
  EXPECT_EQ(shared.severity("gpu_power_limit"), "unknown");
}

TEST(GpuDoctor, MpsIsSeenByItsVariables) {
  const std::string one = "device a100-80gb\n";
  EXPECT_EQ(GpuDoctor(one, {{"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", "30"}}).severity("gpu_mps"),
            "lowers");
  EXPECT_EQ(GpuDoctor(one, {{"CUDA_MPS_PIPE_DIRECTORY", "/mps"}}).severity("gpu_mps"), "note");
}

TEST(GpuDoctor, WithoutNvmlWhatItWouldTellIsUnknown) {
  const GpuDoctor doctor("device a100-80gb\n", {{"ROOFLINE_NVML", "/nowhere"}});
  for (const char* id : {"gpu_processes", "gpu_throttling", "gpu_power_limit", "gpu_clock_setting",
                         "gpu_persistence", "gpu_link", "gpu_memory_errors"}) {
    EXPECT_EQ(doctor.severity(id), "unknown") << id << ": " << doctor.found(id);
  }
  // The driver itself tells of ECC.
  EXPECT_EQ(doctor.severity("gpu_ecc"), "ok");
  const GpuDoctor refused("device a100-80gb\nnvml deny nvmlDeviceGetComputeRunningProcesses\n");
  EXPECT_EQ(refused.severity("gpu_processes"), "unknown");
  EXPECT_NE(refused.found("gpu_processes").find("no permission"), std::string::npos);
}

TEST(GpuDoctor, MakesNoContext) {
  // A call that made one would end so, and every context needs it.
  const GpuDoctor doctor(
      "device a100-80gb\nfault cuDevicePrimaryCtxRetain every 2\n"
      "fault cuCtxCreate every 2\nfault cuMemAlloc every 2\n");
  EXPECT_EQ(doctor.severity("gpu_usable"), "ok");
  EXPECT_EQ(doctor.severity("gpu_throttling"), "ok");
}

TEST(GpuDoctor, AGpuThatCannotBeMeasuredSaysWhy) {
  const GpuDoctor doctor("device v100\ndevice a100-80gb\n");
  EXPECT_EQ(doctor.severity("gpu_usable"), "lowers");
  EXPECT_NE(
      doctor.found("gpu_usable").find("cuda:0: can't be measured: its compute capability 7.0"),
      std::string::npos)
      << doctor.found("gpu_usable");
}

TEST(GpuDoctor, WithoutAGpuThereIsOneLine) {
  const GpuDoctor none("", {{"FAKEGPU", "none"}});
  EXPECT_EQ(none.of_gpus(), 1U);
  EXPECT_NE(none.found("nvidia_driver").find("no GPU: "), std::string::npos);
  const GpuDoctor no_library("", {{"ROOFLINE_LIBCUDA", "/nowhere"}});
  EXPECT_EQ(no_library.of_gpus(), 1U);
}

}  // namespace
}  // namespace roofline::test
