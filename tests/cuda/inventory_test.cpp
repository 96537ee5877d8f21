// What is found where there are GPUs, other GPUs, and none.
#include <cstdlib>

#include "over_fake.hpp"

namespace roofline::cuda {
namespace {

class InventoryOverFake : public OverFake {
 protected:
  [[nodiscard]] Inventory inventory() { return take_inventory(options()); }
  [[nodiscard]] Inventory inventory(const std::string& scenario) {
    use(scenario);
    return inventory();
  }
};

bool unknown(const FactValue& value) { return std::holds_alternative<Unknown>(value); }

TEST_F(InventoryOverFake, AnA100AsItIs) {
  const Inventory found = inventory("device a100-80gb\n");
  ASSERT_EQ(found.devices.size(), 1U);
  EXPECT_EQ(found.none_because, "");
  const ListedDevice& gpu = found.devices[0];
  EXPECT_EQ(gpu.unusable, "");
  EXPECT_EQ(gpu.device.id, "cuda:0");
  EXPECT_EQ(gpu.device.name, "FAKE NVIDIA A100-SXM4-80GB");
  const Facts& facts = gpu.device.facts;
  EXPECT_EQ(fact_of(facts, "compute_capability"), FactValue{std::string("8.0")});
  EXPECT_EQ(fact_of(facts, "sm_count"), FactValue{std::uint64_t{108}});
  EXPECT_EQ(fact_of(facts, "l2_bytes"), FactValue{std::uint64_t{40} << 20U});
  EXPECT_EQ(fact_of(facts, "clock_max_hz"), FactValue{1410e6});
  EXPECT_NEAR(std::get<double>(fact_of(facts, "theoretical_bandwidth_byte_per_s")), 2039e9, 1e9);
  EXPECT_EQ(fact_of(facts, "kernel_image"), FactValue{std::string("sm_80")});
  EXPECT_EQ(fact_of(facts, "simulated"), FactValue{true});
  EXPECT_EQ(fact_of(facts, "power_limit_w"), FactValue{400.0});
  EXPECT_EQ(fact_of(facts, "libcuda"), FactValue{options().libcuda});
  EXPECT_EQ(fact_of(facts, "libnvidia_ml"), FactValue{options().nvml});
  EXPECT_TRUE(std::get<std::string>(fact_of(facts, "uuid")).starts_with("GPU-"));
  for (const char* const key : {"memory_free_bytes", "pcie_generation", "pcie_width",
                                "persistence_mode", "other_processes", "driver_version"})
    EXPECT_FALSE(unknown(fact_of(facts, key))) << key;
}

TEST_F(InventoryOverFake, OldGpusAndOldDriversAreListedWithTheReason) {
  const Inventory mixed = inventory("device v100\ndevice h200\n");
  ASSERT_EQ(mixed.devices.size(), 2U);
  EXPECT_NE(mixed.devices[0].unusable.find("7.0"), std::string::npos);
  EXPECT_EQ(mixed.devices[1].unusable, "");
  const auto usable = backend()->devices();
  ASSERT_EQ(usable.size(), 1U);
  EXPECT_EQ(usable[0].id, "cuda:1");  // numbers stay as CUDA counts
  const Inventory old = inventory("driver 12.2\ndevice a100-80gb\n");
  ASSERT_EQ(old.devices.size(), 1U);
  EXPECT_NE(old.devices[0].unusable.find("580"), std::string::npos) << old.devices[0].unusable;
  EXPECT_TRUE(backend()->devices().empty());
}

TEST_F(InventoryOverFake, ASliceOfAGpuIsLabelled) {
  const Inventory found = inventory("device a100-80gb/1g.10gb\n");
  ASSERT_EQ(found.devices.size(), 1U);
  const Facts& facts = found.devices[0].device.facts;
  EXPECT_EQ(fact_of(facts, "mig"), FactValue{true});
  EXPECT_TRUE(std::get<std::string>(fact_of(facts, "uuid")).starts_with("MIG-"));
}

TEST_F(InventoryOverFake, B072_NvmlIsAskedAboutTheSameDevice) {
  const std::string box = "device h100 x4\nset 2 power_limit=321\n";
  const Inventory all = inventory(box);
  ASSERT_EQ(all.devices.size(), 4U);
  const FactValue uuid = fact_of(all.devices[2].device.facts, "uuid");
  for (const std::string& visible :
       {std::string("2"), std::string("3,2,0"), std::get<std::string>(uuid)}) {
    setenv("CUDA_VISIBLE_DEVICES", visible.c_str(), 1);
    const Inventory some = inventory(box);
    bool found = false;
    for (const ListedDevice& listed : some.devices) {
      const bool is_it = fact_of(listed.device.facts, "uuid") == uuid;
      found = found || is_it;
      EXPECT_EQ(fact_of(listed.device.facts, "power_limit_w") == FactValue{321.0}, is_it);
    }
    EXPECT_TRUE(found) << visible;
    EXPECT_EQ(fact_of(some.libraries, "cuda_visible_devices"), FactValue{visible});
  }
}

TEST_F(InventoryOverFake, NoDeviceSaysWhy) {
  EXPECT_NE(inventory("init no_device\n").none_because.find("CUDA_ERROR_NO_DEVICE"),
            std::string::npos);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  const Inventory hidden = inventory("device h100\n");
  EXPECT_TRUE(hidden.devices.empty());
  EXPECT_NE(hidden.none_because.find("hides every GPU"), std::string::npos) << hidden.none_because;
  unsetenv("CUDA_VISIBLE_DEVICES");
  const Inventory stub = inventory("stub\n");
  EXPECT_TRUE(stub.devices.empty());
  EXPECT_NE(stub.none_because.find("stub"), std::string::npos) << stub.none_because;
  const Inventory missing = take_inventory({"/nowhere/libcuda.so.1", ""});
  EXPECT_NE(missing.none_because.find("/nowhere/libcuda.so.1"), std::string::npos);
  EXPECT_TRUE(make_cuda_backend({"/nowhere/libcuda.so.1", ""})->devices().empty());
}

TEST_F(InventoryOverFake, B070_WithoutNvmlItsFactsAreUnknownAndNothingElse) {
  for (const char* const state : {"nvml missing\n", "nvml no_permission\n", "nvml deny *\n",
                                  "nvml unsupported *\n", "nvml withhold *\n"}) {
    const Inventory found = inventory(std::string("device t4\n") + state);
    ASSERT_EQ(found.devices.size(), 1U) << state;
    EXPECT_EQ(found.devices[0].unusable, "") << state;
    const Facts& facts = found.devices[0].device.facts;
    EXPECT_TRUE(unknown(fact_of(facts, "power_limit_w"))) << state;
    EXPECT_FALSE(unknown(fact_of(facts, "sm_count"))) << state;
    EXPECT_NE(std::get<Unknown>(fact_of(facts, "power_limit_w")).reason, "") << state;
  }
  use("device t4\n");
  const Inventory absent = take_inventory({options().libcuda, "/nowhere/libnvidia-ml.so.1"});
  ASSERT_EQ(absent.devices.size(), 1U);
  EXPECT_TRUE(unknown(fact_of(absent.devices[0].device.facts, "libnvidia_ml")));
}

TEST_F(InventoryOverFake, AnOlderDriversTableIsEnough) {
  use("driver 13.0\ndevice a100-80gb\n");
  const Inventory found =
      take_inventory({FAKEGPU_FOLDER "/old/libcuda.so.1", FAKEGPU_FOLDER "/old/libnvidia-ml.so.1"});
  ASSERT_EQ(found.devices.size(), 1U) << found.none_because;
  EXPECT_EQ(found.devices[0].unusable, "");
}

}  // namespace
}  // namespace roofline::cuda
