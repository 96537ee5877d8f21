// Facts from tables of attributes: what is known, what is unknown and why, what can't be measured.
#include "backend/cuda/device_facts.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>

namespace roofline::cuda {
namespace {

const KernelImages kImages{{75, 80, 86, 89, 90, 100, 120}, 120, 13000};

DeviceReading an_a100() {
  DeviceReading out;
  out.name = "NVIDIA A100-SXM4-80GB";
  out.uuid = "GPU-00000000-0000-0000-0000-000000000000";
  out.pci_bus_id = "0000:07:00.0";
  out.capability_major = 8;
  out.sm_count = 108;
  out.memory_bytes = 85'000'000'000;
  out.clock_khz = 1'410'000;
  out.memory_clock_khz = 1'593'000;
  out.memory_bus_bits = 5120;
  out.l2_bytes = 41'943'040;
  out.shared_memory_per_block_bytes = 49'152;
  out.ecc = 1;
  out.driver_version = 13000;
  return out;
}

FactValue fact(const Facts& facts, const std::string& key) {
  for (const Fact& f : facts) {
    if (f.key == key) return f.value;
  }
  ADD_FAILURE() << "there is no fact " << key;
  return {};
}

FactValue fact_of(const DeviceReading& device, const std::string& key,
                  const NvmlReading& nvml = {}) {
  return fact(device_facts(device, nvml, kImages), key);
}

std::string reason(const FactValue& value) {
  const auto* unknown = std::get_if<Unknown>(&value);
  return unknown == nullptr ? "it has a value" : unknown->reason;
}

double number(const FactValue& value) {
  const auto* found = std::get_if<double>(&value);
  return found == nullptr ? -1 : *found;
}

TEST(DeviceFacts, BandwidthIsTwiceClockTimesWidth) {
  // 2 x 1593 MHz x 5120 bit / 8 = 2039.04 GB/s.
  EXPECT_DOUBLE_EQ(number(fact_of(an_a100(), "theoretical_bandwidth_byte_per_s")), 2039.04e9);
}

TEST(DeviceFacts, B087_WhatTheDriverSaysIsUsed) {
  DeviceReading b200 = an_a100();
  b200.memory_clock_khz = 3'996'000;
  b200.memory_bus_bits = 7680;
  EXPECT_NEAR(number(fact_of(b200, "theoretical_bandwidth_byte_per_s")), 7672.3e9, 0.05e9);
  b200.memory_bus_bits = 8192;
  EXPECT_NEAR(number(fact_of(b200, "theoretical_bandwidth_byte_per_s")), 8183.8e9, 0.05e9);
}

TEST(DeviceFacts, B082_ZeroIsUnknownWithAReason) {
  DeviceReading device = an_a100();
  device.memory_clock_khz = 0;
  EXPECT_NE(reason(fact_of(device, "memory_clock_hz")).find("0 kHz"), std::string::npos);
  EXPECT_NE(reason(fact_of(device, "theoretical_bandwidth_byte_per_s")).find("memory clock"),
            std::string::npos);
  device = an_a100();
  device.memory_bus_bits = 0;
  EXPECT_NE(reason(fact_of(device, "theoretical_bandwidth_byte_per_s")).find("bus"),
            std::string::npos);
  device.clock_khz = 0;
  EXPECT_NE(reason(fact_of(device, "clock_max_hz")).find("0 kHz"), std::string::npos);
}

TEST(DeviceFacts, B091_TheClockAndTheBandwidthAgree) {
  DeviceReading v100 = an_a100();
  v100.memory_clock_khz = 877'000;
  v100.memory_bus_bits = 4096;
  const double clock = number(fact_of(v100, "memory_clock_hz"));
  const double bandwidth = number(fact_of(v100, "theoretical_bandwidth_byte_per_s"));
  EXPECT_NEAR(2 * clock * 4096 / 8 / bandwidth, 1, 1e-12);
  EXPECT_NEAR(bandwidth, 898.0e9, 0.1e9);
}

TEST(DeviceFacts, B078_EveryKeyIsThereWhateverCanBeRead) {
  const Facts facts = device_facts({}, {}, kImages);
  for (const char* const key : {"uuid",
                                "pci_bus_id",
                                "compute_capability",
                                "sm_count",
                                "memory_bytes",
                                "memory_free_bytes",
                                "l2_bytes",
                                "shared_memory_per_block_bytes",
                                "clock_max_hz",
                                "memory_clock_hz",
                                "memory_bus_bits",
                                "theoretical_bandwidth_byte_per_s",
                                "ecc",
                                "driver_version",
                                "cuda_driver_version",
                                "kernel_image",
                                "power_limit_w",
                                "persistence_mode",
                                "pcie_generation",
                                "pcie_width",
                                "other_processes"}) {
    EXPECT_TRUE(std::holds_alternative<Unknown>(fact(facts, key))) << key;
  }
  EXPECT_EQ(fact(facts, "mig"), FactValue{false});
}

TEST(DeviceFacts, MigByNameOrUuidOrNvml) {
  DeviceReading slice = an_a100();
  EXPECT_EQ(fact_of(slice, "mig"), FactValue{false});
  slice.name = "NVIDIA A100-SXM4-80GB MIG 1g.10gb";
  EXPECT_EQ(fact_of(slice, "mig"), FactValue{true});
  EXPECT_EQ(fact_of(slice, "mig_profile"), FactValue{std::string("1g.10gb")});
  slice = an_a100();
  slice.uuid = "MIG-00000000-0000-0000-0000-000000000000";
  EXPECT_EQ(fact_of(slice, "mig"), FactValue{true});
  slice = an_a100();
  NvmlReading nvml;
  nvml.is_mig = true;
  EXPECT_EQ(fact_of(slice, "mig", nvml), FactValue{true});
}

TEST(DeviceFacts, B095_VirtualGpusAreLabelled) {
  for (const char* const name : {"NVIDIA A10-8Q", "GRID A100D-80C", "GRID T4-16Q", "A100D-1-10C"})
    EXPECT_TRUE(is_virtual_name(name)) << name;
  for (const char* const name : {"NVIDIA A100-SXM4-80GB", "NVIDIA A100-PCIE-40GB", "Tesla T4",
                                 "NVIDIA RTX A1000", "NVIDIA H100 PCIe", "Quadro RTX 6000-", "-"})
    EXPECT_FALSE(is_virtual_name(name)) << name;
  NvmlReading nvml;
  nvml.virtualization = 2;
  EXPECT_EQ(fact_of(an_a100(), "virtual_gpu", nvml), FactValue{true});
  nvml.virtualization = 1;  // passed through whole
  EXPECT_EQ(fact_of(an_a100(), "virtual_gpu", nvml), FactValue{false});
}

TEST(DeviceFacts, ASimulatedDeviceSaysSo) {
  DeviceReading fake = an_a100();
  fake.name = "FAKE NVIDIA A100-SXM4-80GB";
  EXPECT_EQ(fact_of(fake, "simulated"), FactValue{true});
  NvmlReading nvml;
  nvml.driver_version = std::string("580.00-fake");
  EXPECT_EQ(fact_of(an_a100(), "simulated", nvml), FactValue{true});
  for (const Fact& f : device_facts(an_a100(), {}, kImages)) EXPECT_NE(f.key, "simulated");
}

TEST(DeviceFacts, ImagesByArchitecture) {
  EXPECT_EQ(image_for(8, 0, kImages), "sm_80");
  EXPECT_EQ(image_for(8, 7, kImages), "sm_86");  // the same major, an older minor
  EXPECT_EQ(image_for(9, 0, kImages), "sm_90");
  EXPECT_EQ(image_for(10, 3, kImages), "sm_100");
  EXPECT_EQ(image_for(12, 1, kImages), "sm_120");
  EXPECT_EQ(image_for(13, 0, kImages), "ptx 12.0 jit");
  EXPECT_EQ(image_for(11, 0, kImages), "");  // older than the PTX, and no cubin
  EXPECT_EQ(image_for(7, 0, kImages), "");
}

TEST(Unusable, OlderThanTheOldestKernels) {
  DeviceReading v100 = an_a100();
  v100.capability_major = 7;
  const std::string why = unusable_because(v100, kImages);
  EXPECT_NE(why.find("7.0"), std::string::npos) << why;
  EXPECT_NE(why.find("7.5"), std::string::npos) << why;
  v100.capability_minor = 5;
  EXPECT_EQ(unusable_because(v100, kImages), "");
}

TEST(Unusable, ADriverTooOldForThisBuildNamesTheOneThatIsNeeded) {
  DeviceReading device = an_a100();
  device.driver_version = 12080;
  const std::string why = unusable_because(device, kImages);
  for (const char* const part : {"12.8", "13.0", "580"})
    EXPECT_NE(why.find(part), std::string::npos) << why;
  device.driver_version = 13000;
  EXPECT_EQ(unusable_because(device, kImages), "");
  device.driver_version = 13010;
  EXPECT_EQ(unusable_because(device, kImages), "");
  const KernelImages of_12{{75, 80, 90}, 90, 12080};
  device.driver_version = 12020;  // minor versions are compatible
  EXPECT_EQ(unusable_because(device, of_12), "");
  device.driver_version = 11080;
  EXPECT_NE(unusable_because(device, of_12).find("525"), std::string::npos);
}

TEST(Unusable, AProhibitedDevice) {
  DeviceReading device = an_a100();
  device.compute_mode = 2;
  EXPECT_NE(unusable_because(device, kImages).find("prohibited"), std::string::npos);
}

TEST(UuidText, GroupsOfHexDigits) {
  const unsigned char bytes[16] = {0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                                   0xfe, 0xdc, 0xba, 0x98, 0x76, 0x54, 0x32, 0x10};
  EXPECT_EQ(uuid_text("GPU-", bytes), "GPU-01234567-89ab-cdef-fedc-ba9876543210");
}

}  // namespace
}  // namespace roofline::cuda
