// Products through the libraries: shapes, layouts, refusals, and what is done without a library.
#include <set>

#include "backend/cpu/operands.hpp"
#include "cpu_under_test.hpp"

namespace roofline::cpu {
namespace {

class GemmTypes : public testing::TestWithParam<DType> {};

TEST_P(GemmTypes, AwkwardShapesAreRight) {
  Cpu cpu(alone(isas_here().back()));
  const std::uint64_t shapes[][3] = {{1, 1, 1},     {7, 13, 5},    {64, 64, 64},
                                     {65, 33, 129}, {1, 100, 300}, {130, 257, 100}};
  for (const auto& [m, n, k] : shapes) {
    const Gemm gemm = gemm_of(m, n, k, GetParam());
    if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
    SCOPED_TRACE(std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k));
    const Facts facts = cpu.check(gemm);
    EXPECT_EQ(text(facts, "provider"), GetParam() == DType::fp64 ? "OpenBLAS" : "oneDNN");
    EXPECT_FALSE(text(facts, "library_threading").empty());
  }
}

TEST_P(GemmTypes, TransposedOperandsAndBatches) {
  Cpu cpu(alone(isas_here().back()));
  Gemm gemm = gemm_of(33, 47, 29, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  for (const bool a : {false, true}) {
    for (const bool b : {false, true}) {
      gemm.transpose_a = a;
      gemm.transpose_b = b;
      cpu.check(gemm);
    }
  }
  gemm.batch = 3;
  cpu.check(gemm);
}

TEST_P(GemmTypes, AlphaAndBeta) {
  Cpu cpu(alone(isas_here().back()));
  Gemm gemm = gemm_of(20, 30, 40, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  gemm.alpha = 0.75;
  gemm.beta = -0.5;
  if (GetParam() == DType::int8) {
    EXPECT_NE(cpu.refusal(gemm).find("alpha 1"), std::string::npos);
    return;
  }
  cpu.check(gemm);
  gemm.alpha = 1;
  cpu.check(gemm);
}

TEST_P(GemmTypes, EveryDataPatternIsVerifiedAndSaid) {
  Cpu cpu(alone(isas_here().back()));
  Gemm gemm = gemm_of(65, 33, 129, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  for (const DataPattern data : data_patterns()) {
    gemm.data = data;
    const Facts facts = cpu.check(gemm);
    EXPECT_EQ(text(facts, "data_pattern"), name(data));
    if (GetParam() == DType::int8) continue;
    Gemm scaled = gemm;
    scaled.beta = 0.5;
    cpu.check(scaled);
  }
}

TEST_P(GemmTypes, AWrongEntryIsFoundInEveryPattern) {
  CpuOptions options = alone(isas_here().back());
  options.tamper = [](std::span<std::byte> result) {
    result[result.size() - 1] ^= std::byte{0x40};
  };
  Cpu cpu(options);
  Gemm gemm = gemm_of(9, 8, 70, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  for (const DataPattern data : data_patterns()) {
    gemm.data = data;
    EXPECT_EQ(cpu.prepare(gemm)->verify().state, VerificationState::incorrect) << name(data);
  }
}

TEST_P(GemmTypes, AWrongEntryIsFound) {
  CpuOptions options = alone(isas_here().back());
  options.tamper = [](std::span<std::byte> result) {
    result[result.size() - 1] ^= std::byte{0x40};
  };
  Cpu cpu(options);
  const Gemm gemm = gemm_of(90, 80, 70, GetParam());
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  EXPECT_EQ(cpu.prepare(gemm)->verify().state, VerificationState::incorrect);
}

// What is multiplied, seen by an element: the product of ones is k, and small numbers come in every
// size that they may have.
TEST(Operands, HoldWhatThePatternSays) {
  for (const DType dtype : {DType::fp64, DType::fp32, DType::bf16, DType::int8}) {
    for (const bool unsigned_bytes : {false, true}) {
      const auto element = [&](DataPattern data, std::uint64_t i) {
        return operand_element({dtype, 7, unsigned_bytes, data}, i);
      };
      std::set<double> small;
      for (std::uint64_t i = 0; i < 400; ++i) {
        EXPECT_EQ(element(DataPattern::zeros, i), 0);
        EXPECT_EQ(element(DataPattern::ones, i), 1);
        small.insert(element(DataPattern::integers, i));
      }
      EXPECT_EQ(small, unsigned_bytes ? (std::set<double>{0, 1, 2, 3})
                                      : (std::set<double>{-3, -2, -1, 0, 1, 2, 3}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(CpuBackend, GemmTypes,
                         testing::Values(DType::fp64, DType::fp32, DType::bf16, DType::int8),
                         [](const auto& tested) { return std::string(name(tested.param)); });

TEST(CpuBackend, ThreadsShareAProduct) {
  Cpu cpu(small(2));
  for (const DType dtype : {DType::fp64, DType::fp32}) {
    const Gemm gemm = gemm_of(101, 103, 107, dtype);
    if (!cpu.refusal(gemm).empty()) continue;
    const Facts facts = cpu.check(gemm);
    EXPECT_EQ(*find(facts, "library_threads"), *find(facts, "threads"));
    EXPECT_TRUE(flag(facts, "library_threads_pinned"));
  }
}

TEST(CpuBackend, Bf16ProductsMayStayInFp32) {
  Cpu cpu(alone(isas_here().back()));
  Gemm gemm = gemm_of(50, 60, 70, DType::bf16);
  gemm.output = DType::fp32;
  if (const std::string refused = cpu.refusal(gemm); !refused.empty()) GTEST_SKIP() << refused;
  cpu.check(gemm);
}

TEST(CpuBackend, GemmsThatNoCpuDoesAreRefusedWithTheReason) {
  Cpu cpu;
  EXPECT_NE(cpu.refusal(gemm_of(8, 8, 8, DType::fp16)).find("fp16"), std::string::npos);
  EXPECT_NE(cpu.refusal(gemm_of(8, 8, 8, DType::tf32)).find("tf32"), std::string::npos);
  EXPECT_NE(cpu.refusal(gemm_of(8, 8, 8, DType::fp8_e4m3)).find("fp8_e4m3"), std::string::npos);
  Gemm half_sums = gemm_of(8, 8, 8, DType::bf16);
  half_sums.accumulate = DType::fp16;
  EXPECT_NE(cpu.refusal(half_sums).find("fp32 only"), std::string::npos);
  Gemm converted = gemm_of(8, 8, 8, DType::bf16);
  converted.convert_a_from = DType::fp32;
  EXPECT_FALSE(cpu.refusal(converted).empty());
}

TEST(CpuBackend, SizesBeyondMemoryAreRefusedWithWhatWouldFit) {
  Cpu cpu(small(300));
  constexpr std::uint64_t kHuge = std::uint64_t{1} << 62;
  EXPECT_NE(cpu.refusal(gemm_of(1'000'000, 1'000'000, 1'000'000, DType::fp32)).find("n = 4434"),
            std::string::npos)
      << cpu.refusal(gemm_of(1'000'000, 1'000'000, 1'000'000, DType::fp32));
  EXPECT_FALSE(cpu.refusal(gemm_of(kHuge, kHuge, kHuge, DType::fp64)).empty());
  // 300 MiB in three arrays of 8 bytes.
  EXPECT_NE(cpu.refusal(Stream{StreamKind::add, kHuge, DType::fp64}).find("13107200 elements"),
            std::string::npos);
  Elementwise long_chain;
  long_chain.dtype = DType::fp32;
  long_chain.elements = kHuge;
  EXPECT_NE(cpu.refusal(long_chain).find("elements"), std::string::npos);
  Projection wide;
  wide.rows = 1;
  wide.d_in = kHuge;
  wide.d_out = kHuge;
  EXPECT_NE(cpu.refusal(wide).find("largest square matrix"), std::string::npos);
}

TEST(CpuBackend, MissingModulesAreAReasonWithAPackage) {
  CpuOptions options = small();
  options.module_directory = "/nowhere";
  Cpu cpu(options);
  const std::string doubles = cpu.refusal(gemm_of(8, 8, 8, DType::fp64));
  EXPECT_NE(doubles.find("/nowhere/roofline_openblas.so"), std::string::npos) << doubles;
  EXPECT_NE(doubles.find("libopenblas0-openmp"), std::string::npos);
  const std::string halves = cpu.refusal(gemm_of(8, 8, 8, DType::bf16));
  EXPECT_NE(halves.find("/nowhere/roofline_onednn.so"), std::string::npos) << halves;
  EXPECT_NE(halves.find("libdnnl"), std::string::npos);
  // What needs no library is not touched by it.
  cpu.check(Stream{StreamKind::triad, 1000, DType::fp32});
}

TEST(CpuBackend, Fp32FallsBackToOpenBlas) {
  const fs::path module = fs::read_symlink("/proc/self/exe").parent_path().parent_path() /
                          "lib/roofline/roofline_openblas.so";
  if (!fs::exists(module)) GTEST_SKIP() << "OpenBLAS is not in this build";
  const fs::path folder =
      fs::temp_directory_path() / ("roofline_modules_" + std::to_string(getpid()));
  fs::create_directories(folder);
  fs::create_symlink(module, folder / "roofline_openblas.so");
  CpuOptions options = alone(isas_here().back());
  options.module_directory = folder;
  Cpu cpu(options);
  const Facts facts = cpu.check(gemm_of(31, 17, 23, DType::fp32));
  EXPECT_EQ(text(facts, "provider"), "OpenBLAS");
  EXPECT_NE(text(facts, "provider_instead_of").find("oneDNN"), std::string::npos);
  EXPECT_FALSE(text(facts, "library_core").empty());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace roofline::cpu
