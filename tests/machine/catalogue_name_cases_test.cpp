// Published mistakes about theoretical bandwidth and device names (tests/data/case_ids.txt), held
// against the shipped catalogue. A name states the id of its case.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "machine/cross_check.hpp"
#include "shipped.hpp"

namespace roofline::machine {
namespace {

using enum DType;

// ---- public bug reports: bandwidth and clocks ----

constexpr Frequency megahertz(double value) { return hertz(value * 1e6); }

TEST(CatalogueCases, B082_ZeroClockIsUnknown) {
  for (const DriverMemory driver :
       {DriverMemory{5120, hertz(0)}, DriverMemory{0, megahertz(1593)}, DriverMemory{}}) {
    const auto derived = bandwidth_from_bus(driver.bus_bits, driver.clock);
    ASSERT_TRUE(std::holds_alternative<Refusal>(derived));
    EXPECT_FALSE(std::get<Refusal>(derived).reason.empty());
    const MemoryAnswer known = memory_roof(device("NVIDIA A100-SXM4-80GB"), driver);
    EXPECT_FALSE(known.derived);
    ASSERT_TRUE(known.roof);
    EXPECT_DOUBLE_EQ(in_gb_per_s(known.roof->bandwidth), 2039);
    EXPECT_EQ(known.roof->origin, Origin::datasheet);
    const MemoryAnswer unknown_device = memory_roof_from_driver(driver);
    EXPECT_FALSE(unknown_device.roof);
    EXPECT_FALSE(unknown_device.reason.empty());
  }
}

TEST(CatalogueCases, B086_EffectiveClockIsNotDoubled) {
  const MemoryAnswer answer =
      memory_roof(device("NVIDIA GeForce GTX 1080"), {.bus_bits = 256, .clock = megahertz(10010)});
  ASSERT_TRUE(answer.derived && answer.roof);
  EXPECT_NEAR(in_gb_per_s(*answer.derived), 640.6, 0.1);
  EXPECT_NEAR(in_gb_per_s(answer.roof->bandwidth), 320.3, 0.1);
  ASSERT_EQ(answer.warnings.size(), 1U);
  EXPECT_EQ(answer.warnings[0].id, "bandwidth_mismatch");
  EXPECT_NE(answer.warnings[0].text.find("640.6"), std::string::npos) << answer.warnings[0].text;
}

TEST(CatalogueCases, B087_B200BusWidths) {
  for (const auto& [bus, expected] : {std::pair{7680U, 7672.3}, std::pair{8192U, 8183.8}}) {
    const MemoryAnswer answer =
        memory_roof_from_driver({.bus_bits = bus, .clock = megahertz(3996)});
    ASSERT_TRUE(answer.roof);
    EXPECT_NEAR(in_gb_per_s(answer.roof->bandwidth), expected, 0.1);
    EXPECT_EQ(answer.roof->origin, Origin::derived);
    EXPECT_NE(answer.roof->source.find("driver"), std::string::npos) << answer.roof->source;
    // Both are within 10 % of the table's 7672: the table stands, without a warning.
    const MemoryAnswer known = memory_roof(device("NVIDIA B200"), {bus, megahertz(3996)});
    EXPECT_TRUE(known.warnings.empty());
    EXPECT_DOUBLE_EQ(in_gb_per_s(known.roof->bandwidth), 7672);
  }
}

TEST(CatalogueCases, B088_BandwidthByName) {
  EXPECT_TRUE(near(bandwidth("NVIDIA GeForce RTX 3090"), 936, 1));
}

TEST(CatalogueCases, B089_LaptopIsNotDesktop) {
  EXPECT_DOUBLE_EQ(bandwidth("NVIDIA GeForce RTX 5070 Laptop GPU"), 384);
  EXPECT_DOUBLE_EQ(bandwidth("NVIDIA GeForce RTX 3080 Ti Laptop GPU"), 512);
  EXPECT_EQ(found_as("NVIDIA GeForce RTX 2080 with Max-Q Design"), "unknown");
  EXPECT_EQ(found_as("NVIDIA GeForce RTX 4090 Laptop GPU"), "unknown");
  EXPECT_EQ(found_as("RTX 5090 Mobile"), "unknown");
  EXPECT_DOUBLE_EQ(bandwidth("NVIDIA GeForce RTX 5070"), 672);
}

TEST(CatalogueCases, B091_ClockAndBusReproduceBandwidth) {
  const auto v100 = bandwidth_from_bus(4096, megahertz(877));
  EXPECT_NEAR(in_gb_per_s(std::get<Bandwidth>(v100)), 898.0, 0.1);
  for (const Accelerator* accelerator : shipped().all()) {
    for (const CrossCheck& row : cross_check(*accelerator)) {
      if (row.field != "memory.bandwidth" || !row.computed) continue;
      EXPECT_LE(std::abs(*row.difference()), 0.01) << accelerator->id;
    }
  }
  // Half the clock (438 MHz of 877) beside the full bandwidth is seen.
  const MemoryAnswer idle = memory_roof(device("Tesla V100-SXM2-16GB"), {4096, megahertz(438)});
  EXPECT_EQ(idle.warnings.size(), 1U);
}

// ---- public bug reports: names ----

TEST(CatalogueCases, B092_A100Spellings) {
  const std::pair<const char*, double> expected[] = {{"A100-SXM-80GB", 2039},
                                                     {"NVIDIA A100-SXM4-80GB", 2039},
                                                     {"nvidia-a100-sxm4-80gb", 2039},
                                                     {"NVIDIA A100 80GB PCIe", 1935},
                                                     {"A100-PCIE-40GB", 1555}};
  for (const auto& [spelling, gb] : expected) {
    ASSERT_EQ(match(spelling).status, MatchStatus::found) << spelling;
    EXPECT_DOUBLE_EQ(peak(spelling, bf16), 312) << spelling;
    EXPECT_TRUE(near(bandwidth(spelling), gb, 1)) << spelling;
  }
}

TEST(CatalogueCases, B093_H100MemoryVariants) {
  EXPECT_EQ(found_as("NVIDIA H100 80GB HBM3"), "h100-80gb-sxm");
  EXPECT_EQ(found_as("H100 SXM5"), "h100-80gb-sxm");
  for (const char* unusual : {"NVIDIA H100 64GB HBM3", "NVIDIA H100 96GB HBM3"}) {
    const Match result = match(unusual);
    EXPECT_EQ(result.status, MatchStatus::ambiguous) << unusual;
    EXPECT_NE(std::find(result.near.begin(), result.near.end(), "h100-80gb-sxm"),
              result.near.end());
  }
}

TEST(CatalogueCases, B094_GraceHopperNames) {
  EXPECT_TRUE(near(peak("NVIDIA GH200 480GB", bf16), 989, 1));
  EXPECT_TRUE(near(peak("NVIDIA GH200 144G HBM3e", bf16), 989, 1));
  EXPECT_TRUE(near(bandwidth("NVIDIA GH200 480GB"), 4000, 3));
  EXPECT_TRUE(near(bandwidth("NVIDIA GH200 144G HBM3e"), 4900, 3));
  EXPECT_DOUBLE_EQ(device("NVIDIA GH200 480GB").memory.nameplate_gb->value, 96);
}

TEST(CatalogueCases, B095_VirtualGpuProfiles) {
  const std::pair<const char*, const char*> expected[] = {
      {"NVIDIA A10-8Q", "A10"}, {"GRID A100D-80C", "A100 80GB"}, {"GRID T4-16Q", "T4"}};
  for (const auto& [profile, base] : expected) {
    const Match result = match(profile);
    EXPECT_EQ(result.status, MatchStatus::partial) << profile;
    EXPECT_EQ(result.base, base) << profile;
    EXPECT_NE(result.reason.find("virtual GPU"), std::string::npos) << result.reason;
  }
}

TEST(CatalogueCases, B099_BlackwellWorkstationRows) {
  EXPECT_TRUE(near(peak("NVIDIA GeForce RTX 5090", bf16), 209.5, 1));
  EXPECT_TRUE(
      near(peak("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", bf16), 438.9, 1));
  EXPECT_TRUE(near(peak("NVIDIA RTX PRO 6000 Blackwell Workstation Edition", bf16), 503.8, 1));
}

}  // namespace
}  // namespace roofline::machine
