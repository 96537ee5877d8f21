// The management library: what it says of the devices that libcuda has, and when it says nothing.
#include <array>

#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

using nvml::Device;

class Nvml : public FakeGpu {
 protected:
  Nvml() : nvml(open_library("libnvidia-ml.so.1")) {}

  template <class... Arguments>
  int call(const char* name, Arguments... arguments) {
    auto* const function = symbol<int (*)(Arguments...)>(nvml, name);
    EXPECT_NE(function, nullptr) << name;
    return function == nullptr ? -1 : function(arguments...);
  }
  void begin(const std::string& scenario) {
    use(scenario);
    ASSERT_EQ(call("nvmlInit_v2"), nvml::success);
  }
  [[nodiscard]] Device by_index(unsigned index) {
    Device device = nullptr;
    EXPECT_EQ(call("nvmlDeviceGetHandleByIndex_v2", index, &device), nvml::success);
    return device;
  }
  [[nodiscard]] unsigned number(const char* name, Device device) {
    unsigned value = 0;
    EXPECT_EQ(call(name, device, &value), nvml::success) << name;
    return value;
  }
  [[nodiscard]] std::string text(const char* name, Device device) {
    std::array<char, 128> out{};
    EXPECT_EQ(call(name, device, out.data(), static_cast<unsigned>(out.size())), nvml::success);
    return out.data();
  }
  [[nodiscard]] unsigned sm_clock(Device device) {
    unsigned value = 0;
    EXPECT_EQ(call("nvmlDeviceGetClockInfo", device, 1U, &value), nvml::success);
    return value;
  }
  [[nodiscard]] std::string pci(int device) {
    char out[32] = {};
    EXPECT_EQ(cu.cuDeviceGetPCIBusId(out, sizeof(out), device), CUDA_SUCCESS);
    return out;
  }

  void* nvml;
};

TEST_F(Nvml, CountsDevicesInAnotherOrder) {
  begin("device h100 x8\nset 5 slow=0.87");
  start(0);
  for (int device = 0; device < 8; ++device) {
    Device found = nullptr;
    ASSERT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", pci(device).c_str(), &found), nvml::success);
    EXPECT_NE(found, by_index(static_cast<unsigned>(device))) << "numbers must not do";
    Device same = nullptr;
    const std::string uuid = text("nvmlDeviceGetUUID", found);
    ASSERT_EQ(call("nvmlDeviceGetHandleByUUID", uuid.c_str(), &same), nvml::success);
    EXPECT_EQ(found, same);
    EXPECT_EQ(uuid.rfind("GPU-", 0), 0U);
  }
  Device none = nullptr;
  EXPECT_EQ(call("nvmlDeviceGetHandleByUUID", "GPU-nothing", &none), nvml::not_found);
}

TEST_F(Nvml, IgnoresWhichDevicesAreVisible) {
  setenv("CUDA_VISIBLE_DEVICES", "3", 1);
  begin("device h100 x4");
  unsigned count = 0;
  EXPECT_EQ(call("nvmlDeviceGetCount_v2", &count), nvml::success);
  EXPECT_EQ(count, 4U);
}

TEST_F(Nvml, SaysThatItIsNotReal) {
  begin("device t4");
  std::array<char, 80> version{};
  ASSERT_EQ(call("nvmlSystemGetDriverVersion", version.data(), 80U), nvml::success);
  EXPECT_NE(std::string(version.data()).find("fake"), std::string::npos);
  EXPECT_EQ(text("nvmlDeviceGetName", by_index(0)), "FAKE Tesla T4");
}

