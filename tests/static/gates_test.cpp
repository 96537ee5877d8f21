// What nvcc made of kernels.def: every kernel in every image, nothing spilled, memory accessed 128
// bits at a time, matrix units used, and all of it small.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

#include "cubin.hpp"
#include "kernels/cuda/kernels.hpp"
#include "ptx.hpp"

namespace {

using gates::Cubin;
using gates::KernelCode;
using gates::Op;
using gates::Ptx;
using roofline::cuda::KernelEntry;
using roofline::cuda::kKernels;

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> starts) {
  return std::ranges::any_of(starts, [&](std::string_view s) { return name.starts_with(s); });
}

/// Loads of memory: what has to be fast. The fills are not.
bool is_hot(std::string_view name) {
  return starts_with_any(name, {"stream_", "matvec_", "elementwise_", "peak_"});
}

bool is_matvec(std::string_view name) {
  return name.starts_with("matvec_") && !name.starts_with("matvec_reduce_");
}

/// Packs of 16 bytes that a thread of a stream kernel loads and stores in a turn of its loop.
struct Packs {
  unsigned loads;
  unsigned stores;
};

Packs packs_of(std::string_view name) {
  const auto unroll = static_cast<unsigned>(name.at(name.rfind("_u") + 2) - '0');
  if (name.starts_with("stream_update")) return {unroll, unroll};
  if (name.starts_with("stream_read")) return {unroll, 0};
  if (name.starts_with("stream_write")) return {0, unroll};
  const bool two = starts_with_any(name, {"stream_add", "stream_triad"});
  return {two ? 2 * unroll : unroll, unroll};
}

/// Turing has no matrix units for bf16.
bool lacks_matrix_units(std::string_view name, unsigned sm) {
  constexpr unsigned kTuring = 75;
  return sm == kTuring && name.find("_bf16_r") != std::string_view::npos;
}

/// Weights that a thread of a matvec kernel has asked for at once, in packs: 4 rows of 4 steps, or
/// of 2 where the registers go to the sums of 16 rows or to what stands in for matrix units.
unsigned weights_of(std::string_view name, unsigned sm) {
  const bool many_sums =
      name.ends_with("_r16") && starts_with_any(name, {"matvec_int8", "matvec_int4"});
  return many_sums || lacks_matrix_units(name, sm) ? 8 : 16;
}

class StaticGates : public testing::Test {
 protected:
  void SetUp() override {
#ifndef ROOFLINE_HAS_CUDA
    GTEST_SKIP() << "this build found no CUDA toolkit";
#else
    cubins_ = gates::read_cubins(ROOFLINE_KERNELS_KEPT);
    ptx_ = gates::read_ptx(ROOFLINE_KERNELS_KEPT);
    ASSERT_GE(cubins_.size(), 2U);
    ASSERT_GE(ptx_.size(), 1U);
#endif
  }

  /// Each kernel that `which` chooses, on each architecture.
  template <class Which, class Check>
  void each(Which&& which, Check&& check) {
    unsigned checked = 0;
    for (const Cubin& cubin : cubins_) {
      for (const KernelEntry& entry : kKernels) {
        if (!which(entry.name)) continue;
        const KernelCode* kernel = cubin.find(entry.entry);
        ASSERT_NE(kernel, nullptr) << entry.entry << " on sm_" << cubin.sm;
        SCOPED_TRACE(std::string(entry.name) + " on sm_" + std::to_string(cubin.sm));
        check(entry, cubin, *kernel);
        ++checked;
      }
    }
    EXPECT_GT(checked, 0U);
  }

  std::vector<Cubin> cubins_;
  std::vector<Ptx> ptx_;
};

TEST_F(StaticGates, EveryKernelIsInEveryImage) {
  std::set<std::string> expected;
  for (const KernelEntry& kernel : kKernels) expected.insert(kernel.entry);
  EXPECT_EQ(expected.size(), std::size(kKernels));  // no name twice
  for (const Cubin& cubin : cubins_) {
    std::set<std::string> found;
    for (const KernelCode& kernel : cubin.kernels) found.insert(kernel.entry);
    for (const std::string& entry : expected) EXPECT_TRUE(found.contains(entry)) << entry;
    // Beside the kernels, only functions of theirs.
    for (const std::string& entry : found)
      EXPECT_TRUE(expected.contains(entry) || !entry.starts_with("roofline_")) << entry;
  }
  for (const Ptx& ptx : ptx_) {
    std::set<std::string> found;
    for (const auto& [entry, body] : ptx.bodies) found.insert(entry);
    EXPECT_EQ(found, expected) << ptx.path;
  }
}

TEST_F(StaticGates, NothingHotLiesInLocalMemory) {
  each(is_hot, [](const KernelEntry&, const Cubin&, const KernelCode& kernel) {
    EXPECT_EQ(kernel.of(Op::load_local), 0U);
    EXPECT_EQ(kernel.of(Op::store_local), 0U);
    EXPECT_EQ(kernel.frame_bytes, 0U);
  });
}

TEST_F(StaticGates, ABlockOfTheLaunchBoundHasItsRegisters) {
  static constexpr unsigned kRegistersOfSm = 65536;  // from 7.5 to 12.0 (CUDA programming guide)
  each([](std::string_view) { return true; },
       [](const KernelEntry& entry, const Cubin&, const KernelCode& kernel) {
         const unsigned allocated = (kernel.registers + 7) / 8 * 8;
         EXPECT_GE(kernel.registers, 4U);
         EXPECT_LE(allocated * entry.max_block, kRegistersOfSm);
       });
}

