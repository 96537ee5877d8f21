// What a GPU that is at hand is held against: the catalogue's figures for a whole card, a part of
// them for a slice, the driver's for a stranger, none for a card that is shared in time.
#include "machine/rated_device.hpp"

#include <gtest/gtest.h>

#include "roofline/fact_lookup.hpp"
#include "shipped.hpp"

namespace roofline::machine {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

Facts a100_facts() {
  return {{"sm_count", std::uint64_t{108}},
          {"memory_bytes", static_cast<std::uint64_t>(79.14 * kGib)},
          {"memory_clock_hz", 1.593e9},
          {"memory_bus_bits", std::uint64_t{5120}},
          {"pcie_generation", std::uint64_t{4}},
          {"pcie_width", std::uint64_t{16}},
          {"mig", false},
          {"virtual_gpu", false}};
}

void set(Facts& facts, const std::string& key, const FactValue& value) {
  for (Fact& fact : facts) {
    if (fact.key == key) fact.value = value;
  }
}

const ComputeRoof* peak(const RatedDevice& rated, PeakKey key,
                        Sparsity sparsity = Sparsity::dense) {
  for (const RoofEntry& entry : rated.roofs) {
    const auto* roof = std::get_if<ComputeRoof>(&entry.roof);
    if (roof != nullptr && roof->key == key && roof->sparsity == sparsity) return roof;
  }
  return nullptr;
}

const MemoryRoof* bandwidth(const RatedDevice& rated, Boundary boundary) {
  for (const RoofEntry& entry : rated.roofs) {
    const auto* roof = std::get_if<MemoryRoof>(&entry.roof);
    if (roof != nullptr && roof->boundary == boundary) return roof;
  }
  return nullptr;
}

bool warns(const RatedDevice& rated, std::string_view id) {
  return std::any_of(rated.warnings.begin(), rated.warnings.end(),
                     [&](const Warning& warning) { return warning.id == id; });
}

TEST(RatedDevice, AWholeCardHasTheFiguresOfItsProduct) {
  const RatedDevice rated = rate_device(shipped(), "NVIDIA A100-SXM4-80GB", a100_facts());
  ASSERT_NE(rated.accelerator, nullptr);
  EXPECT_EQ(rated.accelerator->id, "a100-80gb-sxm");
  ASSERT_NE(peak(rated, PeakKey::bf16), nullptr);
  EXPECT_NEAR(in_tflop_per_s(peak(rated, PeakKey::bf16)->peak), 312, 0.5);
  EXPECT_EQ(peak(rated, PeakKey::bf16)->origin, Origin::datasheet);
  // At its rated clock, so that a sampled one can be told from it.
  ASSERT_TRUE(peak(rated, PeakKey::bf16)->clock);
  EXPECT_NEAR(in_hertz(*peak(rated, PeakKey::bf16)->clock), 1.41e9, 1e6);
  EXPECT_NEAR(in_tflop_per_s(peak(rated, PeakKey::bf16, Sparsity::sparse_2_4)->peak), 624, 1);
  ASSERT_NE(bandwidth(rated, Boundary::dram), nullptr);
  EXPECT_NEAR(in_gb_per_s(bandwidth(rated, Boundary::dram)->bandwidth), 2039, 20);
  EXPECT_TRUE(rated.no_peaks.empty());
  EXPECT_TRUE(rated.warnings.empty());
  EXPECT_EQ(text_fact(rated.facts, "catalogue_id"), "a100-80gb-sxm");
  EXPECT_EQ(text_fact(rated.facts, "catalogue_match"), "exact name");
}

TEST(RatedDevice, TheLinkIsTheNarrowerOfCardAndSlot) {
  Facts facts = a100_facts();
  const RatedDevice full = rate_device(shipped(), "NVIDIA A100-SXM4-80GB", facts);
  ASSERT_NE(bandwidth(full, Boundary::link), nullptr);
  // 16 GT/s x 128/130 / 8 x 16.
  EXPECT_NEAR(in_gb_per_s(bandwidth(full, Boundary::link)->bandwidth), 31.508, 0.01);
  EXPECT_EQ(bandwidth(full, Boundary::link)->origin, Origin::derived);
  EXPECT_FALSE(warns(full, "narrow_link"));
  set(facts, "pcie_width", std::uint64_t{8});
  const RatedDevice half = rate_device(shipped(), "NVIDIA A100-SXM4-80GB", facts);
  EXPECT_NEAR(in_gb_per_s(bandwidth(half, Boundary::link)->bandwidth), 15.754, 0.01);
  EXPECT_TRUE(warns(half, "narrow_link"));
  set(facts, "pcie_width", Unknown{"no NVML"});
  const RatedDevice table = rate_device(shipped(), "NVIDIA A100-SXM4-80GB", facts);
  EXPECT_EQ(bandwidth(table, Boundary::link)->origin, Origin::datasheet);
  EXPECT_NEAR(in_gb_per_s(bandwidth(table, Boundary::link)->bandwidth), 32, 1);
}

TEST(RatedDevice, PcieRatesFollowFromLanesAndCoding) {
  EXPECT_NEAR(in_gb_per_s(*pcie_bandwidth(3, 16)), 15.754, 0.001);
  EXPECT_NEAR(in_gb_per_s(*pcie_bandwidth(5, 16)), 63.015, 0.001);
  EXPECT_NEAR(in_gb_per_s(*pcie_bandwidth(1, 1)), 0.25, 1e-9);
  EXPECT_FALSE(pcie_bandwidth(0, 16));
  EXPECT_FALSE(pcie_bandwidth(9, 16));
  EXPECT_FALSE(pcie_bandwidth(4, 0));
}

TEST(RatedDevice, AnIntegratedOrCoherentLinkIsNoPcieLink) {
  Facts facts = a100_facts();
  set(facts, "sm_count", std::uint64_t{132});
  set(facts, "memory_bytes", static_cast<std::uint64_t>(95.6 * kGib));
  const RatedDevice hopper = rate_device(shipped(), "NVIDIA GH200 480GB", facts);
  EXPECT_EQ(bandwidth(hopper, Boundary::link), nullptr) << "NVLink-C2C is 14 times as fast";
  EXPECT_NE(hopper.no_link.find("superchip"), std::string::npos) << hopper.no_link;
}

TEST(RatedDevice, AMigSliceHasItsShareAndSaysSo) {
  Facts facts = a100_facts();
  set(facts, "mig", true);
  set(facts, "sm_count", std::uint64_t{14});
  set(facts, "memory_bytes", static_cast<std::uint64_t>(9.5 * kGib));
  for (const char* name : {"NVIDIA A100-SXM4-80GB MIG 1g.10gb", "NVIDIA A100-SXM4-80GB"}) {
    const RatedDevice rated = rate_device(shipped(), name, facts);
    ASSERT_NE(peak(rated, PeakKey::bf16), nullptr) << name << rated.no_peaks;
    EXPECT_EQ(peak(rated, PeakKey::bf16)->origin, Origin::derived);
    EXPECT_NEAR(in_tflop_per_s(peak(rated, PeakKey::bf16)->peak), 312.0 * 14 / 108, 0.1);
    EXPECT_NE(peak(rated, PeakKey::bf16)->source.find("14 of 108 SMs"), std::string::npos);
    ASSERT_NE(bandwidth(rated, Boundary::dram), nullptr);
    EXPECT_NEAR(in_gb_per_s(bandwidth(rated, Boundary::dram)->bandwidth), 2039.0 / 8, 5);
    EXPECT_EQ(bandwidth(rated, Boundary::dram)->origin, Origin::derived);
    EXPECT_EQ(text_fact(rated.facts, "catalogue_match"), "part of the card (MIG slice)");
    EXPECT_EQ(find_fact(rated.facts, "catalogue_bandwidth_byte_per_s"), nullptr)
        << "the whole card's figure is not the slice's";
  }
}

TEST(RatedDevice, AVirtualGpuHasNoRatedFigure) {
  Facts facts = a100_facts();
  set(facts, "virtual_gpu", true);
  for (const char* name : {"GRID A100D-80C", "NVIDIA A10-8Q", "NVIDIA A100-SXM4-80GB"}) {
    const RatedDevice rated = rate_device(shipped(), name, facts);
    EXPECT_EQ(peak(rated, PeakKey::bf16), nullptr);
    EXPECT_EQ(bandwidth(rated, Boundary::dram), nullptr);
    EXPECT_NE(rated.no_peaks.find("virtual GPU"), std::string::npos);
    EXPECT_NE(rated.no_bandwidth.find("virtual GPU"), std::string::npos);
  }
}

TEST(RatedDevice, AStrangerHasTheBandwidthOfItsDriverAndNoPeak) {
  const RatedDevice rated = rate_device(shipped(), "NVIDIA Z9000", a100_facts());
  EXPECT_EQ(rated.accelerator, nullptr);
  EXPECT_EQ(peak(rated, PeakKey::bf16), nullptr);
  EXPECT_NE(rated.no_peaks.find("Z9000"), std::string::npos);
  ASSERT_NE(bandwidth(rated, Boundary::dram), nullptr);
  // 5120 bit / 8 x 1593 MHz x 2.
  EXPECT_NEAR(in_gb_per_s(bandwidth(rated, Boundary::dram)->bandwidth), 2039.04, 0.01);
  EXPECT_EQ(bandwidth(rated, Boundary::dram)->origin, Origin::derived);
  EXPECT_TRUE(std::holds_alternative<Unknown>(*find_fact(rated.facts, "catalogue_id")));
  Facts facts = a100_facts();
  set(facts, "memory_clock_hz", Unknown{"0 kHz"});
  const RatedDevice mute = rate_device(shipped(), "NVIDIA Z9000", facts);
  EXPECT_EQ(bandwidth(mute, Boundary::dram), nullptr);
  EXPECT_NE(mute.no_bandwidth.find("memory clock"), std::string::npos) << mute.no_bandwidth;
}

TEST(RatedDevice, AnotherNumberOfSmsIsAnotherProduct) {
  Facts facts = a100_facts();
  set(facts, "sm_count", std::uint64_t{96});
  const RatedDevice rated = rate_device(shipped(), "NVIDIA A100-SXM4-80GB", facts);
  EXPECT_EQ(peak(rated, PeakKey::bf16), nullptr);
  EXPECT_NE(rated.no_peaks.find("96 SMs instead of 108"), std::string::npos) << rated.no_peaks;
  EXPECT_EQ(bandwidth(rated, Boundary::dram)->origin, Origin::derived) << "the driver's";
}

TEST(RatedDevice, Q16_AnIdleMemoryClockIsNoPeak) {
  Facts facts = a100_facts();
  set(facts, "memory_clock_hz", 405e6);  // what an idle board runs at
  const RatedDevice rated = rate_device(shipped(), "NVIDIA A100-SXM4-80GB", facts);
  EXPECT_NEAR(in_gb_per_s(bandwidth(rated, Boundary::dram)->bandwidth), 2039, 20);
  EXPECT_TRUE(warns(rated, "bandwidth_mismatch"));
}

TEST(RatedDevice, B086_AnEffectiveMemoryClockIsReportedAndNotUsed) {
  Facts facts{{"sm_count", std::uint64_t{20}},
              {"memory_bytes", std::uint64_t{8510701568}},
              {"memory_clock_hz", 10.01e9},
              {"memory_bus_bits", std::uint64_t{256}}};
  const RatedDevice rated = rate_device(shipped(), "NVIDIA GeForce GTX 1080", facts);
  ASSERT_NE(bandwidth(rated, Boundary::dram), nullptr);
  EXPECT_NEAR(in_gb_per_s(bandwidth(rated, Boundary::dram)->bandwidth), 320.3, 1);
  EXPECT_EQ(bandwidth(rated, Boundary::dram)->origin, Origin::datasheet);
  EXPECT_TRUE(warns(rated, "bandwidth_mismatch"));
}

TEST(RatedDevice, B087_TheDriversBusWidthIsCheckedNotTrustedBlindly) {
  Facts facts{{"sm_count", std::uint64_t{132}},
              {"memory_bytes", static_cast<std::uint64_t>(139.8 * kGib)},
              {"memory_clock_hz", 3.201e9},
              {"memory_bus_bits", std::uint64_t{6016}}};
  const RatedDevice rated = rate_device(shipped(), "NVIDIA H200", facts);
  // 6016 bit x 3201 MHz x 2 / 8 = 4814 GB/s beside 4.8 TB/s: no doubt.
  EXPECT_FALSE(warns(rated, "bandwidth_mismatch"));
  EXPECT_NEAR(in_gb_per_s(bandwidth(rated, Boundary::dram)->bandwidth), 4800, 30);
}

TEST(RatedDevice, B091_ClockAndBusReproduceTheRoofOrItIsTheTables) {
  for (const bool known : {true, false}) {
    const RatedDevice rated =
        rate_device(shipped(), known ? "NVIDIA A100-SXM4-80GB" : "NVIDIA Z9000", a100_facts());
    const MemoryRoof* roof = bandwidth(rated, Boundary::dram);
    ASSERT_NE(roof, nullptr);
    const double by_clock = 2 * 1.593e9 * 5120 / 8;
    const bool table = roof->source.starts_with("catalogue ");
    EXPECT_TRUE(table || std::abs(in_byte_per_s(roof->bandwidth) / by_clock - 1) < 0.01)
        << roof->source;
    EXPECT_EQ(table, known);
  }
}

TEST(RatedDevice, B089_ALaptopPartNeverHasTheDesktopsFigures) {
  Facts facts{{"sm_count", std::uint64_t{36}},
              {"memory_bytes", static_cast<std::uint64_t>(8 * kGib)},
              {"memory_clock_hz", 12.0e9},
              {"memory_bus_bits", std::uint64_t{128}}};
  const RatedDevice rated =
      rate_device(shipped(), "NVIDIA GeForce RTX 2080 with Max-Q Design", facts);
  EXPECT_EQ(peak(rated, PeakKey::fp16), nullptr);
  EXPECT_EQ(bandwidth(rated, Boundary::dram)->origin, Origin::derived);
}

}  // namespace
}  // namespace roofline::machine
