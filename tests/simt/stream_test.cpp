// Every stream kernel against arithmetic in a wider type, and its bytes against the account of the
// workload.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "roofline/account.hpp"
#include "simt/kernel_run.hpp"

namespace simt {
namespace {

using roofline::Stream;

template <class T>
using Wide = std::conditional_t<sizeof(T) == 4, double, long double>;

// One rounding of the exact result; that of the wide type is 2^-11 of it at most.
template <class T>
bool is_rounded(T got, Wide<T> exact) {
  const Wide<T> half_step = std::numeric_limits<T>::epsilon() / Wide<T>{2} * (1 + Wide<T>{0x1p-10});
  return std::abs(Wide<T>{got} - exact) <= half_step * std::abs(exact);
}

struct Shape {
  unsigned grid;
  unsigned block;
};

template <class T>
class StreamRun {
 public:
  StreamRun(const std::string& name, std::uint64_t n, unsigned passes, Shape shape, Order order)
      : kernel_(kernel(name)),
        kind_(*roofline::find_stream_kind(word(name, 1))),
        n_(n),
        passes_(passes),
        shape_(shape),
        a_(n),
        b_(n),
        c_(n),
        sums_(shape.grid) {
    Random random(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      b_[i] = static_cast<T>(random.uniform());
      c_[i] = static_cast<T>(random.uniform());
      if (kind_ == roofline::StreamKind::update) a_[i] = b_[i];
    }
    launch(order);
  }

  // Only arrays that the mix names are there at all.
  void launch(Order order) {
    using roofline::StreamKind;
    const bool stores = kind_ != StreamKind::read;
    const bool loads_b = kind_ != StreamKind::write && kind_ != StreamKind::update;
    const bool loads_c = kind_ == StreamKind::add || kind_ == StreamKind::triad;
    Memory memory(n_ < 10000 ? Coverage::on : Coverage::off);
    if (stores) memory.add("a", a_.data(), a_.bytes());
    if (loads_b) memory.add("b", b_.data(), b_.bytes(), false);
    if (loads_c) memory.add("c", c_.data(), c_.bytes(), false);
    if (!stores) memory.add("sums", sums_.data(), sums_.bytes());
    const Launch how{
        .grid = {shape_.grid}, .block = {shape_.block}, .memory = &memory, .order = order};
    const Stats stats = run(kernel_, how, stores ? a_.data() : nullptr,
                            static_cast<const T*>(loads_b ? b_.data() : nullptr),
                            static_cast<const T*>(loads_c ? c_.data() : nullptr), kFactor, n_,
                            passes_, stores ? nullptr : sums_.data());
    const roofline::Account account = roofline::account(
        Stream{.kind = kind_,
               .elements = n_,
               .dtype = sizeof(T) == 4 ? roofline::DType::fp32 : roofline::DType::fp64});
    const std::uint64_t reads = roofline::read_traffic(account).value();
    const std::uint64_t writes = roofline::total_traffic(account).value() - reads;
    EXPECT_EQ(stats.loaded_bytes, reads * passes_);
    EXPECT_EQ(stats.stored_bytes, writes * passes_);
    if (n_ >= 10000) return;
    const std::uint64_t array = n_ * sizeof(T);
    EXPECT_EQ(stores ? memory.traffic("a").distinct_stored_bytes : array, array);
    EXPECT_EQ(loads_b ? memory.traffic("b").distinct_loaded_bytes : array, array);
    EXPECT_EQ(loads_c ? memory.traffic("c").distinct_loaded_bytes : array, array);
  }

  void check() const {
    if (kind_ == roofline::StreamKind::read) return check_sum();
    for (std::uint64_t i = 0; i < n_; ++i) {
      ASSERT_TRUE(is_right(i)) << "element " << i << " of " << n_ << ": " << a_[i];
    }
  }

 private:
  static constexpr T kFactor = static_cast<T>(-0.7310585786300049);

