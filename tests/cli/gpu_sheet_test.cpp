// What `roofline devices` says of a GPU.
#include "cli/gpu_sheet.hpp"

#include <gtest/gtest.h>

#include "cli/backend_choice.hpp"
#include "cli/configs.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

cuda::ListedDevice a100() {
  return {{"cuda:0",
           "NVIDIA A100-SXM4-80GB",
           {{"uuid", std::string("GPU-1234")},
            {"sm_count", std::uint64_t{108}},
            {"memory_bytes", std::uint64_t{85100000000}},
            {"clock_max_hz", 1.41e9},
            {"memory_clock_hz", 1.593e9},
            {"memory_bus_bits", std::uint64_t{5120}},
            {"ecc", true},
            {"mig", false},
            {"driver_version", std::string("580.65.06")},
            {"power_limit_w", Unknown{"NVML is not there"}}}},
          {}};
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(GpuSheet, OneLineTellsWhatAGpuIs) {
  const machine::Catalogue catalogue = load_catalogue({});
  const cuda::ListedDevice listed = a100();
  const std::string line = gpu_lines(rate(listed, catalogue));
  for (const char* part : {"cuda:0", "NVIDIA A100-SXM4-80GB (a100-80gb-sxm)", "108 SMs", "79.3 GiB",
                           "SM 1.41 GHz", "memory 1.59 GHz", "ECC on", "driver 580.65.06"}) {
    EXPECT_TRUE(contains(line, part)) << part << ": " << line;
  }
  EXPECT_FALSE(contains(line, "MIG"));
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST(GpuSheet, WhatCantBeMeasuredSaysWhyOnALineOfItsOwn) {
  const machine::Catalogue catalogue = load_catalogue({});
  cuda::ListedDevice old = a100();
  old.unusable = "the driver (470.1) is too old for this build; it needs 525 or newer";
  old.device.facts.push_back({"simulated", true});
  old.device.name = "FAKE NVIDIA A100-SXM4-80GB";
  const RatedGpu gpu = rate(old, catalogue);
  EXPECT_TRUE(contains(gpu_lines(gpu), "can't be measured: the driver (470.1)"));
  EXPECT_TRUE(contains(gpu_lines(gpu), "FAKE NVIDIA A100-SXM4-80GB (a100-80gb-sxm)"))
      << "matched without the mark, shown with it";
  EXPECT_TRUE(contains(gpu_lines(gpu), "SIMULATED"));
  for (Fact& fact : old.device.facts) {
    if (fact.key == "memory_bytes") fact.value = std::uint64_t{268435456};
  }
  EXPECT_EQ(rate(old, catalogue).rated.no_peaks, "") << "it has the memory that can be spared";
  EXPECT_EQ(gpu_json(gpu)["usable"], false);
  EXPECT_TRUE(contains(gpu_json(gpu)["reason"].get<std::string>(), "too old"));
}

TEST(GpuSheet, APageHasFactsRoofsAndReasons) {
  const machine::Catalogue catalogue = load_catalogue({});
  const cuda::ListedDevice listed = a100();
  const RatedGpu gpu = rate(listed, catalogue);
  const std::string page = gpu_page(gpu);
  for (const char* part : {"unknown: NVML is not there", "GPU-1234", "catalogue_id", "bf16",
                           "312 TFLOP/s", "2.04 TB/s", "datasheet"}) {
    EXPECT_TRUE(contains(page, part)) << part << ": " << page;
  }
  const auto json = gpu_json(gpu);
  EXPECT_EQ(json["usable"], true);
  EXPECT_TRUE(json["reason"].is_null());
  EXPECT_EQ(json["facts"]["sm_count"], 108);
  EXPECT_TRUE(json["facts"]["power_limit_w"].is_null());
  EXPECT_EQ(json["facts"]["unknown"]["power_limit_w"], "NVML is not there");
  EXPECT_GT(json["roofs"].size(), 10U);
  cuda::ListedDevice stranger = a100();
  stranger.device.name = "NVIDIA Z9000";
  const RatedGpu other = rate(stranger, catalogue);
  EXPECT_TRUE(contains(gpu_page(other), "no peaks, and no MFU"));
  EXPECT_TRUE(contains(gpu_lines(other), "not in the catalogue"));
}

TEST(GpuSheet, NamesCannotSteerATerminal) {
  const machine::Catalogue catalogue = load_catalogue({});
  cuda::ListedDevice evil = a100();
  evil.device.name = "NVIDIA\x1b[2J A100\nX";
  const RatedGpu gpu = rate(evil, catalogue);
  EXPECT_FALSE(contains(gpu_lines(gpu), "\x1b"));
  EXPECT_FALSE(contains(gpu_page(gpu), "\x1b"));
}

TEST(GpuSheet, OnlyMarkedDevicesLoseTheirMark) {
  backend::Device device{"cuda:0", "FAKE NVIDIA T4", {}};
  EXPECT_EQ(product_name(device), "FAKE NVIDIA T4");
  device.facts = {{"simulated", true}};
  EXPECT_EQ(product_name(device), "NVIDIA T4");
  device.name = "scripted: NVIDIA T4";
  EXPECT_EQ(product_name(device), "scripted: NVIDIA T4");
  device.facts = {{"backend", std::string("scripted")}};
  EXPECT_EQ(product_name(device), "NVIDIA T4");
}

TEST(DeviceWords, AreOneOrSeveralInAnyCase) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(device_words(""), Words{});
  EXPECT_EQ(device_words("CPU"), Words{"cpu"});
  EXPECT_EQ(device_words("CUDA:0,GPU-12ab"), (Words{"cuda:0", "gpu-12ab"}));
  for (const char* wrong : {",", "cpu,", "cpu,CPU", "cuda:0,,cpu"})
    EXPECT_THROW(static_cast<void>(device_words(wrong)), InputError) << wrong;
}

}  // namespace
}  // namespace roofline::cli
