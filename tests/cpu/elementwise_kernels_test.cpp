#include "kernels/cpu/elementwise.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "isas.hpp"

namespace roofline::cpu {
namespace {

/// All four operations on small dyadic numbers, whose results are exact.
template <class T, class Chain>
void check(Chain chain) {
  for (const std::size_t n : {0U, 1U, 7U, 63U, 64U, 65U, 127U, 128U, 129U, 10007U}) {
    for (const std::size_t offset : {0U, 1U, 15U}) {
      std::vector<T> in(n + offset);
      std::vector<T> factor(n + offset);
      std::vector<T> term(n + offset);
      std::vector<T> out(n + offset + 1, T{-1});
      for (std::size_t i = 0; i < n; ++i) {
        in[offset + i] = static_cast<T>(i % 100);
        factor[offset + i] = static_cast<T>(i % 7);
        term[offset + i] = static_cast<T>(i % 11) / 4;
      }
      const std::vector<ElementStep<T>> steps{
          {ElementOp::multiply_tensor, 0, factor.data() + offset},
          {ElementOp::add_tensor, 0, term.data() + offset},
          {ElementOp::multiply_constant, T{0.5}, nullptr},
          {ElementOp::add_constant, T{3}, nullptr},
      };
      chain(out.data() + offset, in.data() + offset, steps, n);
      for (std::size_t i = 0; i < n; ++i) {
        const T x = in[offset + i];
        ASSERT_EQ(out[offset + i], (x * factor[offset + i] + term[offset + i]) * T{0.5} + 3)
            << i << " of " << n;
      }
      EXPECT_EQ(out[offset + n], T{-1}) << "written past the end of " << n;
    }
  }
}

TEST(ElementwiseKernels, EveryOperationOnEveryLength) {
  for (const Isa isa : isas_here()) {
    SCOPED_TRACE(name(isa));
    const ElementwiseKernels& kernels = elementwise_kernels(isa);
    EXPECT_EQ(kernels.isa, isa);
    check<float>(kernels.f32);
    check<double>(kernels.f64);
  }
}

TEST(ElementwiseKernels, NoStepsIsACopy) {
  for (const Isa isa : isas_here()) {
    const std::vector<float> in{1, 2, 3};
    std::vector<float> out(3);
    elementwise_kernels(isa).f32(out.data(), in.data(), {}, 3);
    EXPECT_EQ(out, in);
  }
}

}  // namespace
}  // namespace roofline::cpu
