// The cap on code paths: own kernels of every family, and the libraries where they are told in
// time.
#include <cstdlib>
#include <fstream>

#include "backend/cpu/gemm_module.hpp"
#include "cpu_under_test.hpp"

namespace roofline::cpu {
namespace {

/// A library takes its settings when it is loaded, and this process may have loaded it for another
/// test (ctest runs each test in a process of its own).
bool loaded(const std::string& module) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(module) != std::string::npos) return true;
  }
  return false;
}

TEST(IsaNames, AreFoundAgain) {
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) EXPECT_EQ(find_isa(name(isa)), isa);
  for (const char* word : {"", "AVX2", "avx", "avx10", "sse"}) EXPECT_FALSE(find_isa(word)) << word;
}

TEST(IsaCap, LibrariesAboveItAreSeen) {
  EXPECT_TRUE(above_cap("avx512_core_bf16", Isa::avx2));
  EXPECT_TRUE(above_cap("avx2", Isa::portable));
  EXPECT_TRUE(above_cap("avx2_vnni", Isa::portable));
  EXPECT_FALSE(above_cap("avx2", Isa::avx2));
  EXPECT_FALSE(above_cap("below avx2", Isa::portable));
  EXPECT_FALSE(above_cap("sse", Isa::portable));
  EXPECT_FALSE(above_cap("avx512_core", Isa::avx512));
}

TEST(IsaCap, EveryOwnKernelStaysBelowIt) {
  for (const Isa isa : isas_here()) {
    Cpu cpu(alone(isa));
    Projection matvec;
    matvec.rows = 2;
    matvec.d_in = 64;
    matvec.d_out = 64;
    matvec.activation = DType::bf16;
    const Workload workloads[] = {
        Stream{StreamKind::triad, 1000, DType::fp32}, matvec,
        Elementwise{.elements = 1000, .ops = 2, .ops_per_kernel = 2, .dtype = DType::fp64},
        PeakProbe{DType::fp32}, Launch{LaunchPath::kernel}};
    for (const Workload& workload : workloads) {
      if (!cpu.refusal(workload).empty()) {
        // Only the peaks have no portable code.
        EXPECT_EQ(kind_name(workload), "peak");
        EXPECT_EQ(isa, Isa::portable);
        continue;
      }
      const Facts facts = cpu.check(workload);
      EXPECT_EQ(text(facts, "isa_path"), name(isa)) << kind_name(workload);
      EXPECT_EQ(text(facts, "isa_cap"), name(isa)) << kind_name(workload);
      const std::string kernel = text(facts, "kernel");
      if (isa < Isa::avx512) {
        EXPECT_EQ(kernel.find("zmm"), std::string::npos) << kernel;
        EXPECT_EQ(kernel.find("vdpbf16ps"), std::string::npos) << kernel;
      }
    }
  }
}

TEST(IsaCap, OneDnnIsHeldToIt) {
  if (loaded("roofline_onednn.so")) GTEST_SKIP() << "oneDNN is loaded already";
  if (isas_here().back() < Isa::avx2) GTEST_SKIP() << "no AVX2 here";
  unsetenv("ONEDNN_MAX_CPU_ISA");
  unsetenv("DNNL_MAX_CPU_ISA");
  Cpu cpu(alone(Isa::avx2));
  const Gemm gemm = gemm_of(33, 34, 35, DType::fp32);
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  const Facts facts = cpu.check(gemm);
  if (text(facts, "provider") != "oneDNN") GTEST_SKIP() << "oneDNN is not in this build";
  EXPECT_TRUE(text(facts, "library_isa").starts_with("avx2")) << text(facts, "library_isa");
  EXPECT_EQ(text(facts, "kernel").find("avx512"), std::string::npos) << text(facts, "kernel");
  EXPECT_FALSE(flag(facts, "library_above_isa_cap"));
  // Products of bf16 need AVX-512 in this library: a reason, no crash.
  if (const std::string refused = cpu.refusal(gemm_of(8, 8, 8, DType::bf16)); !refused.empty()) {
    EXPECT_NE(refused.find("avx2"), std::string::npos) << refused;
  }
  const Facts integers = cpu.check(gemm_of(16, 16, 64, DType::int8));
  if (text(integers, "library_isa") == "avx2") {
    EXPECT_NE(text(integers, "arithmetic_note").find("saturat"), std::string::npos);
  }
}

TEST(IsaCap, OpenBlasIsHeldToIt) {
  if (loaded("roofline_openblas.so")) GTEST_SKIP() << "OpenBLAS is loaded already";
  if (isas_here().back() < Isa::avx2) GTEST_SKIP() << "no AVX2 here";
  unsetenv("OPENBLAS_CORETYPE");
  Cpu cpu(alone(Isa::avx2));
  const Gemm gemm = gemm_of(33, 34, 35, DType::fp64);
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  const Facts facts = cpu.check(gemm);
  EXPECT_EQ(text(facts, "library_core"), "Haswell");
  EXPECT_FALSE(flag(facts, "library_above_isa_cap"));
}

TEST(IsaCap, WhatTheUserSetStays) {
  if (loaded("roofline_openblas.so")) GTEST_SKIP() << "OpenBLAS is loaded already";
  setenv("OPENBLAS_CORETYPE", "Nehalem", 1);
  Cpu cpu(alone(Isa::avx2));
  const Gemm gemm = gemm_of(33, 34, 35, DType::fp64);
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  EXPECT_EQ(text(cpu.check(gemm), "library_core"), "Nehalem");
}

TEST(OpenMp, SettingsAreHeededOrNamed) {
  if (loaded("roofline_onednn.so")) GTEST_SKIP() << "oneDNN is loaded already";
  setenv("OMP_NUM_THREADS", "7", 1);
  setenv("OMP_WAIT_POLICY", "passive", 1);
  Cpu cpu(small(2));
  const Gemm gemm = gemm_of(65, 66, 67, DType::fp32);
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  const auto run = cpu.prepare(gemm);
  EXPECT_EQ(run->verify().state, VerificationState::verified);
  const Sample sample = run->time(50);
  EXPECT_FALSE(sample.cpu_share.has_value()) << "sleeping threads are not disturbed ones";
  const Facts facts = run->facts();
  EXPECT_EQ(*find(facts, "library_threads"), *find(facts, "threads"));
  EXPECT_EQ(text(facts, "environment_OMP_NUM_THREADS"), "7");
  EXPECT_NE(text(facts, "openmp_note").find("passive"), std::string::npos);
}

}  // namespace
}  // namespace roofline::cpu
