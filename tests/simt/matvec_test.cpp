// Every matvec kernel against sums in double, with operands whose products and sums are exact in
// fp32: what is left is one rounding to the activation's type, and the bits must be equal. Bytes
// against the account of the workload.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/matvec_launch.hpp"
#include "kernels/cuda/matvec_shape.hpp"
#include "roofline/account.hpp"
#include "simt/kernel_run.hpp"
#include "simt/matvec_problem.hpp"

namespace simt {
namespace {

template <class A>
class MatvecRun {
 public:
  MatvecRun(const std::string& name, const Case& c)
      : name_(name),
        weight_(word(name, 1)),
        activation_(word(name, 2)),
        c_(c),
        problem_(weight_, c),
        y_(std::size_t{c.rows} * c.d_out),
        partial_(c.splits > 1 ? c.splits * y_.size() : 0) {}

  void check(Order order) {
    Memory memory(Coverage::on);
    memory.add("weights", problem_.weights.data(), problem_.weights.bytes(), false);
    if (problem_.scales.size() != 0) {
      memory.add("scales", problem_.scales.data(), problem_.scales.bytes(), false);
    }
    memory.add("x", problem_.x.data(), problem_.x.bytes(), false);
    memory.add("y", y_.data(), y_.bytes());
    if (c_.splits > 1) memory.add("partial", partial_.data(), partial_.bytes());
    check_traffic(multiply(memory, order), memory);
    for (unsigned row = 0; row < c_.rows; ++row) {
      for (unsigned output = 0; output < c_.d_out; ++output) {
        const double exact = problem_.exact(row, output);
        const A got = y_[std::size_t{row} * c_.d_out + output];
        ASSERT_EQ(got.bits, nearest<A>(exact).bits)
            << name_ << " " << testing::PrintToString(c_) << ": y[" << row << ", " << output
            << "] is " << value_of(got) << ", not " << exact;
      }
    }
  }

 private:
  // Stats of the product, and of the addition of its parts.
  Stats multiply(Memory& memory, Order order) {
    const unsigned most_rows = static_cast<unsigned>(std::stoul(word(name_, 3).substr(1)));
    const unsigned length = roofline::cuda::matvec_split_length(c_.d_in, c_.splits);
    const Launch how{.grid = {c_.grid, c_.splits},
                     .block = {c_.warps * 32},
                     .shared = roofline::cuda::matvec_shared_bytes(
                         most_rows, std::min(length, c_.d_in), c_.warps),
                     .memory = &memory,
                     .order = order};
    Stats stats =
        run(kernel(name_), how, y_.data(), static_cast<const void*>(problem_.weights.data()),
            static_cast<const void*>(problem_.bits == 16 ? nullptr : problem_.scales.data()),
            static_cast<const A*>(problem_.x.data()), c_.rows, c_.d_in, c_.d_out,
            c_.splits > 1 ? partial_.data() : nullptr, c_.splits);
    if (c_.splits == 1) return stats;
    EXPECT_EQ(stats.stored_bytes, 0U) << "parts stay in the cache";
    EXPECT_EQ(memory.traffic("partial").distinct_stored_bytes, partial_.bytes());
    const Launch reduce{.grid = {2}, .block = {64}, .memory = &memory, .order = order};
    const Stats added = run(kernel("matvec_reduce_" + activation_), reduce, y_.data(),
                            static_cast<const float*>(partial_.data()),
                            static_cast<unsigned>(y_.size()), c_.splits);
    EXPECT_EQ(added.loaded_bytes, 0U);
    stats.stored_bytes += added.stored_bytes;
    return stats;
  }

  void check_traffic(const Stats& stats, const Memory& memory) const {
    roofline::Projection workload{.rows = c_.rows,
                                  .d_in = c_.d_in,
                                  .d_out = c_.d_out,
                                  .activation = roofline::parse_dtype(activation_),
                                  .weight = roofline::parse_dtype(weight_)};
    // A shorter row has one scale all the same.
    if (problem_.bits < 16) workload.scale_group = std::min(roofline::cuda::kMatvecGroup, c_.d_in);
    const roofline::Account account = roofline::account(workload);
    const std::uint64_t reads = roofline::read_traffic(account).value();
    EXPECT_EQ(stats.loaded_bytes, reads) << name_ << " " << testing::PrintToString(c_);
    EXPECT_EQ(stats.stored_bytes, roofline::total_traffic(account).value() - reads);
    for (const roofline::TensorTraffic& tensor : account.traffic) {
      const std::string region = tensor.tensor == "input"    ? "x"
                                 : tensor.tensor == "output" ? "y"
                                                             : tensor.tensor;
      const Memory::Traffic traffic = memory.traffic(region);
      EXPECT_EQ(traffic.distinct_loaded_bytes + traffic.distinct_stored_bytes, tensor.bytes.value())
          << region;
    }
  }

