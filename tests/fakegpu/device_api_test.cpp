// What the machine looks like through the driver API.
#include <cstdlib>
#include <map>

#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

class Devices : public FakeGpu {
 protected:
  [[nodiscard]] std::string name(int device) {
    char text[128] = {};
    EXPECT_EQ(cu.cuDeviceGetName(text, sizeof(text), device), CUDA_SUCCESS);
    return text;
  }
  [[nodiscard]] int attribute(CUdevice_attribute which, int device = 0) {
    int value = -1;
    EXPECT_EQ(cu.cuDeviceGetAttribute(&value, which, device), CUDA_SUCCESS);
    return value;
  }
  [[nodiscard]] int count() {
    int value = -1;
    EXPECT_EQ(cu.cuDeviceGetCount(&value), CUDA_SUCCESS);
    return value;
  }
  [[nodiscard]] std::string uuid(int device) {
    CUuuid bytes{};
    EXPECT_EQ(cu.cuDeviceGetUuid(&bytes, device), CUDA_SUCCESS);
    std::string text;
    for (const char byte : bytes.bytes) {
      char digits[3];
      std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(byte));
      text += digits;
    }
    return text;
  }
};

TEST_F(Devices, SayThatTheyAreNotReal) {
  for (const char* const preset : {"a100-80gb", "h200", "h100", "t4", "v100", "vgpu"}) {
    use("device " + std::string(preset));
    ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(name(0).rfind("FAKE ", 0), 0U) << name(0);
  }
}

// Of data sheets: SMs, memory clock and width of the products.
TEST_F(Devices, HaveTheFiguresOfTheirProducts) {
  struct Figures {
    const char* preset;
    int sms, major, minor, bus_bits, memory_khz;
    double bandwidth;
  };
  for (const Figures& of : {Figures{"a100-80gb", 108, 8, 0, 5120, 1593000, 2.039e12},
                            Figures{"h100", 132, 9, 0, 5120, 2619000, 3.352e12},
                            Figures{"h200", 132, 9, 0, 6016, 3201000, 4.814e12},
                            Figures{"t4", 40, 7, 5, 256, 5001000, 320e9},
                            Figures{"v100", 80, 7, 0, 4096, 877000, 898e9}}) {
    SCOPED_TRACE(of.preset);
    use("device " + std::string(of.preset));
    ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), of.sms);
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR), of.major);
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), of.minor);
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH), of.bus_bits);
    EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), of.memory_khz);
    const double derived = 2.0 * of.memory_khz * 1e3 * of.bus_bits / 8;
    EXPECT_NEAR(derived / of.bandwidth, 1, 0.002);
  }
}

TEST_F(Devices, OfASliceHaveItsShare) {
  use("device a100-80gb/1g.10gb");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(name(0), "FAKE NVIDIA A100-SXM4-80GB MIG 1g.10gb");
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 14);
  std::size_t bytes = 0;
  ASSERT_EQ(cu.cuDeviceTotalMem(&bytes, 0), CUDA_SUCCESS);
  EXPECT_EQ(bytes, (std::size_t{81158} << 20) / 8);
}

TEST_F(Devices, AreToldApartByUuidAndAddress) {
  use("device h100 x8");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(count(), 8);
  std::map<std::string, int> uuids;
  std::map<std::string, int> addresses;
  for (int i = 0; i < 8; ++i) {
    ++uuids[uuid(i)];
    char text[16] = {};
    ASSERT_EQ(cu.cuDeviceGetPCIBusId(text, sizeof(text), i), CUDA_SUCCESS);
    ++addresses[text];
  }
  EXPECT_EQ(uuids.size(), 8U);
  EXPECT_EQ(addresses.size(), 8U);
}

