// The account of a step and its bounds, held against worked examples that state peak and bandwidth.
#include <gtest/gtest.h>

#include "model/step_support.hpp"

namespace roofline::model::test {
namespace {

TEST(StepAccount, FlagshipMinimal) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  const StepBounds b = bound(plan, std::vector{decode(24, 4096)}, a100());
  EXPECT_EQ(in_byte(b.traffic), 15'009'316'864.0 + 12'884'901'888.0);
  EXPECT_NEAR(in_second(b.floor()), 13.68e-3, 0.005e-3);
  EXPECT_NEAR(24 / in_second(b.floor()), 1754, 1);
  EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(312)), 0.0965, 0.00005);
}

TEST(StepAccount, FlagshipFull) {
  PlanOptions options;
  options.account = TrafficAccount::full;
  const StepBounds fused =
      bound(plan_of("llama-3.1-8b", {}, options), std::vector{decode(24, 4096)}, a100());
  EXPECT_NEAR(in_second(fused.floor()), 13.694e-3, 0.0006e-3);
  EXPECT_NEAR(24 / in_second(fused.floor()), 1752.5, 0.06);
  EXPECT_NEAR(mfu_ceiling(fused, tflop_per_s(312)), 0.09637, 0.00001);
  options.fusion = Fusion::products;
  const StepBounds unfused =
      bound(plan_of("llama-3.1-8b", {}, options), std::vector{decode(24, 4096)}, a100());
  EXPECT_NEAR(in_second(unfused.floor()), 13.738e-3, 0.0006e-3);
  EXPECT_NEAR(24 / in_second(unfused.floor()), 1747.0, 0.06);
  EXPECT_NEAR(mfu_ceiling(unfused, tflop_per_s(312)), 0.09607, 0.00001);
}

}  // namespace
}  // namespace roofline::model::test
