// Llama-3.1-8B decoding 4096 tokens of context on one A100 80 GB (312 TFLOP/s, 2039 GB/s), bf16,
// exact convention and minimal account unless a test says otherwise: the ladder of batches, levers,
// other cards. Beside it what else was recomputed from public configurations: ids X.
#include <gtest/gtest.h>

#include <bit>

#include "model/step_support.hpp"
#include "roofline/placement.hpp"

namespace roofline::model::test {
namespace {

constexpr std::uint64_t kContext = 4096;
constexpr double kGiB = 1024.0 * 1024 * 1024;

/// 0.9 of the memory, less 2 GB.
MemoryBudget budget(double gib) { return {byte(gib * kGiB), 0.9, byte(2e9)}; }

/// 4 bits with a scale and a zero of 16 bits each for 128 inputs: 4.25 bits.
WeightFormat four_bits() {
  return {.name = "int4",
          .bits = 4,
          .scale_bits = 16,
          .zero_bits = 16,
          .group_rows = 1,
          .group_columns = 128};
}
WeightFormat eight_bits() { return plain_format(DType::int8); }
WeightFormat sixteen_bits() { return plain_format(DType::bf16); }

StepPlan flagship(const WeightFormat& weights = sixteen_bits(), DType kv = DType::bf16,
                  bool head_too = true) {
  const Architecture model = read(config("llama-3.1-8b"));
  StepTypes types = stored(model, weights, head_too);
  types.kv = kv;
  return {model, types, {}};
}

double step_s(const StepPlan& plan, std::uint64_t batch = 24) {
  return in_second(bounds_of(plan, decode(batch, kContext), a100()).floor());
}

TEST(Flagship, X16_TheLadderOfBatches) {
  struct Rung {
    std::uint64_t batch;
    double ms;
    double tokens_per_s;
    double mfu;
  };
  const StepPlan plan = flagship();
  for (const Rung& rung :
       {Rung{1, 7.62, 131, 0.0072}, Rung{8, 9.47, 845, 0.0465}, Rung{24, 13.68, 1754, 0.0965},
        Rung{48, 20.0, 2400, 0.132}, Rung{96, 32.6, 2941, 0.162}, Rung{110, 36.3, 3028, 0.167}}) {
    const StepBounds b = bounds_of(plan, decode(rung.batch, kContext), a100());
    EXPECT_NEAR(milliseconds(b.floor()), rung.ms, rung.ms < 15 ? 0.005 : 0.05) << rung.batch;
    EXPECT_NEAR(rate_of(static_cast<double>(rung.batch), b), rung.tokens_per_s, 0.5) << rung.batch;
    EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(312)), rung.mfu, rung.mfu < 0.1 ? 5e-5 : 5e-4)
        << rung.batch;
  }
  const DecodeLimits limits =
      decode_limits(decode_law(plan, kContext, a100()), gb_per_s(2039), tflop_per_s(312));
  EXPECT_NEAR(limits.tokens_per_s_limit.value_or(0), 3798, 0.5);
  EXPECT_NEAR(limits.mfu_limit.value_or(0), 0.209, 5e-4);
  EXPECT_FALSE(limits.ridge_batch) << "no batch reaches the ridge at this context";
}

TEST(Flagship, X17_TheFullAccount) {
  // Norms, embedding rows, cache writes, activations and fp32 logits too.
  PlanOptions options = counted_by(TrafficAccount::full);
  const StepBounds fused =
      bounds_of(plan_of("llama-3.1-8b", {}, options), decode(24, kContext), a100());
  EXPECT_NEAR(milliseconds(fused.floor()), 13.694, 0.0006);
  EXPECT_NEAR(rate_of(24, fused), 1752.5, 0.06);
  EXPECT_NEAR(mfu_ceiling(fused, tflop_per_s(312)), 0.09637, 0.00001);
  options.fusion = Fusion::products;
  const StepBounds unfused =
      bounds_of(plan_of("llama-3.1-8b", {}, options), decode(24, kContext), a100());
  EXPECT_NEAR(milliseconds(unfused.floor()), 13.738, 0.0006);
  EXPECT_NEAR(rate_of(24, unfused), 1747.0, 0.06);
  EXPECT_NEAR(mfu_ceiling(unfused, tflop_per_s(312)), 0.09607, 0.00001);
}

