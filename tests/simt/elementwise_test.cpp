// The elementwise kernels: chains of kernels.def in double with a bound on what rounding can do,
// and their bytes against the account of the workload.
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cuda/half_bits.hpp"
#include "roofline/account.hpp"
#include "simt/kernel_run.hpp"

namespace simt {
namespace {

using roofline::cuda::Bf16;
using roofline::cuda::Half;

template <class T>
constexpr unsigned kSignificand = 53;  // bits
template <>
constexpr unsigned kSignificand<float> = 24;
template <>
constexpr unsigned kSignificand<Half> = 11;
template <>
constexpr unsigned kSignificand<Bf16> = 8;

double value_of(double x) { return x; }
double value_of(float x) { return x; }
double value_of(Half x) { return roofline::cuda::to_float(x); }
double value_of(Bf16 x) { return roofline::cuda::to_float(x); }

template <class T>
T stored(double x) {
  if constexpr (std::is_same_v<T, Half>) return roofline::cuda::nearest_half(static_cast<float>(x));
  if constexpr (std::is_same_v<T, Bf16>) return roofline::cuda::nearest_bf16(static_cast<float>(x));
  if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(x);
}

struct Chain {
  unsigned inputs;
  unsigned first_op;
  unsigned ops;
};

// A value, and how far rounding can have taken it.
struct Bounded {
  long double value;
  long double error;
};

template <class T>
class ElementwiseRun {
 public:
  using Constant = std::conditional_t<std::is_same_v<T, double>, double, float>;

  ElementwiseRun(const Chain& chain, std::uint64_t n)
      : chain_(chain), n_(n), out_(n), constants_(chain.ops) {
    Random random(n + chain.ops);
    for (unsigned i = 0; i < chain.inputs; ++i) {
      inputs_.push_back(std::make_unique<Array<T>>(n));
      for (std::uint64_t at = 0; at < n; ++at) (*inputs_[i])[at] = stored<T>(random.uniform());
    }
    for (unsigned op = 0; op < chain.ops; ++op) {
      constants_[op] = static_cast<Constant>(random.uniform());
    }
  }

  void check(const std::string& dtype, Launch how) {
    Memory memory(Coverage::on);
    memory.add("out", out_.data(), out_.bytes());
    const T* pointers[4] = {};
    for (unsigned i = 0; i < chain_.inputs; ++i) {
      pointers[i] = inputs_[i]->data();
      memory.add("input " + std::to_string(i), pointers[i], n_ * sizeof(T), false);
    }
    memory.add("constants", constants_.data(), constants_.bytes(), false);
    how.memory = &memory;
    const Stats stats = run(kernel("elementwise_" + dtype), how, out_.data(), pointers[0],
                            pointers[1], pointers[2], pointers[3], chain_.inputs, chain_.first_op,
                            chain_.ops, static_cast<const Constant*>(constants_.data()), n_);
    const roofline::Account account =
        roofline::account(roofline::Elementwise{.elements = n_,
                                                .ops = chain_.ops,
                                                .ops_per_kernel = chain_.ops,
                                                .inputs = chain_.inputs,
                                                .dtype = roofline::parse_dtype(dtype)});
    const std::uint64_t reads = roofline::read_traffic(account).value();
    EXPECT_EQ(stats.loaded_bytes, reads);
    EXPECT_EQ(stats.stored_bytes, roofline::total_traffic(account).value() - reads);
    EXPECT_EQ(memory.traffic("out").distinct_stored_bytes, n_ * sizeof(T));
    for (std::uint64_t at = 0; at < n_; ++at) {
      const Bounded expected = chain_at(at);
      ASSERT_LE(std::abs(value_of(out_[at]) - expected.value), expected.error)
          << dtype << " element " << at << " of " << n_ << ", " << chain_.inputs << " inputs, "
          << chain_.ops << " operations from " << chain_.first_op;
    }
  }

 private:
  [[nodiscard]] Bounded chain_at(std::uint64_t at) const {
    // A rounding adds half a last place of the result; 1 % more for what is squared.
    const long double step = std::ldexp(1.01L, -static_cast<int>(kSignificand<Constant>));
    Bounded v{value_of((*inputs_[0])[at]), 0};
    for (unsigned op = 0; op < chain_.ops; ++op) {
      const long double operand =
          op + 1 < chain_.inputs ? value_of((*inputs_[op + 1])[at]) : constants_[op];
      const bool multiplies = (chain_.first_op + op) % 2 == 0;
      v.value = multiplies ? v.value * operand : v.value + operand;
      if (multiplies) v.error *= std::abs(operand);
      v.error += step * (std::abs(v.value) + v.error);
    }
    if (sizeof(T) == 2) {
      // Subnormal numbers of binary16 are multiples of 2^-24.
      v.error +=
          std::ldexp(std::abs(v.value) + v.error, -static_cast<int>(kSignificand<T>)) + 0x1p-25L;
    }
    return v;
  }

  Chain chain_;
  std::uint64_t n_;
  Array<T> out_;
  std::vector<std::unique_ptr<Array<T>>> inputs_;
  Array<Constant> constants_;
};

template <class T>
void check(const std::string& dtype) {
  const Chain chains[] = {{1, 0, 1}, {1, 1, 1}, {1, 0, 5}, {2, 0, 1}, {2, 1, 1},
                          {2, 1, 4}, {3, 0, 2}, {3, 1, 6}, {4, 0, 3}, {4, 1, 8}};
  for (const Chain& chain : chains) {
    for (const std::uint64_t n : {1U, 7U, 8U, 31U, 32U, 33U, 1023U, 1025U, 3001U}) {
      ElementwiseRun<T>(chain, n).check(dtype, {.grid = {3}, .block = {64}});
    }
    ElementwiseRun<T>(chain, 1025)
        .check(dtype, {.grid = {2}, .block = {32}, .order = Order::backward});
  }
  if (watched_by_tsan()) return;
  ElementwiseRun<T>({2, 0, 3}, 100003).check(dtype, {.grid = {3}, .block = {512}});
}

TEST(ElementwiseKernels, Fp64) { check<double>("fp64"); }
TEST(ElementwiseKernels, Fp32) { check<float>("fp32"); }
TEST(ElementwiseKernels, Fp16) { check<Half>("fp16"); }
TEST(ElementwiseKernels, Bf16) { check<Bf16>("bf16"); }

}  // namespace
}  // namespace simt
