#include "kernels/cpu/stream.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "isas.hpp"

namespace roofline::cpu {
namespace {

constexpr std::size_t kSizes[] = {0, 1, 7, 63, 64, 65, 1003, 100003};
constexpr std::byte kGuard{0xa5};

/// Bytes with a guard before and behind, starting `offset` bytes past a cache line.
class Guarded {
 public:
  Guarded(std::size_t bytes, std::size_t offset)
      : bytes_(bytes), memory_(bytes + 192 + offset, kGuard) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    begin_ = 64 + (64 - address % 64) % 64 + offset;
  }
  [[nodiscard]] std::byte* data() { return memory_.data() + begin_; }
  template <class T>
  [[nodiscard]] T* as() {
    return reinterpret_cast<T*>(data());
  }
  [[nodiscard]] bool guards_hold() const {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      if ((i < begin_ || i >= begin_ + bytes_) && memory_[i] != kGuard) return false;
    }
    return true;
  }

 private:
  std::size_t bytes_;
  std::vector<std::byte> memory_;
  std::size_t begin_;
};

void for_each_kernel(const std::function<void(const StreamKernels&)>& test) {
  for (const Isa isa : isas_here()) {
    for (const bool non_temporal : {false, true}) {
      SCOPED_TRACE(std::string(name(isa)) + (non_temporal ? " non-temporal" : " regular"));
      test(stream_kernels(isa, non_temporal));
    }
  }
}

void number_bytes(Guarded& array, std::size_t bytes, unsigned seed) {
  for (std::size_t i = 0; i < bytes; ++i)
    array.data()[i] = static_cast<std::byte>((i * 131 + seed) >> 1);
}

TEST(StreamKernels, ReadSumsEveryByte) {
  for_each_kernel([](const StreamKernels& kernels) {
    for (const std::size_t bytes : kSizes) {
      Guarded b(bytes, 8);
      number_bytes(b, bytes, 3);
      std::uint64_t expected = 0;
      for (std::size_t i = 0; i < bytes; ++i) {
        expected += std::uint64_t{std::to_integer<unsigned>(b.data()[i])} << (8 * (i % 8));
      }
      EXPECT_EQ(kernels.read(b.data(), bytes, 1), expected) << bytes;
      EXPECT_EQ(kernels.read_cached(b.data(), bytes, 1), expected) << bytes;
      EXPECT_EQ(kernels.read(b.data(), bytes, 3), 3 * expected) << bytes;
      EXPECT_EQ(kernels.read_cached(b.data(), bytes, 7), 7 * expected) << bytes;
      if (bytes == 0) continue;
      b.data()[bytes - 1] ^= std::byte{1};
      EXPECT_NE(kernels.read(b.data(), bytes, 1), expected) << bytes;
      EXPECT_NE(kernels.read_cached(b.data(), bytes, 1), expected) << bytes;
    }
  });
}

TEST(StreamKernels, WriteAndCopyFillExactlyTheArray) {
  for_each_kernel([](const StreamKernels& kernels) {
    for (const std::size_t bytes : kSizes) {
      for (const std::size_t offset : {0U, 8U, 56U}) {
        Guarded a(bytes, offset);
        Guarded b(bytes, 16);
        number_bytes(b, bytes, 9);
        kernels.copy(a.data(), b.data(), bytes, 1);
        EXPECT_EQ(std::memcmp(a.data(), b.data(), bytes), 0) << bytes << " at " << offset;
        kernels.write(a.data(), 0x0807060504030201ULL, bytes, 1);
        for (std::size_t i = 0; i < bytes; ++i) {
          ASSERT_EQ(std::to_integer<std::size_t>(a.data()[i]), i % 8 + 1) << i << " of " << bytes;
        }
        EXPECT_TRUE(a.guards_hold()) << bytes << " at " << offset;
      }
    }
  });
}

template <class T>
void check_arithmetic(const ArithmeticKernels<T>& kernels) {
  for (const std::size_t n : kSizes) {
    for (const std::size_t offset : {std::size_t{0}, sizeof(T), 64 - sizeof(T)}) {
      Guarded a(n * sizeof(T), offset);
      Guarded b(n * sizeof(T), 0);
      Guarded c(n * sizeof(T), sizeof(T));
      // Small integers: every result is exact, whatever the order of rounding.
      for (std::size_t i = 0; i < n; ++i) {
        b.as<T>()[i] = static_cast<T>(i % 1000);
        c.as<T>()[i] = static_cast<T>((i * 7) % 900) - 450;
      }
      const auto expect = [&](const char* what, auto&& value) {
        for (std::size_t i = 0; i < n; ++i) {
          ASSERT_EQ(a.as<T>()[i], value(b.as<T>()[i], c.as<T>()[i]))
              << what << " " << i << " of " << n;
        }
        EXPECT_TRUE(a.guards_hold()) << what << " " << n;
      };
      kernels.scale(a.as<T>(), b.as<T>(), T{3}, n, 1);
      expect("scale", [](T x, T) { return 3 * x; });
      kernels.add(a.as<T>(), b.as<T>(), c.as<T>(), n, 1);
      expect("add", [](T x, T y) { return x + y; });
      kernels.triad(a.as<T>(), b.as<T>(), c.as<T>(), T{5}, n, 1);
      expect("triad", [](T x, T y) { return x + 5 * y; });
      std::copy(b.as<T>(), b.as<T>() + n, a.as<T>());
      kernels.update(a.as<T>(), T{2}, n, 1);
      expect("update", [](T x, T) { return 2 * x; });
      kernels.update(a.as<T>(), T{-2}, n, 3);
      expect("update thrice", [](T x, T) { return -16 * x; });
    }
  }
}

TEST(StreamKernels, ArithmeticInBothTypes) {
  for_each_kernel([](const StreamKernels& kernels) {
    check_arithmetic<float>(kernels.f32);
    check_arithmetic<double>(kernels.f64);
  });
}

TEST(StreamKernels, EveryPassIsMade) {
  // In place, so that a pass that is left out shows: a += 1 by way of b and c that lie in a.
  for_each_kernel([](const StreamKernels& kernels) {
    Guarded a(1003 * sizeof(double), 0);
    Guarded one(1003 * sizeof(double), 0);
    for (std::size_t i = 0; i < 1003; ++i) {
      a.as<double>()[i] = static_cast<double>(i);
      one.as<double>()[i] = 1;
    }
    kernels.f64.add(a.as<double>(), a.as<double>(), one.as<double>(), 1003, 5);
    kernels.f64.triad(a.as<double>(), a.as<double>(), one.as<double>(), 10.0, 1003, 3);
    kernels.f64.scale(a.as<double>(), a.as<double>(), 2.0, 1003, 2);
    for (std::size_t i = 0; i < 1003; ++i)
      ASSERT_EQ(a.as<double>()[i], 4 * (static_cast<double>(i) + 35)) << i;
  });
}

TEST(StreamKernels, OnlyVectorCodeHasNonTemporalStores) {
  EXPECT_FALSE(stream_kernels(Isa::portable, true).non_temporal);
  for_each_kernel([](const StreamKernels& kernels) {
    if (kernels.isa == Isa::portable) {
      EXPECT_FALSE(kernels.non_temporal);
    }
  });
}

}  // namespace
}  // namespace roofline::cpu