  [[nodiscard]] bool is_right(std::uint64_t i) const {
    using W = Wide<T>;
    const W s = kFactor;
    switch (kind_) {
      case roofline::StreamKind::write:
        return a_[i] == kFactor;
      case roofline::StreamKind::copy:
        return a_[i] == b_[i];
      case roofline::StreamKind::scale:
        return is_rounded(a_[i], s * b_[i]);
      case roofline::StreamKind::add:
        return is_rounded(a_[i], W{b_[i]} + W{c_[i]});
      case roofline::StreamKind::triad:
        return is_rounded(a_[i], std::fma(s, W{c_[i]}, W{b_[i]}));
      default:
        break;
    }
    if (passes_ == 1) return is_rounded(a_[i], s * b_[i]);
    T value = b_[i];  // update: rounded in each pass
    for (unsigned pass = 0; pass < passes_; ++pass) value *= kFactor;
    return a_[i] == value;
  }

  // 64-bit words, the last one filled up with zeros, modulo 2^64.
  void check_sum() const {
    std::uint64_t expected = 0;
    for (std::size_t at = 0; at < b_.bytes(); at += 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, reinterpret_cast<const char*>(b_.data()) + at,
                  std::min<std::size_t>(8, b_.bytes() - at));
      expected += word;
    }
    std::uint64_t sum = 0;
    for (std::size_t block = 0; block < sums_.size(); ++block) sum += sums_[block];
    EXPECT_EQ(sum, expected * passes_);
  }

  const EmulatedKernel& kernel_;
  roofline::StreamKind kind_;
  std::uint64_t n_;
  unsigned passes_;
  Shape shape_;
  Array<T> a_;
  Array<T> b_;
  Array<T> c_;
  Array<std::uint64_t> sums_;
};

// Mix and type; all shapes of it at once.
class StreamKernels : public testing::TestWithParam<std::string> {
 protected:
  static void expect_right(std::uint64_t n, unsigned passes, Shape shape,
                           Order order = Order::forward) {
    for (const std::string& name : kernels_named("stream_" + GetParam())) {
      SCOPED_TRACE(name + ": " + std::to_string(n) + " elements, " + std::to_string(shape.grid) +
                   " blocks of " + std::to_string(shape.block));
      if (shape.block > kernel(name).max_block) shape.block = kernel(name).max_block;
      if (word(name, 2) == "fp32") {
        StreamRun<float>(name, n, passes, shape, order).check();
      } else {
        StreamRun<double>(name, n, passes, shape, order).check();
      }
    }
  }
};

TEST_P(StreamKernels, AreRightForEverySizeAndShape) {
  for (const std::uint64_t n : {1U, 2U, 3U, 7U, 31U, 32U, 33U, 127U, 509U, 1023U, 1024U, 1025U}) {
    expect_right(n, 1, {3, 64});
  }
  expect_right(5, 1, {1, 32});
  expect_right(1025, 1, {7, 32}, Order::backward);
  if (watched_by_tsan()) return;
  expect_right(4093, 1, {1, 1024});
  expect_right(100003, 1, {5, 256}, Order::backward);
}

TEST_P(StreamKernels, RepeatAllInEachPass) {
  expect_right(1025, 3, {2, 32});
  expect_right(4093, 2, {4, 128}, Order::backward);
}

std::vector<std::string> mixes() {
  std::vector<std::string> all;
  for (const std::string& name : kernels_named("stream_")) {
    const std::string mix = word(name, 1) + "_" + word(name, 2);
    if (std::ranges::count(all, mix) == 0) all.push_back(mix);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Simt, StreamKernels, testing::ValuesIn(mixes()),
                         [](const auto& mix) { return mix.param; });

TEST(StreamSectors, AreLoadedAndStoredWhole) {
  if (watched_by_tsan()) GTEST_SKIP() << "one thread at a time is enough for counting";
  Array<float> a(40000);
  Array<float> b(40000);
  // On a boundary of a line, as a device's memory is.
  float* const to = a.data() + 60;
  const float* const from = b.data() + 60;
  for (const std::string& name : kernels_named("stream_copy_fp32")) {
    const Launch how{.grid = {4}, .block = {256}, .sectors = true};
    const Stats stats = run(kernel(name), how, to, from, static_cast<const float*>(nullptr), 1.0F,
                            std::uint64_t{32768}, 1U, static_cast<std::uint64_t*>(nullptr));
    // 32 lanes of 16 bytes: 16 sectors for each request.
    EXPECT_EQ(stats.load_sectors, 16 * stats.load_requests) << name;
    EXPECT_EQ(stats.store_sectors, 16 * stats.store_requests) << name;
    EXPECT_EQ(stats.load_sectors * 32, 32768U * 4) << name;
  }
}

}  // namespace
}  // namespace simt