TEST_F(StaticGates, StreamsMove128BitsAtATime) {
  each([](std::string_view name) { return name.starts_with("stream_"); },
       [](const KernelEntry& entry, const Cubin&, const KernelCode& kernel) {
         // Once in the loop, and once for the last tile's remainder.
         const Packs packs = packs_of(entry.name);
         EXPECT_GE(kernel.of128(Op::load_global), packs.loads + (packs.loads != 0 ? 1 : 0));
         EXPECT_GE(kernel.of128(Op::store_global), packs.stores + (packs.stores != 0 ? 1 : 0));
         // Single elements are at most the last few, and the sums.
         EXPECT_LE(kernel.of(Op::load_global) - kernel.of128(Op::load_global), 2U);
         EXPECT_LE(kernel.of(Op::store_global) - kernel.of128(Op::store_global), 1U);
       });
  for (const Ptx& ptx : ptx_) {
    for (const auto& [entry, body] : ptx.bodies) {
      if (!entry.starts_with("roofline_stream_")) continue;
      SCOPED_TRACE(entry);
      const Packs packs = packs_of(entry.substr(std::string_view("roofline_").size()));
      EXPECT_GE(gates::count_instructions(body, "ld.global", ".v4"), packs.loads);
      EXPECT_GE(gates::count_instructions(body, "st.global", ".v4"), packs.stores);
      const std::string_view hint = entry.ends_with("_cs")   ? ".cs"
                                    : entry.ends_with("_cg") ? ".cg"
                                                             : ".v4";
      EXPECT_GE(gates::count_instructions(body, "ld.global", hint), packs.loads);
      EXPECT_GE(gates::count_instructions(body, "st.global", hint), packs.stores);
    }
  }
}

TEST_F(StaticGates, MatvecsLoadTheirWeights128BitsAtATime) {
  each(is_matvec, [](const KernelEntry& entry, const Cubin& cubin, const KernelCode& kernel) {
    // At the start, and in the loop.
    EXPECT_GE(kernel.of128(Op::load_global), 2 * weights_of(entry.name, cubin.sm));
    EXPECT_GE(kernel.of128(Op::load_shared), 1U);
  });
  for (const Ptx& ptx : ptx_) {
    for (const auto& [entry, body] : ptx.bodies) {
      const std::string name = entry.substr(std::string_view("roofline_").size());
      if (!is_matvec(name)) continue;
      EXPECT_GE(gates::count_instructions(body, "ld.global.nc.L1::no_allocate", ".v4"),
                2 * weights_of(name, ptx.sm))
          << entry;
    }
  }
}

TEST_F(StaticGates, MatvecsMultiplyOnMatrixUnits) {
  each(is_matvec, [](const KernelEntry& entry, const Cubin& cubin, const KernelCode& kernel) {
    if (lacks_matrix_units(entry.name, cubin.sm)) {
      EXPECT_EQ(kernel.of(Op::matrix_product), 0U);
    } else {
      EXPECT_GE(kernel.of(Op::matrix_product), 16U);
    }
  });
}

TEST_F(StaticGates, ElementwiseChainsMove128BitsAtATime) {
  each([](std::string_view name) { return name.starts_with("elementwise_"); },
       [](const KernelEntry&, const Cubin&, const KernelCode& kernel) {
         // One to four inputs, in 4, 4, 2 and 2 packs, and one pack of each for the remainder.
         EXPECT_EQ(kernel.of128(Op::load_global), 4U + 8 + 6 + 8 + 1 + 2 + 3 + 4);
         EXPECT_EQ(kernel.of128(Op::store_global), 4U + 4 + 2 + 2 + 4);
       });
}

#ifdef ROOFLINE_HAS_CUDA

TEST(Fatbin, IsSmall) { EXPECT_LE(std::filesystem::file_size(ROOFLINE_FATBIN), 2'000'000U); }

TEST(Fatbin, HasEveryArchitectureAndPtxForLaterOnes) {
  const auto images = gates::read_fatbin(gates::bytes_of(ROOFLINE_FATBIN));
  std::set<unsigned> binaries;
  std::set<unsigned> ptx;
  for (const auto& image : images) (image.ptx ? ptx : binaries).insert(image.sm);
  // What every nvcc from 12.0 on knows; later ones add 100 and 120.
  for (const unsigned sm : {75U, 80U, 86U, 89U, 90U}) EXPECT_TRUE(binaries.contains(sm)) << sm;
  EXPECT_EQ(ptx, std::set<unsigned>{80U});
  std::set<unsigned> kept;
  for (const Cubin& cubin : gates::read_cubins(ROOFLINE_KERNELS_KEPT)) kept.insert(cubin.sm);
  EXPECT_EQ(binaries, kept);
}

TEST(Fatbin, IsWhatIsEmbedded) {
  const std::string embedded(
      reinterpret_cast<const char*>(roofline_cuda_fatbin),
      static_cast<std::size_t>(roofline_cuda_fatbin_end - roofline_cuda_fatbin));
  EXPECT_TRUE(embedded == gates::bytes_of(ROOFLINE_FATBIN));
}

#endif

}  // namespace
