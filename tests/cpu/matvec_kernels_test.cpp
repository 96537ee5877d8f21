#include "kernels/cpu/matvec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "isas.hpp"
#include "kernels/cpu/bf16.hpp"

namespace roofline::cpu {
namespace {

struct Shape {
  std::size_t rows;
  std::size_t d_in;
  std::size_t d_out;
  std::size_t group;  ///< 0: no scales
};

constexpr Shape kShapes[] = {
    {1, 1, 1, 0},      {1, 7, 63, 0},   {1, 64, 64, 16},    {2, 65, 65, 0},     {3, 1003, 17, 0},
    {5, 130, 100, 64}, {8, 257, 97, 0}, {13, 129, 49, 128}, {16, 512, 160, 32}, {33, 300, 144, 0},
};

// Quarters and small integers: products and sums stay exact in fp32, and the operands in bf16 and
// int8.
float activation_value(std::size_t row, std::size_t i) {
  return static_cast<float>((row * 5 + i * 3) % 9) / 4 - 1;
}
float weight_value(std::size_t i, std::size_t o) {
  return static_cast<float>((i * 7 + o * 11) % 13) - 6;
}
float scale_value(std::size_t group, std::size_t o) {
  return 0.5F * static_cast<float>(1 + (group + o) % 3);
}

std::size_t round_up(std::size_t value, std::size_t step) {
  return (value + step - 1) / step * step;
}

std::size_t element_bytes(WeightElement element) {
  return element == WeightElement::f32 ? 4 : element == WeightElement::bf16 ? 2 : 1;
}

void put_weight(std::vector<std::byte>& weights, WeightElement element, std::size_t at,
                float value) {
  std::byte* const to = weights.data() + at * element_bytes(element);
  if (element == WeightElement::f32) {
    std::memcpy(to, &value, 4);
  } else if (element == WeightElement::bf16) {
    const std::uint16_t bits = to_bf16(value);
    std::memcpy(to, &bits, 2);
  } else {
    const auto whole = static_cast<std::int8_t>(value);
    std::memcpy(to, &whole, 1);
  }
}

class Problem {
 public:
  Problem(const MatvecKernel& kernel, const Shape& shape)
      : kernel_(kernel),
        shape_(shape),
        d_in_(round_up(shape.d_in, kernel.depth_step)),
        strips_(round_up(shape.d_out, kernel.lanes) / kernel.lanes),
        groups_(shape.group == 0 ? 0 : (shape.d_in + shape.group - 1) / shape.group),
        weights_(strips_ * kernel.lanes * d_in_ * element_bytes(kernel.weight)),
        scales_(strips_ * groups_ * kernel.lanes),
        y_(shape.rows * strips_ * kernel.lanes, NAN) {
    for (std::size_t i = 0; i < shape.d_in; ++i) {
      for (std::size_t o = 0; o < shape.d_out; ++o) {
        put_weight(weights_, kernel.weight, packed_index(kernel, d_in_, strips_, i, o),
                   weight_value(i, o));
      }
    }
    for (std::size_t at = 0; at < scales_.size(); ++at) {
      const std::size_t in_strip = at % (groups_ * kernel.lanes);
      const std::size_t o = at / (groups_ * kernel.lanes) * kernel.lanes + in_strip % kernel.lanes;
      scales_[at] = to_bf16(scale_value(in_strip / kernel.lanes, o));
    }
    x_f32_.resize(shape.rows * d_in_);
    x_bf16_.resize(shape.rows * d_in_);
    for (std::size_t row = 0; row < shape.rows; ++row) {
      for (std::size_t i = 0; i < shape.d_in; ++i) {
        x_f32_[row * d_in_ + i] = activation_value(row, i);
        x_bf16_[row * d_in_ + i] = to_bf16(activation_value(row, i));
      }
    }
  }

  void run() {
    MatvecTask task;
    task.weights = weights_.data();
    task.strip_bytes = kernel_.lanes * d_in_ * element_bytes(kernel_.weight);
    task.strips = strips_;
    if (groups_ != 0) {
      task.scales = scales_.data();
      task.group = shape_.group;
    }
    task.x = kernel_.activation == ActivationElement::f32 ? static_cast<const void*>(x_f32_.data())
                                                          : x_bf16_.data();
    task.x_stride = d_in_;
    task.rows = shape_.rows;
    task.d_in = d_in_;
    task.y = y_.data();
    task.y_stride = strips_ * kernel_.lanes;
    kernel_.run(task);
  }

  void check() const {
    for (std::size_t row = 0; row < shape_.rows; ++row) {
      for (std::size_t o = 0; o < shape_.d_out; ++o) {
        double expected = 0;
        for (std::size_t i = 0; i < shape_.d_in; ++i) {
          const double scale =
              groups_ == 0 ? 1 : static_cast<double>(scale_value(i / shape_.group, o));
          expected += static_cast<double>(activation_value(row, i)) *
                      static_cast<double>(weight_value(i, o)) * scale;
        }
        ASSERT_EQ(static_cast<double>(y_[row * strips_ * kernel_.lanes + o]), expected)
            << row << "," << o;
      }
    }
  }

 private:
  const MatvecKernel& kernel_;
  Shape shape_;
  std::size_t d_in_;
  std::size_t strips_;
  std::size_t groups_;
  std::vector<std::byte> weights_;
  std::vector<std::uint16_t> scales_;
  std::vector<float> y_;
  std::vector<float> x_f32_;
  std::vector<std::uint16_t> x_bf16_;
};

TEST(MatvecKernels, ExactOnEveryShapeTypeAndPath) {
  const bool dot = host::detect_isa().avx512_bf16;
  for (const Isa isa : isas_here()) {
    for (const WeightElement weight :
         {WeightElement::f32, WeightElement::bf16, WeightElement::int8}) {
      for (const ActivationElement activation : {ActivationElement::f32, ActivationElement::bf16}) {
        const MatvecKernel& kernel = matvec_kernel(weight, activation, isa, dot);
        EXPECT_EQ(kernel.weight, weight);
        EXPECT_EQ(kernel.isa, isa);
        for (const Shape& shape : kShapes) {
          SCOPED_TRACE(std::string(name(isa)) + " " + kernel.arithmetic + " weight " +
                       std::to_string(static_cast<int>(weight)) +
                       " T=" + std::to_string(shape.rows) + " " + std::to_string(shape.d_in) + "x" +
                       std::to_string(shape.d_out));
          Problem problem(kernel, shape);
          problem.run();
          problem.check();
        }
      }
    }
  }
}

TEST(MatvecKernels, PairsOnlyWhereTheCpuHasThem) {
  EXPECT_STREQ(
      matvec_kernel(WeightElement::bf16, ActivationElement::bf16, Isa::portable, true).arithmetic,
      "fp32");
#if defined(__x86_64__)
  EXPECT_STREQ(
      matvec_kernel(WeightElement::bf16, ActivationElement::bf16, Isa::avx2, true).arithmetic,
      "fp32 FMA");
  EXPECT_STREQ(
      matvec_kernel(WeightElement::bf16, ActivationElement::bf16, Isa::avx512, false).arithmetic,
      "fp32 FMA");
  EXPECT_STREQ(
      matvec_kernel(WeightElement::int8, ActivationElement::bf16, Isa::avx512, true).arithmetic,
      "vdpbf16ps");
  EXPECT_STREQ(
      matvec_kernel(WeightElement::int8, ActivationElement::f32, Isa::avx512, true).arithmetic,
      "fp32 FMA");
#endif
}

}  // namespace
}  // namespace roofline::cpu