  std::string name_;
  std::string weight_;
  std::string activation_;
  Case c_;
  Problem<A> problem_;
  Array<A> y_;
  Array<float> partial_;
};

void check(const std::string& name, Case c, Order order = Order::forward) {
  if (word(name, 1) == "int4") c.d_in += c.d_in % 2;
  if (word(name, 2) == "bf16") {
    MatvecRun<Bf16>(name, c).check(order);
  } else {
    MatvecRun<Half>(name, c).check(order);
  }
}

// Weight and activation; the kernels for 1, 2, 4, 8, 16 rows at once.
class MatvecKernels : public testing::TestWithParam<std::string> {
 protected:
  static std::vector<std::string> names() {
    std::vector<std::string> all = kernels_named("matvec_" + GetParam() + "_r");
    if (watched_by_tsan()) all = {all.front(), all.back()};
    return all;
  }
  static unsigned most_rows(const std::string& name) {
    return static_cast<unsigned>(std::stoul(word(name, 3).substr(1)));
  }
};

TEST_P(MatvecKernels, AreRightForAwkwardShapes) {
  for (const std::string& name : names()) {
    const unsigned most = most_rows(name);
    check(name, {most, 1, 1, 1, 1, 1});
    check(name, {most, 7, 31, 1, 2, 1});
    check(name, {most, 127, 33, 2, 1, 1}, Order::backward);
    check(name, {most, 131, 7, 3, 4, 1});
    check(name, {most, 1040, 37, 1, 3, 1});
    check(name, {most, 1027, 40, 2, 2, 1});  // rows that start anywhere, whole tiles
  }
}

TEST_P(MatvecKernels, AreRightForWholeTiles) {
  for (const std::string& name : names()) {
    check(name, {most_rows(name), 512, 32, 1, 2, 1});
    if (watched_by_tsan()) continue;
    check(name, {most_rows(name), 1536, 64, 2, 2, 1}, Order::backward);
  }
}

TEST_P(MatvecKernels, AreRightForEveryNumberOfRows) {
  for (const std::string& name : names()) {
    check(name, {1, 264, 33, 1, 2, 1});
    if (watched_by_tsan()) continue;
    // Those that no smaller kernel takes.
    for (unsigned rows = most_rows(name) / 2 + 1; rows <= most_rows(name); ++rows) {
      check(name, {rows, 264, 33, 2, 2, 1});
    }
  }
}

TEST_P(MatvecKernels, AreRightInSplits) {
  for (const std::string& name : names()) {
    const unsigned most = most_rows(name);
    check(name, {most, 1536, 33, 1, 2, 3});
    check(name, {most, 600, 3, 1, 1, 5});  // the last ones have nothing
    if (watched_by_tsan()) continue;
    check(name, {most, 1033, 5, 2, 1, 2}, Order::backward);
  }
}

constexpr roofline::cuda::u64 kKiB = 1024;
// An SM count and the shared memory of a block and an SM: a T4, an A100, and less than any GPU has.
constexpr roofline::cuda::MatvecDevice kDevices[] = {
    {40, 64 * kKiB, 64 * kKiB}, {108, 163 * kKiB, 164 * kKiB}, {3, 48 * kKiB, 48 * kKiB}};

TEST_P(MatvecKernels, AreRightAsTheyAreLaunched) {
  for (const std::string& name : names()) {
    const unsigned rows = most_rows(name);
    for (const roofline::cuda::MatvecDevice& device : kDevices) {
      if (watched_by_tsan() && device.sm_count > 3) continue;
      const unsigned d_in = watched_by_tsan() ? 520 : 1500;
      const unsigned d_out = 45;
      const roofline::cuda::MatvecLaunch how =
          roofline::cuda::matvec_launch({rows, d_in, d_out, bits_of(word(name, 1))}, device);
      EXPECT_EQ(how.most_rows, rows);
      EXPECT_LE(how.shared_bytes, device.shared_per_block);
      check(name, {rows, d_in, d_out, how.grid_x, how.block / 32, how.splits});
    }
  }
}

std::vector<std::string> types() {
  std::vector<std::string> all;
  for (const std::string& name : kernels_named("matvec_")) {
    const std::string type = word(name, 1) + "_" + word(name, 2);
    if (word(name, 1) != "reduce" && std::ranges::count(all, type) == 0) all.push_back(type);
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Simt, MatvecKernels, testing::ValuesIn(types()),
                         [](const auto& type) { return type.param; });

}  // namespace
}  // namespace simt