TEST_F(Nvml, FollowsTheLoad) {
  begin("device a100-80gb\nthrottle 3s 60% reason=sw_power_cap");
  start(0);
  const Device device = by_index(0);
  EXPECT_EQ(sm_clock(device), 210U) << "idle";
  unsigned long long reasons = 0;
  ASSERT_EQ(call("nvmlDeviceGetCurrentClocksEventReasons", device, &reasons), nvml::success);
  EXPECT_EQ(reasons, nvml::kReasonIdle);
  nvml::Temperature cold{};
  ASSERT_EQ(call("nvmlDeviceGetTemperatureV", device, &cold), nvml::success);

  const CUstream on = stream();
  ASSERT_EQ(spin(on, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_EQ(sm_clock(device), 1410U);
  unsigned warm = 0;
  ASSERT_EQ(call("nvmlDeviceGetTemperature", device, 0U, &warm), nvml::success);
  EXPECT_GT(static_cast<int>(warm), cold.celsius);
  ASSERT_EQ(spin(on, 2.5), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_EQ(sm_clock(device), 846U) << "60 % of 1410 after 3 s of load";
  ASSERT_EQ(call("nvmlDeviceGetCurrentClocksEventReasons", device, &reasons), nvml::success);
  EXPECT_EQ(reasons, 0x4U);
  ASSERT_EQ(call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons), nvml::success);
  EXPECT_EQ(reasons, 0x4U);
}

TEST_F(Nvml, KnowsWhatTheScenarioSays) {
  begin("device a100-80gb power_limit=250 persistence=off ecc=off\nprocess 4242 3GiB");
  const Device device = by_index(0);
  EXPECT_EQ(number("nvmlDeviceGetEnforcedPowerLimit", device), 250000U);
  EXPECT_EQ(number("nvmlDeviceGetPowerManagementDefaultLimit", device), 400000U);
  EXPECT_EQ(number("nvmlDeviceGetPersistenceMode", device), 0U);
  EXPECT_EQ(number("nvmlDeviceGetMaxPcieLinkGeneration", device), 4U);
  unsigned now = 9;
  unsigned next = 9;
  ASSERT_EQ(call("nvmlDeviceGetEccMode", device, &now, &next), nvml::success);
  EXPECT_EQ(now, 0U);
  std::array<nvml::Process, 4> list{};
  unsigned count = 4;
  ASSERT_EQ(call("nvmlDeviceGetComputeRunningProcesses_v3", device, &count, list.data()),
            nvml::success);
  ASSERT_EQ(count, 1U);
  EXPECT_EQ(list[0].pid, 4242U);
  nvml::Memory memory{};
  ASSERT_EQ(call("nvmlDeviceGetMemoryInfo", device, &memory), nvml::success);
  EXPECT_EQ(memory.used, 3ULL << 30);
}

TEST_F(Nvml, OfASliceKnowsItsGpu) {
  begin("device a100-80gb/3g.40gb");
  start(0);
  Device gpu = nullptr;
  ASSERT_EQ(call("nvmlDeviceGetHandleByPciBusId_v2", pci(0).c_str(), &gpu), nvml::success);
  unsigned mode = 0;
  unsigned pending = 0;
  ASSERT_EQ(call("nvmlDeviceGetMigMode", gpu, &mode, &pending), nvml::success);
  EXPECT_EQ(mode, 1U);
  EXPECT_EQ(text("nvmlDeviceGetName", gpu), "FAKE NVIDIA A100-SXM4-80GB");
  Device slice = nullptr;
  ASSERT_EQ(call("nvmlDeviceGetMigDeviceHandleByIndex", gpu, 0U, &slice), nvml::success);
  EXPECT_EQ(text("nvmlDeviceGetUUID", slice).rfind("MIG-", 0), 0U);
  EXPECT_NE(text("nvmlDeviceGetUUID", slice).substr(4), text("nvmlDeviceGetUUID", gpu).substr(4));
  EXPECT_EQ(number("nvmlDeviceIsMigDeviceHandle", slice), 1U);
  Device parent = nullptr;
  ASSERT_EQ(call("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", slice, &parent), nvml::success);
  EXPECT_EQ(parent, gpu);
  unsigned value = 0;
  EXPECT_EQ(call("nvmlDeviceGetPowerUsage", slice, &value), nvml::not_supported);
}

TEST_F(Nvml, OfAVirtualGpuKnowsLittle) {
  begin("device vgpu");
  const Device device = by_index(0);
  EXPECT_EQ(number("nvmlDeviceGetVirtualizationMode", device), nvml::kVirtualGpu);
  unsigned value = 0;
  EXPECT_EQ(call("nvmlDeviceGetPowerUsage", device, &value), nvml::not_supported);
  EXPECT_EQ(call("nvmlDeviceGetEccMode", device, &value, &value), nvml::not_supported);
}

TEST_F(Nvml, MayBeMissing) {
  use("device a100-80gb\nnvml missing");
  EXPECT_EQ(call("nvmlInit_v2"), nvml::library_not_found);
  use("init no_device");
  EXPECT_EQ(call("nvmlInit_v2"), nvml::driver_not_loaded);
}

TEST_F(Nvml, MayRefuse) {
  begin(
      "device a100-80gb\n"
      "nvml deny nvmlDeviceGetPower*\n"
      "nvml withhold nvmlDeviceGetCurrentClocksEventReasons\n"
      "fault nvmlDeviceGetTemperature 2+ code=999 999");
  const Device device = by_index(0);
  unsigned value = 0;
  EXPECT_EQ(call("nvmlDeviceGetPowerUsage", device, &value), nvml::no_permission);
  EXPECT_EQ(call("nvmlDeviceGetPowerManagementLimit", device, &value), nvml::no_permission);
  EXPECT_EQ(number("nvmlDeviceGetPersistenceMode", device), 1U);
  unsigned long long reasons = 0;
  EXPECT_EQ(call("nvmlDeviceGetCurrentClocksEventReasons", device, &reasons),
            nvml::function_not_found);
  EXPECT_EQ(call("nvmlDeviceGetCurrentClocksThrottleReasons", device, &reasons), nvml::success);
  EXPECT_EQ(call("nvmlDeviceGetTemperature", device, 0U, &value), nvml::success);
  EXPECT_EQ(call("nvmlDeviceGetTemperature", device, 0U, &value), 999);
}

TEST_F(Nvml, SaysWhenADeviceIsLost) {
  begin("device a100-80gb\nfault kernel 1 device_lost");
  start(0);
  const Device device = by_index(0);
  EXPECT_EQ(number("nvmlDeviceGetPersistenceMode", device), 1U);
  ASSERT_EQ(launch_empty(stream()), CUDA_SUCCESS);
  unsigned value = 0;
  EXPECT_EQ(call("nvmlDeviceGetPersistenceMode", device, &value), nvml::gpu_is_lost);
}

TEST(OlderNvml, LacksWhatCameLater) {
  void* const old = open_library("old/libnvidia-ml.so.1");
  EXPECT_EQ(find_symbol(old, "nvmlDeviceGetCurrentClocksEventReasons"), nullptr);
  EXPECT_NE(find_symbol(old, "nvmlDeviceGetCurrentClocksThrottleReasons"), nullptr);
}

}  // namespace
}  // namespace fakegpu
