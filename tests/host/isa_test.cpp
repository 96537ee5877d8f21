#include "host/isa.hpp"

#include <gtest/gtest.h>

namespace roofline::host {
namespace {

/// Zen 5: AVX-512 with VNNI and bf16, AVX-VNNI, no AMX; bits from the Intel SDM's CPUID tables.
CpuidWords zen5() {
  CpuidWords words;
  words.leaf1_ecx = (1U << 12) | (1U << 27) | (1U << 28);
  words.leaf7_ebx = (1U << 5) | (1U << 16) | (1U << 17) | (1U << 30) | (1U << 31);
  words.leaf7_ecx = 1U << 11;
  words.leaf7_1_eax = (1U << 4) | (1U << 5);
  words.xcr0 = 0xe7;
  return words;
}

TEST(Isa, FeaturesByTheirBits) {
  const IsaFeatures f = decode_cpuid(zen5());
  EXPECT_EQ(names(f),
            (std::vector<std::string>{"avx2", "fma", "avx_vnni", "avx512f", "avx512bw", "avx512dq",
                                      "avx512vl", "avx512_vnni", "avx512_bf16"}));
}

TEST(Isa, RegistersThatTheSystemDoesNotSaveDoNotCount) {
  CpuidWords words = zen5();
  words.xcr0 = 0x7;  // a hypervisor or kernel that saves YMM but not ZMM
  const IsaFeatures ymm = decode_cpuid(words);
  EXPECT_TRUE(ymm.avx2);
  EXPECT_TRUE(ymm.avx_vnni);
  EXPECT_FALSE(ymm.avx512f);
  EXPECT_FALSE(ymm.avx512_vnni);
  words.xcr0 = 0;
  EXPECT_EQ(decode_cpuid(words), IsaFeatures{});
}

TEST(Isa, TilesNeedTheirOwnState) {
  CpuidWords words = zen5();
  words.leaf7_edx = (1U << 22) | (1U << 24) | (1U << 25);
  EXPECT_FALSE(decode_cpuid(words).amx_tile);
  words.xcr0 = 0x602e7;
  const IsaFeatures f = decode_cpuid(words);
  EXPECT_TRUE(f.amx_tile);
  EXPECT_TRUE(f.amx_int8);
  EXPECT_TRUE(f.amx_bf16);
}

#if defined(__x86_64__)
TEST(Isa, AgreesWithTheCompilersOwnDetection) {
  __builtin_cpu_init();
  const IsaFeatures f = detect_isa();
  EXPECT_EQ(f.avx2, __builtin_cpu_supports("avx2") != 0);
  EXPECT_EQ(f.fma, __builtin_cpu_supports("fma") != 0);
  EXPECT_EQ(f.avx512f, __builtin_cpu_supports("avx512f") != 0);
  EXPECT_EQ(f.avx512bw, __builtin_cpu_supports("avx512bw") != 0);
  EXPECT_EQ(f.avx512vl, __builtin_cpu_supports("avx512vl") != 0);
  EXPECT_EQ(f.avx512_vnni, __builtin_cpu_supports("avx512vnni") != 0);
  EXPECT_EQ(f.avx512_bf16, __builtin_cpu_supports("avx512bf16") != 0);
}
#endif

}  // namespace
}  // namespace roofline::host