TEST_F(Devices, AreThoseOfTheVariable) {
  use("device h100 x4");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  const std::string third = uuid(2);
  const std::string second = uuid(1);

  setenv("CUDA_VISIBLE_DEVICES", "2,1", 1);
  use("device h100 x4");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(count(), 2);
  EXPECT_EQ(uuid(0), third);
  EXPECT_EQ(uuid(1), second);

  setenv("CUDA_VISIBLE_DEVICES", ("GPU-" + third.substr(0, 6)).c_str(), 1);
  use("device h100 x4");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(count(), 1);
  EXPECT_EQ(uuid(0), third);

  setenv("CUDA_VISIBLE_DEVICES", "0,9,1", 1);  // ends at the first that is not there
  use("device h100 x4");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(count(), 1);

  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  use("device h100 x4");
  EXPECT_EQ(cu.cuInit(0), CUDA_ERROR_NO_DEVICE);
}

TEST_F(Devices, AreNotThereInEachOfTheKnownWays) {
  use("init no_device");
  EXPECT_EQ(cu.cuInit(0), CUDA_ERROR_NO_DEVICE);
  use("init 802");
  EXPECT_EQ(cu.cuInit(0), CUDA_ERROR_SYSTEM_NOT_READY);
  use("");
  EXPECT_EQ(cu.cuInit(0), CUDA_ERROR_NO_DEVICE);
  use("stub");
  EXPECT_EQ(cu.cuInit(0), CUDA_ERROR_STUB_LIBRARY);
  int version = 0;
  EXPECT_EQ(cu.cuDriverGetVersion(&version), CUDA_ERROR_STUB_LIBRARY);
}

TEST_F(Devices, AreAskedForOnlyAfterCuInit) {
  int value = 0;
  EXPECT_EQ(cu.cuDeviceGetCount(&value), CUDA_ERROR_NOT_INITIALIZED);
  EXPECT_EQ(cu.cuDriverGetVersion(&value), CUDA_SUCCESS);
  EXPECT_EQ(value, 13000);
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuDeviceGetCount(&value), CUDA_SUCCESS);
  CUdevice device = -1;
  EXPECT_EQ(cu.cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
  char text[8];
  EXPECT_EQ(cu.cuDeviceGetName(text, sizeof(text), 7), CUDA_ERROR_INVALID_DEVICE);
}

TEST_F(Devices, MayHaveScriptedAttributes) {
  use("device a100-80gb attribute.36=0 bus=0 sms=100 cc=8.6");
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE), 0);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH), 0);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT), 100);
  EXPECT_EQ(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR), 6);
}

TEST_F(Devices, HaveNoContextUntilItIsRetained) {
  ASSERT_EQ(cu.cuInit(0), CUDA_SUCCESS);
  CUdeviceptr pointer = 0;
  EXPECT_EQ(cu.cuMemAlloc(&pointer, 16), CUDA_ERROR_INVALID_CONTEXT);
  unsigned flags = 9;
  int active = 9;
  ASSERT_EQ(cu.cuDevicePrimaryCtxGetState(0, &flags, &active), CUDA_SUCCESS);
  EXPECT_EQ(active, 0);
  start();
  EXPECT_EQ(cu.cuMemAlloc(&pointer, 16), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuMemFree(pointer), CUDA_ERROR_CONTEXT_IS_DESTROYED);
}

TEST_F(Devices, NameTheirErrors) {
  const char* text = nullptr;
  EXPECT_EQ(cu.cuGetErrorName(CUDA_ERROR_ILLEGAL_ADDRESS, &text), CUDA_SUCCESS);
  EXPECT_STREQ(text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cu.cuGetErrorName(static_cast<CUresult>(777), &text), CUDA_ERROR_INVALID_VALUE);
}

TEST(OlderDriver, LacksWhatCameLater) {
  void* const old = open_library("old/libcuda.so.1");
  EXPECT_NE(find_symbol(old, "cuMemAlloc_v2"), nullptr);
  EXPECT_NE(find_symbol(old, "cuEventElapsedTime"), nullptr);
  EXPECT_EQ(find_symbol(old, "cuEventElapsedTime_v2"), nullptr);
  EXPECT_EQ(find_symbol(old, "cuFuncGetParamInfo"), nullptr);
  void* const today = open_library("libcuda.so.1");
  EXPECT_NE(find_symbol(today, "cuEventElapsedTime_v2"), nullptr);
  EXPECT_EQ(find_symbol(today, "cuMemAlloc"), nullptr) << "the 32-bit version is a trap";
}

}  // namespace
}  // namespace fakegpu
