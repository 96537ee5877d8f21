// What the emulator sees of global memory: bounds, alignment, traffic, blocks in conflict, sectors.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "simt/expect_fault.hpp"
#include "simt/launch.hpp"
#include "simt/memory.hpp"
#include "simt/simt.hpp"

namespace simt {
namespace {

unsigned global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

class GlobalMemory : public testing::Test {
 protected:
  GlobalMemory() {
    memory_.add("source", source_.data(), 1000 * sizeof(float), false);
    memory_.add("target", target_.data(), 1000 * sizeof(float));
  }

  std::vector<float> source_ = std::vector<float>(1024, 1.0F);
  std::vector<float> target_ = std::vector<float>(1024);
  Memory memory_{Coverage::on};
};

TEST_F(GlobalMemory, CountsBytesByRegion) {
  const Stats stats = launch({.grid = {4}, .block = {64}, .memory = &memory_}, [&] {
    const unsigned i = global_index();
    const float twice = __ldg(&source_[i]) + __ldcs(&source_[i / 2]);
    if (i < 100) __stcs(&target_[i], twice);
  });
  EXPECT_EQ(stats.loaded_bytes, 2U * 256 * 4);
  EXPECT_EQ(stats.stored_bytes, 100U * 4);
  const Memory::Traffic source = memory_.traffic("source");
  EXPECT_EQ(source.loaded_bytes, 2U * 256 * 4);
  EXPECT_EQ(source.distinct_loaded_bytes, 256U * 4);
  EXPECT_EQ(source.stored_bytes, 0U);
  const Memory::Traffic target = memory_.traffic("target");
  EXPECT_EQ(target.stored_bytes, 100U * 4);
  EXPECT_EQ(target.distinct_stored_bytes, 100U * 4);
  EXPECT_EQ(target.loaded_bytes, 0U);
  EXPECT_EQ(target_[99], 2.0F);
  EXPECT_EQ(target_[100], 0.0F);
}

TEST_F(GlobalMemory, WhatIsNotCountedIsCheckedAllTheSame) {
  const auto uncounted = [](const float* p) {
    touch(p, sizeof(float), alignof(float), Access::load, false);
  };
  const Stats stats =
      launch({.block = {64}, .memory = &memory_}, [&] { uncounted(&source_[threadIdx.x]); });
  EXPECT_EQ(stats.loaded_bytes, 0U);
  EXPECT_EQ(memory_.traffic("source").loaded_bytes, 0U);
  EXPECT_EQ(memory_.traffic("source").distinct_loaded_bytes, 64U * 4);
  fault_of(Cause::illegal_address, {.memory = &memory_}, [&] { uncounted(&source_[1000]); });
}

TEST_F(GlobalMemory, EndsWhereARegionEnds) {
  const std::string said = fault_of(Cause::illegal_address, {.block = {32}, .memory = &memory_},
                                    [&] { load(&source_[990 + threadIdx.x]); });
  EXPECT_EQ(said, "block 0 thread 10: load of 4 bytes at source + 4000, which ends at 4000");
  // Begins inside, ends outside.
  const auto* const wide = reinterpret_cast<const float4*>(&source_[1000 - 4]);
  EXPECT_NO_THROW(launch({.memory = &memory_}, [&] { load(wide); }));
  memory_.remove(source_.data());
  memory_.add("source", source_.data(), 999 * sizeof(float), false);
  EXPECT_EQ(fault_of(Cause::illegal_address, {.memory = &memory_}, [&] { load(wide); }),
            "block 0 thread 0: load of 16 bytes at source + 3984, which ends at 3996");
}

TEST_F(GlobalMemory, BeginsWhereARegionBegins) {
  Memory upper;
  upper.add("upper half", &source_[512], 512 * sizeof(float));
  fault_of(Cause::illegal_address, {.memory = &upper}, [&] { load(&source_[511]); });
  EXPECT_NO_THROW(launch({.memory = &upper}, [&] { load(&source_[512]); }));
}

TEST_F(GlobalMemory, KeepsWhatIsReadOnly) {
  const std::string said =
      fault_of(Cause::illegal_address, {.memory = &memory_}, [&] { store(&source_[1], 2.0F); });
  EXPECT_NE(said.find("source + 4, which is read-only"), std::string::npos) << said;
  EXPECT_EQ(source_[1], 1.0F);
}

TEST_F(GlobalMemory, WideAccessesNeedTheirAlignment) {
  auto* const off_by_one = reinterpret_cast<float4*>(&target_[1]);
  EXPECT_EQ(fault_of(Cause::misaligned_address, {}, [&] { load(off_by_one); }),
            "block 0 thread 0: load of 16 bytes at an address that is no multiple of 16");
  fault_of(Cause::misaligned_address, {}, [&] { store(off_by_one, float4{}); });
}

TEST_F(GlobalMemory, WhatOneBlockStoresNoOtherTouches) {
  const Launch two{.grid = {2}, .block = {32}, .memory = &memory_};
  EXPECT_NE(fault_of(Cause::conflict, two, [&] { store(&target_[threadIdx.x], 1.0F); })
                .find("block 1 thread 0: store of 4 bytes at target + 0, which block 0 has stored"),
            std::string::npos);
  EXPECT_NE(fault_of(Cause::conflict, two,
                     [&] {
                       if (blockIdx.x == 0) store(&target_[threadIdx.x], 1.0F);
                       if (blockIdx.x == 1) load(&target_[threadIdx.x]);
                     })
                .find("which block 0 has stored to"),
            std::string::npos);
  EXPECT_NE(fault_of(Cause::conflict, two,
                     [&] {
                       load(&target_[7]);
                       if (blockIdx.x == 1) store(&target_[7], 1.0F);
                     })
                .find("which another block has loaded"),
            std::string::npos);
}

TEST_F(GlobalMemory, BlocksMayReadTheSameAndLaunchesFollowEachOther) {
  const Launch four{.grid = {4}, .block = {32}, .memory = &memory_};
  const auto kernel = [&] {
    const float x = load(&source_[threadIdx.x]);
    const unsigned i = global_index();
    store(&target_[i], load(&target_[i]) + x);
  };
  EXPECT_NO_THROW(launch(four, kernel));
  // The blocks now touch what others touched in the launch before.
  EXPECT_NO_THROW(launch(four, [&] { store(&target_[127 - global_index()], 0.0F); }));
}

TEST(Memory, RegionsDoNotOverlap) {
  const std::vector<char> bytes(100);
  Memory memory;
  memory.add("middle", &bytes[40], 20);
  EXPECT_THROW(memory.add("empty", &bytes[0], 0), std::invalid_argument);
  EXPECT_THROW(memory.add("from before", &bytes[30], 11), std::invalid_argument);
  EXPECT_THROW(memory.add("inside", &bytes[50], 1), std::invalid_argument);
  EXPECT_THROW(memory.add("same", &bytes[40], 20), std::invalid_argument);
  memory.add("before", &bytes[30], 10);
  memory.add("behind", &bytes[60], 40);
  EXPECT_THROW(memory.remove(&bytes[41]), std::invalid_argument);
  memory.remove(&bytes[40]);
  EXPECT_THROW(static_cast<void>(memory.traffic("middle")), std::invalid_argument);
}

// ---- sectors of 32 bytes ----

class Sectors : public testing::Test {
 protected:
  static Stats of(const std::function<void()>& kernel) {
    return launch({.grid = {2}, .block = {64}, .sectors = true}, kernel);
  }
  alignas(256) static inline float values[2 * 64 * 8];
};

TEST_F(Sectors, NeighboursShareThem) {
  const Stats stats = of([] { load(&values[global_index()]); });
  EXPECT_EQ(stats.load_requests, 4U);  // one for each warp
  EXPECT_EQ(stats.load_sectors, 4U * 4);
  EXPECT_EQ(stats.store_requests, 0U);
}

TEST_F(Sectors, WideLoadsTakeFourLinesForEachRequest) {
  const Stats stats = of([] {
    auto* const wide = reinterpret_cast<float4*>(values) + global_index();
    store(wide, load(wide));
  });
  EXPECT_EQ(stats.load_sectors, 4U * 16);
  EXPECT_EQ(stats.store_sectors, 4U * 16);
  EXPECT_EQ(stats.store_requests, 4U);
}

TEST_F(Sectors, AStrideWastesThem) {
  const Stats stats = of([] { load(&values[std::size_t{global_index()} * 8]); });
  EXPECT_EQ(stats.load_sectors, 4U * 32);  // 4 of 32 bytes are used
}

TEST_F(Sectors, OneAddressIsOneSector) {
  const Stats stats = of([] {
    load(&values[0]);
    load(&values[8]);
  });
  EXPECT_EQ(stats.load_requests, 8U);
  EXPECT_EQ(stats.load_sectors, 8U);
}

}  // namespace
}  // namespace simt
