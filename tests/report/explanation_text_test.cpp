// The four steps as a person reads them.
#include "report/explanation_text.hpp"

#include <gtest/gtest.h>

#include "sample_reports.hpp"
#include "support/golden.hpp"
#include "support/text.hpp"

namespace roofline::report {
namespace {

TEST(ExplanationText, AGemmReadsAsItShould) {
  test::expect_golden(render_explanation(test::on_a100(Gemm{.m = 4096, .n = 4096, .k = 4096})),
                      "report/explain_gemm.txt");
}

TEST(ExplanationText, AnObservedMatvecReadsAsItShould) {
  const Projection decode{
      .rows = 8, .d_in = 4096, .d_out = 14336, .weight = DType::int8, .scale_group = 128};
  test::expect_golden(render_explanation(test::on_a100(decode, {.time = second(35e-6)})),
                      "report/explain_matvec.txt");
}

TEST(ExplanationText, AnImpossibleReadingReadsAsItShould) {
  test::expect_golden(render_explanation(test::on_a100(Gemm{.m = 4096, .n = 4096, .k = 4096},
                                                       {.achieved = tflop_per_s(500)})),
                      "report/explain_impossible.txt");
}

TEST(ExplanationText, ACopyReadsAsItShould) {
  const Stream copy{.kind = StreamKind::copy, .elements = 1 << 28, .write_allocate = true};
  test::expect_golden(render_explanation(test::on_a100(copy, {.time = second(2.5e-3)})),
                      "report/explain_copy.txt");
}

// The seed: reading two inputs of 400 bytes, writing 400 and doing 2400 FLOP is an intensity of 2.
TEST(ExplanationText, TheSeedsKernel) {
  const std::string text = render_explanation(test::on_a100(
      Kernel{.flops = Count{2400}, .read_bytes = Count{800}, .write_bytes = Count{400}}));
  EXPECT_TRUE(test::holds(text, "2.00 FLOP/byte = 2.40 kFLOP / 1.20 kB across DRAM")) << text;
  EXPECT_TRUE(test::holds(text, "76.5 times left of the ridge (153 / 2.00)")) << text;
}

// The seed: at intensity 10 the A100 is capped at 20.4 TFLOP/s, 6.5 % of 312.
TEST(ExplanationText, AnIntensityAlone) {
  const std::string text =
      render_explanation(test::on_a100(Kernel{.intensity = flop_per_byte(10)}));
  EXPECT_TRUE(test::holds(text, "10.0 FLOP/byte, as given")) << text;
  EXPECT_TRUE(test::holds(text, "20.4 TFLOP/s = min(312 TFLOP/s, 2.04 TB/s x 10.0 FLOP/byte)"))
      << text;
  EXPECT_TRUE(test::holds(text, "6.54 %")) << text;
}

TEST(ExplanationText, WithoutRoofsItSaysWhyInsteadOfGuessing) {
  Explanation in = test::on_a100(Gemm{.m = 64, .n = 64, .k = 64, .input = DType::fp8_e4m3});
  in.roofs.compute.reset();
  in.roofs.compute_reason = "the A100 has no fp8 arithmetic";
  in.placement = place(in.account, in.roofs);
  in.rows = {};
  const std::string text = render_explanation(in);
  EXPECT_TRUE(test::holds(text, "unknown: the A100 has no fp8 arithmetic")) << text;
  EXPECT_TRUE(test::holds(text, "3 Bound       unknown")) << text;
  EXPECT_FALSE(test::holds(text, "times")) << text;
}

TEST(ExplanationText, ASparsePeakIsNamed) {
  Explanation in = test::on_a100(Gemm{.m = 4096, .n = 4096, .k = 4096});
  in.roofs.compute->sparsity = Sparsity::sparse_2_4;
  EXPECT_TRUE(test::holds(render_explanation(in), "2:4 sparse"));
}

TEST(ExplanationText, AnyRecordCanBeExplained) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    for (const Record& point : test::random_report(seed).points) {
      const std::string text = render_explanation(point);
      EXPECT_EQ(text.find("nan"), std::string::npos) << seed;
      EXPECT_EQ(text.find("inf "), std::string::npos) << seed;
      EXPECT_EQ(text.find('\x01'), std::string::npos) << seed;
    }
  }
}

}  // namespace
}  // namespace roofline::report