TEST(Flagship, X18_HalfSaturation) {
  const StepPlan plan = flagship();
  const DecodeLimits limits =
      decode_limits(decode_law(plan, kContext, a100()), gb_per_s(2039), tflop_per_s(312));
  // 2 x 7,504,658,432 over 4096 x 131,072 bytes.
  EXPECT_DOUBLE_EQ(limits.half_saturation_batch.value_or(0), 15'009'316'864.0 / 536'870'912.0);
  EXPECT_NEAR(*limits.half_saturation_batch, 28.0, 0.05);
  const ByClass classes = classes_of(plan, {decode(24, kContext)}, a100());
  const StepBounds b = bounds_of(plan, decode(24, kContext), a100());
  EXPECT_NEAR(traffic_of(classes, StepClass::kv_read) / in_byte(b.traffic), 0.462, 5e-4);
  EXPECT_NEAR(rate_of(24, b) / *limits.tokens_per_s_limit, 0.462, 5e-4);
}

TEST(Flagship, X19_LeversAtThisBatch) {
  struct Lever {
    WeightFormat weights;
    DType kv;
    double all;
    double head_kept;
    double tolerance;
  };
  const double before = step_s(flagship());
  for (const Lever& lever : {Lever{eight_bits(), DType::bf16, 1.368, 1.334, 5e-4},
                             Lever{four_bits(), DType::bf16, 1.653, 1.581, 5e-4},
                             Lever{sixteen_bits(), DType::int8, 1.300, 1.300, 5e-4},
                             Lever{eight_bits(), DType::int8, 2.00, 1.93, 5e-3},
                             Lever{four_bits(), DType::int8, 2.67, 2.49, 5e-3}}) {
    const std::string which = lever.weights.name + " " + std::string(name(lever.kv));
    EXPECT_NEAR(before / step_s(flagship(lever.weights, lever.kv, true)), lever.all,
                lever.tolerance)
        << which;
    EXPECT_NEAR(before / step_s(flagship(lever.weights, lever.kv, false)), lever.head_kept,
                lever.tolerance)
        << which;
  }
}

TEST(Flagship, X20_LeversAtTheBatchThatMemoryAllows) {
  struct Lever {
    WeightFormat weights;
    DType kv;
    std::uint64_t batch;
    double tokens_per_s;
    double mfu;
  };
  for (const Lever& lever : {Lever{sixteen_bits(), DType::bf16, 110, 3028, 0.167},
                             Lever{eight_bits(), DType::bf16, 124, 3413, 0},
                             Lever{sixteen_bits(), DType::int8, 220, 6057, 0.333},
                             Lever{eight_bits(), DType::int8, 248, 6826, 0.375},
                             Lever{four_bits(), DType::int8, 261, 7187, 0}}) {
    const std::string which = lever.weights.name + " " + std::string(name(lever.kv));
    const StepPlan plan = flagship(lever.weights, lever.kv);
    EXPECT_EQ(capacity_batch(plan, kContext, 0, CacheLayout::in_full, budget(80)), lever.batch)
        << which;
    const StepBounds b = bounds_of(plan, decode(lever.batch, kContext), a100());
    EXPECT_NEAR(rate_of(static_cast<double>(lever.batch), b), lever.tokens_per_s, 0.5) << which;
    if (lever.mfu > 0) {
      EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(312)), lever.mfu, 5e-4) << which;
    }
  }
}

TEST(Flagship, X21_OtherCards) {
  struct Card {
    const char* name;
    double tflops;
    double gb;
    double ms;
    double mfu;
    double rounding;
  };
  for (const Card& card :
       {Card{"A100 PCIe", 312, 1935, 14.42, 0.0916, 5e-5},
        Card{"A100 40 GB", 312, 1555, 17.94, 0.0736, 5e-5},
        Card{"H100", 989, 3350, 8.33, 0.0500, 5e-5}, Card{"H200", 989, 4800, 5.81, 0.0716, 5e-5},
        Card{"L40S", 362, 864, 32.3, 0.035, 5e-4}}) {
    const StepBounds b = bounds_of(flagship(), decode(24, kContext), roofs(card.tflops, card.gb));
    EXPECT_NEAR(milliseconds(b.floor()), card.ms, card.ms > 30 ? 0.05 : 0.005) << card.name;
    EXPECT_NEAR(mfu_ceiling(b, tflop_per_s(card.tflops)), card.mfu, card.rounding) << card.name;
  }
  EXPECT_EQ(capacity_batch(flagship(), kContext, 0, CacheLayout::in_full, budget(40)), 38U);
}

/// Rows at which a product of the model reaches the ridge, activations counted: by the operation,
/// and by the workload of its shape.
double rows_of_ridge(std::string_view product, const WeightFormat& weights, double tflops,
                     double gb) {
  const StepPlan plan = flagship(weights);
  const Intensity ridge = tflop_per_s(tflops) / gb_per_s(gb);
  const Operation& one = operation_of(plan, product);
  const double rows = rows_to_ridge(one, plan.types(), ridge).value_or(0);
  Projection projection{.rows = 1, .d_in = one.d_in, .d_out = one.d_out};
  if (weights.bits == 4) {
    projection.weight = DType::int4;
    projection.scale_group = 128;
    projection.scale_bits = 32;
  }
  EXPECT_TRUE(within(rows, roofline::rows_to_ridge(projection, ridge).rows.value_or(0), 1e-12))
      << product;
  return rows;
}

