#include "host/proc_text.hpp"

#include <gtest/gtest.h>

#include "fake_machine.hpp"

namespace roofline::host {
namespace {

TEST(CpuInfo, GuestNamesModelAndHypervisor) {
  const CpuInfo info = parse_cpuinfo(sample("cpuinfo_x86_guest.txt"));
  EXPECT_EQ(info.model, "AMD EPYC");
  EXPECT_EQ(info.vendor, "AuthenticAMD");
  EXPECT_EQ(info.hypervisor, true);
}

TEST(CpuInfo, HypervisorIsAWholeWord) {
  const CpuInfo info = parse_cpuinfo(sample("cpuinfo_x86_smt.txt"));
  EXPECT_EQ(info.hypervisor, false);  // its flags hold hypervisor_guest_tools only
}

TEST(CpuInfo, B183_ArmWithoutModelNameOrClock) {
  const CpuInfo info = parse_cpuinfo(sample("cpuinfo_arm_neoverse_v1.txt"));
  EXPECT_EQ(info.model, "Neoverse V1");
  EXPECT_EQ(info.vendor, "Arm");
  EXPECT_EQ(info.hypervisor, std::nullopt);
  EXPECT_EQ(info.note, "implementer 0x41 part 0xd40");
}

TEST(CpuInfo, B183_UnknownArmPartIsNamedByItsNumbers) {
  const CpuInfo info = parse_cpuinfo("processor : 0\nCPU implementer : 0x99\nCPU part : 0x123\n");
  EXPECT_EQ(info.model, std::nullopt);
  EXPECT_EQ(info.vendor, std::nullopt);
  EXPECT_EQ(info.note, "implementer 0x99 part 0x123");
}

TEST(CpuInfo, EmptyTextKnowsNothing) {
  const CpuInfo info = parse_cpuinfo("");
  EXPECT_EQ(info.model, std::nullopt);
  EXPECT_EQ(info.vendor, std::nullopt);
  EXPECT_TRUE(info.note.empty());
}

TEST(MemInfo, KilobytesAreKibibytes) {
  const MemInfo info = parse_meminfo(sample("meminfo.txt"));
  EXPECT_EQ(info.total_bytes, 24684092ULL * 1024);
  EXPECT_EQ(info.available_bytes, 24349344ULL * 1024);
}

TEST(MemInfo, MissingOrMalformedIsNothing) {
  EXPECT_EQ(parse_meminfo("MemTotal: 100 kB\n").available_bytes,
            std::nullopt);  // before Linux 3.14
  EXPECT_EQ(parse_meminfo("MemTotal: lots kB\n").total_bytes, std::nullopt);
  EXPECT_EQ(parse_meminfo("MemTotal: 100\n").total_bytes, std::nullopt);
  EXPECT_EQ(parse_meminfo("MemTotal: 18446744073709551615 kB\n").total_bytes, std::nullopt);
}

TEST(CpuList, RangesAndSingles) {
  EXPECT_EQ(parse_cpu_list("0-3,8,10-11\n"), (std::vector<unsigned>{0, 1, 2, 3, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5"), std::vector<unsigned>{5});
  EXPECT_TRUE(parse_cpu_list("\n").empty());
  EXPECT_TRUE(parse_cpu_list("3-1").empty());
  EXPECT_TRUE(parse_cpu_list("a").empty());
  EXPECT_TRUE(parse_cpu_list("0-4294967295").empty());
}

TEST(CpuList, FormatIsTheInverse) {
  for (const char* text : {"", "0", "0-1", "0-3,8,10-11", "7,9"}) {
    EXPECT_EQ(format_cpu_list(parse_cpu_list(text)), text);
  }
}

TEST(Choice, TheWordInBrackets) {
  EXPECT_EQ(parse_choice("always [madvise] never\n"), "madvise");
  EXPECT_EQ(parse_choice("always madvise never\n"), std::nullopt);
  EXPECT_EQ(parse_choice("[]"), std::nullopt);
}

TEST(Size, SuffixesArePowersOfTwo) {
  EXPECT_EQ(parse_size("32768K\n"), 32ULL << 20);
  EXPECT_EQ(parse_size("1M"), 1ULL << 20);
  EXPECT_EQ(parse_size("512"), 512U);
  EXPECT_EQ(parse_size("K"), std::nullopt);
  EXPECT_EQ(parse_size("-1K"), std::nullopt);
  EXPECT_EQ(parse_size("99999999999999999999G"), std::nullopt);
}

}  // namespace
}  // namespace roofline::host
