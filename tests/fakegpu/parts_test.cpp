// The parts of the simulated GPU that can be looked at alone.
#include <gtest/gtest.h>

#include <cstring>

#include "l2_cache.hpp"
#include "module_image.hpp"
#include "presets.hpp"

namespace fakegpu {
namespace {

constexpr std::uint64_t kMiB = 1 << 20;

TEST(L2Cache, HoldsWhatFits) {
  L2Cache cache(40 * kMiB);
  EXPECT_EQ(cache.touch(0, 30 * kMiB), 0U);
  EXPECT_EQ(cache.touch(0, 30 * kMiB), 30 * kMiB);
}

TEST(L2Cache, HoldsNothingOfASetThatIsReadInTurnAndDoesNotFit) {
  L2Cache cache(40 * kMiB);
  for (int round = 0; round < 3; ++round) {
    for (std::uint64_t set = 0; set < 5; ++set) {
      EXPECT_EQ(cache.touch(set * 100 * kMiB, 40 * kMiB), 0U);
    }
  }
}

TEST(L2Cache, LosesTheOldestFirst) {
  L2Cache cache(4 * kMiB);
  (void)cache.touch(0, 3 * kMiB);
  (void)cache.touch(100 * kMiB, 2 * kMiB);
  EXPECT_EQ(cache.touch(2 * kMiB, kMiB), kMiB) << "the end of the first is still there";
  EXPECT_EQ(cache.touch(0, kMiB), 0U) << "its beginning is not";
}

TEST(L2Cache, ALongRangeIsWhatItsPiecesAre) {
  L2Cache whole(65'536);
  L2Cache pieces(65'536);
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33U) % below;
  };
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t address = random(262'144);
    const std::uint64_t bytes = random(i % 2 == 0 ? 20'000 : 400'000);
    std::uint64_t hit = 0;
    for (std::uint64_t at = address; at < address + bytes;) {
      const std::uint64_t end = std::min((at / 1024 + 1) * 1024, address + bytes);
      hit += pieces.touch(at, end - at);
      at = end;
    }
    ASSERT_EQ(whole.touch(address, bytes), hit) << address << " + " << bytes;
  }
}

TEST(L2Cache, OfNoBytesHoldsNothing) {
  L2Cache cache(0);
  (void)cache.touch(0, 16);
  EXPECT_EQ(cache.touch(0, 16), 0U);
}

/// A fatbin as nvcc lays it out: a header of 16 bytes, then entries with theirs.
struct Fatbin {
  std::vector<unsigned char> bytes = std::vector<unsigned char>(16);

  Fatbin() {
    put<std::uint32_t>(0, 0xba55ed50);
    put<std::uint16_t>(4, 1);
    put<std::uint16_t>(6, 16);
  }
  template <class T>
  void put(std::size_t at, T value) {
    std::memcpy(bytes.data() + at, &value, sizeof(value));
  }
  Fatbin& entry(std::uint16_t kind, std::uint32_t architecture) {
    const std::size_t at = bytes.size();
    bytes.resize(at + 64 + 24);
    put<std::uint16_t>(at, kind);
    put<std::uint32_t>(at + 4, 64);
    put<std::uint64_t>(at + 8, 24);
    put<std::uint32_t>(at + 28, architecture);
    put<std::uint64_t>(8, bytes.size() - 16);
    return *this;
  }
  Fatbin& cubin(std::uint32_t architecture) { return entry(2, architecture); }
  Fatbin& ptx(std::uint32_t architecture) { return entry(1, architecture); }
  [[nodiscard]] CUresult load(int major, int minor, int driver = CUDA_VERSION) const {
    return check_image(bytes.data(), major, minor, driver);
  }
};

TEST(Image, LoadsWhereItHasCode) {
  const Fatbin image = Fatbin().cubin(75).cubin(80).cubin(90).cubin(120).ptx(120);
  EXPECT_EQ(image.load(7, 5), CUDA_SUCCESS);
  EXPECT_EQ(image.load(8, 0), CUDA_SUCCESS);
  EXPECT_EQ(image.load(8, 6), CUDA_SUCCESS) << "code for 8.0 runs on 8.6";
  EXPECT_EQ(image.load(9, 0), CUDA_SUCCESS);
  EXPECT_EQ(image.load(12, 1), CUDA_SUCCESS);
  EXPECT_EQ(image.load(13, 0), CUDA_SUCCESS) << "by its PTX";
  EXPECT_EQ(image.load(7, 0), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(image.load(10, 0), CUDA_ERROR_NO_BINARY_FOR_GPU) << "9.0 is not 10.0";
}

TEST(Image, DoesNotLoadBackwards) {
  EXPECT_EQ(Fatbin().cubin(86).load(8, 0), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(Fatbin().ptx(90).load(8, 0), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(Fatbin().ptx(80).load(9, 0), CUDA_SUCCESS);
}

TEST(Image, NeedsADriverOfItsRelease) {
  constexpr int older = CUDA_VERSION - 1000;
  EXPECT_EQ(Fatbin().cubin(80).load(8, 0, older), CUDA_ERROR_NO_BINARY_FOR_GPU);
  EXPECT_EQ(Fatbin().cubin(80).ptx(80).load(8, 0, older), CUDA_ERROR_UNSUPPORTED_PTX_VERSION);
  EXPECT_EQ(Fatbin().cubin(80).load(8, 0, CUDA_VERSION + 1000), CUDA_SUCCESS);
}

TEST(Image, MayBeWrapped) {
  const Fatbin image = Fatbin().cubin(80);
  struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const void* data;
    const void* rest = nullptr;
  } const wrapper{.data = image.bytes.data()};
  EXPECT_EQ(check_image(&wrapper, 8, 0, CUDA_VERSION), CUDA_SUCCESS);
}

TEST(Image, MustBeOne) {
  EXPECT_EQ(check_image("nonsense, and long enough", 8, 0, CUDA_VERSION), CUDA_ERROR_INVALID_IMAGE);
  EXPECT_EQ(check_image(nullptr, 8, 0, CUDA_VERSION), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(check_image(".version 9.0\n.target sm_75\n", 8, 0, CUDA_VERSION), CUDA_SUCCESS);
}

// SMs and memory of each profile: NVIDIA's MIG user guide.
TEST(Preset, OfASlice) {
  struct Slice {
    const char* name;
    int sms;
    double share;
  };
  for (const Slice& slice :
       {Slice{"a100-80gb/1g.10gb", 14, 0.125}, Slice{"a100-80gb/3g.40gb", 42, 0.5},
        Slice{"a100-80gb/7g.80gb", 98, 1}, Slice{"h100/1g.10gb", 16, 0.125}}) {
    const auto model = find_preset(slice.name);
    ASSERT_TRUE(model) << slice.name;
    const auto whole =
        find_preset(std::string(slice.name).substr(0, std::string(slice.name).find('/')));
    EXPECT_EQ(model->sm_count, slice.sms);
    EXPECT_DOUBLE_EQ(model->bandwidth / whole->bandwidth, slice.share);
  }
  EXPECT_FALSE(find_preset("t4/1g.10gb"));
  EXPECT_FALSE(find_preset("a100-80gb/9g.90gb"));
}

}  // namespace
}  // namespace fakegpu