TEST(Flagship, X22_RowsToTheRidge) {
  struct Product {
    const char* name;
    double a100;
    double h100;
  };
  double least = 1e9;
  double most = 0;
  for (const Product& product : {Product{"qkv", 163.2, 335.5}, Product{"output", 165.4, 344.9},
                                 Product{"gate_up", 159.8, 321.7}, Product{"down", 160.7, 325.4},
                                 Product{"lm_head", 159.2, 318.9}}) {
    EXPECT_NEAR(rows_of_ridge(product.name, sixteen_bits(), 312, 2039), product.a100, 0.06)
        << product.name;
    EXPECT_NEAR(rows_of_ridge(product.name, sixteen_bits(), 989, 3350), product.h100, 0.06)
        << product.name;
    const double four = rows_of_ridge(product.name, four_bits(), 312, 2039);
    least = std::min(least, four);
    most = std::max(most, four);
  }
  EXPECT_NEAR(least, 42.2, 0.15);
  EXPECT_NEAR(most, 43.8, 0.15);
}

TEST(RowsToRidge, AreThoseOfOneExpertOfOneLayer) {
  // Mixtral's gate and up: 4096 x 28,672, r b K N / (2 K N - r b (K + N)) with r = 312 / 2.039.
  const StepPlan plan = plan_of("mixtral-8x7b-v0.1");
  const Intensity ridge = tflop_per_s(312) / gb_per_s(2039);
  const double r = 312 / 2.039;
  const double k = 4096;
  const double n = 28'672;
  EXPECT_TRUE(
      within(rows_to_ridge(operation_of(plan, "expert_gate_up"), plan.types(), ridge).value_or(0),
             r * 2 * k * n / (2 * k * n - r * 2 * (k + n)), 1e-9));
  // A router of 4096 x 8 never gets there, and attention has no rows.
  EXPECT_FALSE(rows_to_ridge(operation_of(plan, "router"), plan.types(), ridge));
  EXPECT_FALSE(rows_to_ridge(operation_of(plan, "attention"), plan.types(), ridge));
}

TEST(Flagship, X23_PrefillOf8192) {
  // One request, the head on one row. Linear: 2 x 8192 x 6,979,321,856 + 2 x 128,256 x 4096.
  for (const auto& [pairs, attention] :
       {std::pair{Pairs::causal, 17.59e12}, {Pairs::full, 35.18e12}}) {
    PlanOptions options;
    options.counting.attended = pairs;
    const StepPlan plan = plan_of("llama-3.1-8b", {}, options);
    options.counting.attention = false;
    const StepPlan without = plan_of("llama-3.1-8b", {}, options);
    const double of_attention = in_flop(bounds_of(plan, prefill(1, 8192), a100()).work -
                                        bounds_of(without, prefill(1, 8192), a100()).work);
    EXPECT_NEAR(of_attention, attention, 0.005e12);
    const double all = in_flop(bounds_of(plan, prefill(1, 8192), a100()).work);
    EXPECT_EQ(all - of_attention, 2.0 * 8192 * 6'979'321'856 + 2.0 * 128'256 * 4096);
    EXPECT_NEAR(all - of_attention, 114.35e12, 0.005e12);
  }
}

TEST(DistinctExperts, X15_UniformRouting) {
  struct Row {
    double experts;
    double chosen;
    double tokens;
    double expected;
  };
  for (const Row& row :
       {Row{8, 2, 1, 2}, Row{8, 2, 4, 5.47}, Row{8, 2, 8, 7.20}, Row{8, 2, 16, 7.92},
        Row{128, 8, 1, 8}, Row{128, 8, 4, 29.12}, Row{128, 8, 8, 51.62}, Row{128, 8, 16, 82.42},
        Row{128, 8, 32, 111.77}, Row{128, 8, 64, 125.94}, Row{256, 8, 1, 8}, Row{256, 8, 4, 30.53},
        Row{256, 8, 8, 57.42}, Row{256, 8, 16, 101.96}, Row{256, 8, 32, 163.31},
        Row{256, 8, 64, 222.44}, Row{256, 8, 128, 251.60}})
    EXPECT_NEAR(expected_experts(row.experts, row.chosen, row.tokens), row.expected, 0.0051)
        << row.experts << " " << row.tokens;
}

/// The same from every way in which `tokens` can each choose 2 of 4, one after another.
double counted_out(std::uint64_t tokens) {
  std::vector<unsigned> pairs;
  for (unsigned mask = 0; mask < 16; ++mask)
    if (std::popcount(mask) == 2) pairs.push_back(mask);
  std::vector<unsigned> unions{0};
  for (std::uint64_t i = 0; i < tokens; ++i) {
    std::vector<unsigned> next;
    for (const unsigned before : unions)
      for (const unsigned pair : pairs) next.push_back(before | pair);
    unions = next;
  }
  double sum = 0;
  for (const unsigned chosen : unions) sum += std::popcount(chosen);
  return sum / static_cast<double>(unions.size());
}

TEST(DistinctExperts, IsTheMeanOverAllChoices) {
  for (std::uint64_t tokens = 1; tokens <= 5; ++tokens)
    EXPECT_NEAR(expected_experts(4, 2, static_cast<double>(tokens)), counted_out(tokens), 1e-12)
        << tokens;
}

}  // namespace
}  // namespace roofline::model::test
