// Names that mean a product, names that do not, and what settles the doubt.
#include "machine/match.hpp"

#include <algorithm>
#include <string>

#include "machine/device_name.hpp"
#include "shipped.hpp"

namespace roofline::machine {
namespace {

constexpr double kMebi = 1024.0 * 1024.0;

bool lists(const Match& result, std::string_view id) {
  return std::find(result.near.begin(), result.near.end(), id) != result.near.end();
}

TEST(Match, SpellingsOfOneProduct) {
  const std::pair<const char*, const char*> expected[] = {
      {"a100-80gb-sxm", "a100-80gb-sxm"},
      {"A100 80GB SXM", "a100-80gb-sxm"},
      {"a100_sxm4_80gb", "a100-80gb-sxm"},
      {"A100 SXM 80 GB", "a100-80gb-sxm"},
      {"Tesla A100-SXM4-80GB", "a100-80gb-sxm"},
      {"NVIDIA A100-PG509-200", "a100-40gb-sxm"},
      {"GeForce RTX 3090", "rtx-3090"},
      {"RTX 4090", "rtx-4090"},
      {"rtx4090", "rtx-4090"},
      {"4090", "rtx-4090"},
      {"A6000", "rtx-a6000"},
      {"RTX A6000", "rtx-a6000"},
      {"rtxa6000", "rtx-a6000"},
      {"RTX 6000 Ada", "rtx-6000-ada"},
      {"H100 PCIe", "h100-80gb-pcie"},
      {"H100 SXM", "h100-80gb-sxm"},
      {"HGX B200", "b200-180gb-sxm"},
      {"h200", "h200-141gb-sxm"},
      {"GB200 NVL72", "gb200-186gb"},
      {"DGX Spark", "gb10-dgx-spark"},
      {"V100S", "v100s-32gb-pcie"},
      {"t4", "t4"},
      {"NVIDIA T4", "t4"},
      {"B300 288GB", "b300-270gb-sxm"},  // another size that its file lists
      {"RTX PRO 6000 Blackwell Max-Q", "rtx-pro-6000-blackwell-maxq"},
  };
  for (const auto& [spelling, id] : expected) EXPECT_EQ(found_as(spelling), id) << spelling;
}

TEST(Match, LookAlikesAreNotTheProduct) {
  for (const char* other : {"A1000",
                            "A100X",
                            "XA100",
                            "L4S",
                            "L400",
                            "A10M",
                            "H2000",
                            "RTX 3090 Ti",
                            "RTX 4090 D",
                            "RTX 4090 Laptop GPU",
                            "RTX 5090 D v2",
                            "GTX 4090",
                            "Quadro RTX 6000",
                            "RTX 6000",
                            "NVIDIA H20 NVL16",
                            "NVIDIA H800 PCIe",
                            "NVIDIA H800 NVL",
                            "RTX 5070 Ti",
                            "L40G",
                            "A30X",
                            "GB20",
                            "",
                            " ",
                            "NVIDIA",
                            "RTX",
                            "80GB",
                            "PCIe",
                            "-"}) {
    EXPECT_NE(match(other).status, MatchStatus::found) << other << " taken for " << found_as(other);
  }
}

TEST(Match, UnknownNamesWhatIsNear) {
  EXPECT_TRUE(lists(match("XA100"), "a100-80gb-sxm"));
  EXPECT_TRUE(lists(match("RTX 4091"), "rtx-4090"));
  EXPECT_TRUE(lists(match("RTX PRO 6000"), "rtx-pro-6000-blackwell-ws"));
  EXPECT_TRUE(lists(match("h100-80gb-sxn"), "h100-80gb-sxm"));
  const Match laptop = match("NVIDIA GeForce RTX 4090 Laptop GPU");
  EXPECT_EQ(laptop.status, MatchStatus::unknown);
  EXPECT_NE(laptop.reason.find("laptop"), std::string::npos) << laptop.reason;
  const Match nothing = match("Radeon VII with a very long name that resembles no other");
  EXPECT_TRUE(nothing.near.empty());
  EXPECT_NE(nothing.reason.find("Radeon VII"), std::string::npos) << nothing.reason;
}

TEST(Match, StrangeNamesStayOneShortLine) {
  for (const std::string& name :
       {std::string(100000, 'a'), std::string("A1\n00\x1b[31m"), std::string(3, '\0')}) {
    const Match result = match(name);
    EXPECT_EQ(result.status, MatchStatus::unknown);
    EXPECT_LT(result.reason.size(), 300U);
    EXPECT_EQ(result.reason.find_first_of("\n\x1b"), std::string::npos) << result.reason;
  }
}

TEST(Match, SeveralProductsAreAmbiguous) {
  const Match a100 = match("A100");
  EXPECT_EQ(a100.status, MatchStatus::ambiguous);
  EXPECT_EQ(a100.near.size(), 4U);
  EXPECT_NE(a100.reason.find("a100-40gb-pcie"), std::string::npos) << a100.reason;
  EXPECT_EQ(match("A100 80GB").near.size(), 2U);
  EXPECT_EQ(match("GH200").status, MatchStatus::ambiguous);
  // A custom 64 GB part exists: it is neither of the two sizes known.
  EXPECT_EQ(match("NVIDIA A100-SXM-64GB").status, MatchStatus::ambiguous);
}

TEST(Match, SmCountAndMemorySettleTheDoubt) {
  const Match by_memory =
      match(shipped(), {.name = "Tesla V100-SXM2", .memory = byte(32510 * kMebi)});
  ASSERT_EQ(by_memory.status, MatchStatus::found);
  EXPECT_EQ(by_memory.accelerator->id, "v100-32gb-sxm2");
  const Match by_sms =
      match(shipped(), {.name = "H100 80GB", .sm_count = 114, .memory = byte(81559 * kMebi)});
  ASSERT_EQ(by_sms.status, MatchStatus::found);
  EXPECT_EQ(by_sms.accelerator->id, "h100-80gb-pcie");
  EXPECT_NE(by_sms.by.find("SM count"), std::string::npos);
  // "NVIDIA H100" alone is another part: counts that fit by chance do not make it the SXM card.
  const Match other =
      match(shipped(), {.name = "NVIDIA H100", .sm_count = 132, .memory = byte(81559 * kMebi)});
  EXPECT_EQ(other.status, MatchStatus::ambiguous);
}

TEST(Match, ANameWithOtherFactsIsNotTheWholeProduct) {
  const Match slice = match(
      shipped(), {.name = "NVIDIA A100-SXM4-40GB", .sm_count = 14, .memory = byte(4864 * kMebi)});
  EXPECT_EQ(slice.status, MatchStatus::partial);
  ASSERT_NE(slice.accelerator, nullptr);
  EXPECT_EQ(slice.accelerator->id, "a100-40gb-sxm");
  EXPECT_NE(slice.reason.find("14 SMs instead of 108"), std::string::npos) << slice.reason;
  // DGX Station GB300 reports GB300's name with less memory.
  const Match station =
      match(shipped(), {.name = "NVIDIA GB300", .sm_count = 152, .memory = byte(256703 * kMebi)});
  EXPECT_EQ(station.status, MatchStatus::partial);
  // All Orin modules report one name.
  EXPECT_EQ(match(shipped(), {.name = "Orin", .sm_count = 8}).status, MatchStatus::partial);
  EXPECT_EQ(match(shipped(), {.name = "Orin", .sm_count = 16}).cautions.size(), 1U);
}

TEST(Match, WhatDriversReportFitsTheProduct) {
  struct Report {
    const char* name;
    unsigned sms;
    double mib;
  };
  // Memory as drivers have reported it, ECC on or off: a little under the nameplate in GiB.
  for (const Report& seen :
       {Report{"NVIDIA H200", 132, 143771}, Report{"NVIDIA B200", 148, 182642},
        Report{"NVIDIA A10", 72, 22731}, Report{"NVIDIA GB10", 48, 122502},
        Report{"NVIDIA A100-SXM4-80GB", 108, 81920}, Report{"Tesla T4", 40, 15109},
        // ECC on, and off.
        Report{"NVIDIA A40", 84, 46068}, Report{"NVIDIA A40", 84, 49140},
        Report{"NVIDIA RTX A6000", 84, 49140}, Report{"NVIDIA RTX A6000", 84, 46068}}) {
    EXPECT_EQ(match(shipped(),
                    {.name = seen.name, .sm_count = seen.sms, .memory = byte(seen.mib * kMebi)})
                  .status,
              MatchStatus::found)
        << seen.name;
  }
}

TEST(Match, MigSlicesNameTheirCard) {
  for (const char* slice :
       {"NVIDIA A100-SXM4-80GB MIG 1g.10gb", "NVIDIA-A100-SXM4-80GB-MIG-3g.40gb"}) {
    const Match result = match(slice);
    EXPECT_EQ(result.status, MatchStatus::partial) << slice;
    ASSERT_NE(result.accelerator, nullptr) << slice;
    EXPECT_EQ(result.accelerator->id, "a100-80gb-sxm");
    EXPECT_NE(result.reason.find("MIG"), std::string::npos);
  }
}

TEST(Match, VirtualGpusOfUnknownCardsAreStillMarked) {
  const Match result = match("GRID M60-2Q");
  EXPECT_EQ(result.status, MatchStatus::partial);
  EXPECT_EQ(result.accelerator, nullptr);
  EXPECT_EQ(match("GRID A100-1-5C").base, "A100");
  EXPECT_EQ(match("NVIDIA L40S-48Q").accelerator->id, "l40s");
}

TEST(DeviceName, TokensOfAName) {
  const DeviceName name = take_apart("NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition");
  EXPECT_EQ(name.model,
            (std::vector<std::string>{"6000", "blackwell", "maxq", "pro", "workstation"}));
  EXPECT_EQ(name.brand, (std::vector<std::string>{"rtx"}));
  const DeviceName a100 = take_apart("NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(a100.model, (std::vector<std::string>{"a100"}));
  EXPECT_EQ(a100.form, "sxm");
  EXPECT_DOUBLE_EQ(a100.memory_gb.value(), 80);
  EXPECT_EQ(take_apart("NVIDIA H100 80GB HBM3").memory_type, "hbm3");
}

TEST(DeviceName, EditDistance) {
  EXPECT_EQ(edit_distance("", ""), 0U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("a100", "xa100"), 1U);
}

}  // namespace
}  // namespace roofline::machine
