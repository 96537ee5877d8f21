// Where a decode batch leads, held against the steps themselves: the law of a batch against every
// batch, limits against what is far out, capacities against sequences put in one by one.
#include <gtest/gtest.h>

#include <algorithm>

#include "embedded/embedded.hpp"
#include "model/step_support.hpp"

namespace roofline::model::test {
namespace {

std::vector<WorkCounting> conventions() {
  std::vector<WorkCounting> out;
  for (const WorkConvention convention :
       {WorkConvention::exact, WorkConvention::two_n, WorkConvention::palm})
    out.push_back({.convention = convention});
  out.push_back({.attention = false});
  out.push_back({.attended = Pairs::full, .input_embedding = true});
  out.push_back({.lm_head = false});
  return out;
}

/// Runs `check` on every bundled model in every account, convention and form of latents.
template <class Check>
void for_plans(const Check& check) {
  for (const embedded::File& file : embedded::files_below("models/")) {
    const Architecture model = read_config(file.text, file.path);
    for (const TrafficAccount account :
         {TrafficAccount::minimal, TrafficAccount::full, TrafficAccount::all_weights})
      for (const WorkCounting& counting : conventions())
        for (const LatentForm form : {LatentForm::absorbed, LatentForm::expanded}) {
          PlanOptions options;
          options.account = account;
          options.counting = counting;
          options.latent = form;
          SCOPED_TRACE(std::string(file.path) + " " + std::string(name(account)) + " " +
                       text_of(counting) + " " + std::string(name(form)));
          check(StepPlan(model, types_of(model), options));
        }
  }
}

bool has_windows_alone(const StepPlan& plan) {
  const auto& all = plan.operations();
  return std::none_of(all.begin(), all.end(), [](const Operation& one) {
    return one.attention && one.attention->span.reach == Reach::full;
  });
}

bool has_experts(const StepPlan& plan) {
  const auto& all = plan.operations();
  return std::any_of(all.begin(), all.end(), [](const Operation& one) { return one.experts > 0; });
}

constexpr double kPeak = 312;
constexpr double kBandwidth = 2039;
DecodeLimits limits_of(const StepPlan& plan, std::uint64_t context) {
  return decode_limits(decode_law(plan, context, a100()), gb_per_s(kBandwidth), tflop_per_s(kPeak));
}
double ceiling_of(const StepPlan& plan, std::uint64_t batch, std::uint64_t context) {
  return mfu_ceiling(bounds_of(plan, decode(batch, context), a100()), tflop_per_s(kPeak));
}

TEST(DecodeLaw, IsThatOfEveryBatch) {
  for_plans([](const StepPlan& plan) {
    for (const std::uint64_t context : {0U, 100U, 5000U, 100'000U}) {
      const DecodeLaw law = decode_law(plan, context, a100());
      for (const std::uint64_t batch : {1U, 7U, 300U, 20'000U}) {
        // Of experts the law has all of them read: a batch that chooses them all.
        if (has_experts(plan) && batch < 20'000) continue;
        const auto b = static_cast<double>(batch);
        const StepBounds bounds = bounds_of(plan, decode(batch, context), a100());
        EXPECT_TRUE(within(in_byte(law.once + b * law.per_sequence), in_byte(bounds.traffic), 1e-9))
            << batch << " of " << context;
        EXPECT_TRUE(within(in_flop(b * law.work_per_sequence), in_flop(bounds.work), 1e-9))
            << batch << " of " << context;
        EXPECT_TRUE(
            within(in_second(b * law.compute_per_sequence), in_second(bounds.compute), 1e-9))
            << batch << " of " << context;
      }
    }
  });
}

TEST(DecodeLaw, IsThatOfEveryContextBeyondTheWindows) {
  for_plans([](const StepPlan& plan) {
    for (const std::uint64_t context : {10U, 200'000U}) {
      // From where every window is full: the law at any context tells of what lies beyond.
      const DecodeLaw law = decode_law(plan, context, a100());
      const StepBounds near = bounds_of(plan, decode(1, 1'000'000), a100());
      const StepBounds far = bounds_of(plan, decode(1, 3'000'000), a100());
      const double further = 2e6;
      EXPECT_TRUE(within(in_byte(further * law.per_further_token),
                         in_byte(far.traffic - near.traffic), 1e-6));
      EXPECT_NEAR(in_flop(further * law.work_per_further_token), in_flop(far.work - near.work),
                  1e-6 * in_flop(far.work));
    }
  });
}

TEST(DecodeLimits, AreWhatLargeBatchesComeTo) {
  for_plans([](const StepPlan& plan) {
    for (const std::uint64_t context : {0U, 512U, 65'536U}) {
      const DecodeLimits limits = limits_of(plan, context);
      const std::uint64_t most = 4'000'000'000;
      const StepBounds b = bounds_of(plan, decode(most, context), a100());
      EXPECT_TRUE(within(limits.tokens_per_s_limit.value_or(0),
                         rate_of(static_cast<double>(most), b), 1e-3))
          << context;
      EXPECT_TRUE(within(limits.mfu_limit.value_or(-1), ceiling_of(plan, most, context), 1e-3))
          << context;
      // A convention that counts more than is executed shows more than the device does.
      EXPECT_LE(limits.mfu_limit.value_or(2), std::max(1.0, b.work / b.executed) + 1e-9) << context;
      EXPECT_GE(ceiling_of(plan, most, context), ceiling_of(plan, 1, context) * (1 - 1e-12))
          << context;
    }
  });
}

TEST(DecodeLimits, TheRidgeIsWhereArithmeticBecomesTheBound) {
  int reached = 0;
  for_plans([&](const StepPlan& plan) {
    if (has_experts(plan)) return;
    for (const std::uint64_t context : {0U, 64U, 512U, 65'536U}) {
      const DecodeLimits limits = limits_of(plan, context);
      const auto memory_bound = [&](double batch) {
        return bounds_of(plan, decode(static_cast<std::uint64_t>(batch), context), a100())
            .memory_bound();
      };
      if (!limits.ridge_batch) {
        EXPECT_TRUE(memory_bound(4e9)) << context;
      } else if (*limits.ridge_batch < 4e9) {
        ++reached;
        EXPECT_TRUE(memory_bound(std::max(1.0, std::floor(*limits.ridge_batch * 0.999) - 1)));
        EXPECT_FALSE(memory_bound(std::ceil(*limits.ridge_batch * 1.001) + 1));
      }
    }
  });
  EXPECT_GT(reached, 50);
}

TEST(DecodeLimits, AreWhatLongContextsComeTo) {
  for_plans([](const StepPlan& plan) {
    if (has_windows_alone(plan)) return;
    const std::uint64_t most = 4'000'000'000;
    const double far = ceiling_of(plan, 64, most);
    for (const std::uint64_t context : {10U, 100'000U}) {
      const DecodeLimits limits = limits_of(plan, context);
      ASSERT_TRUE(limits.mfu_limit_of_context);
      EXPECT_NEAR(*limits.mfu_limit_of_context, far, 1e-3 * far + 1e-5) << context;
      EXPECT_GE(*limits.mfu_limit_of_context, 0);
      const StepBounds b = bounds_of(plan, decode(64, most), a100());
      EXPECT_LE(*limits.mfu_limit_of_context, std::max(1.0, b.work / b.executed) + 1e-3);
    }
  });
}

TEST(DecodeLimits, AModelOfWindowsAloneHasNoneOfContext) {
  const Architecture model = read(with(config("mistral-7b-v0.1"), "sliding_window", 4096));
  const StepPlan plan(model, types_of(model), {});
  EXPECT_FALSE(limits_of(plan, 100).mfu_limit_of_context);
  EXPECT_FALSE(limits_of(plan, 100'000).mfu_limit_of_context);
  // Beyond the window a longer context costs nothing.
  EXPECT_EQ(in_second(bounds_of(plan, decode(8, 4096), a100()).floor()),
            in_second(bounds_of(plan, decode(8, 1'000'000), a100()).floor()));
}

/// Bytes of the cache of `batch` sequences of which the first `shared` tokens are one and the same,
/// layer by layer; windows of `window` tokens in `windowed` of the layers, `token` bytes a layer.
struct Layers {
  double full = 0;
  double windowed = 0;
  std::uint64_t window = 0;
  double token = 0;

  [[nodiscard]] double bytes(std::uint64_t batch, std::uint64_t context,
                             std::uint64_t shared) const {
    const auto kept = [&](std::uint64_t reach) {
      const std::uint64_t own = std::min(reach, context - shared);
      const std::uint64_t common = std::min(reach, shared);
      return static_cast<double>(batch * own + common);
    };
    return token * (full * kept(context) + windowed * kept(window));
  }
};

TEST(Capacity, HoldsWhatFitsAndNoMore) {
  // gemma-2-9b: 21 layers of 4096 tokens, 21 of all; 8 heads of 256 for keys and values each.
  const Layers layers{21, 21, 4096, 2.0 * 8 * 256 * 2};
  const StepPlan plan = plan_of("gemma-2-9b");
  const MemoryBudget budget{byte(80e9), 0.9, byte(1e9)};
  for (const std::uint64_t context : {100U, 4096U, 6000U, 20'000U})
    for (const std::uint64_t shared : {0U, 50U, 3000U, 5000U, 15'000U}) {
      if (shared >= context) continue;
      const std::uint64_t fits =
          capacity_batch(plan, context, shared, CacheLayout::in_windows, budget);
      const double room = 0.9 * 80e9 - 1e9 - in_byte(plan.resident());
      EXPECT_LE(layers.bytes(fits, context, shared), room) << context << " " << shared;
      EXPECT_GT(layers.bytes(fits + 1, context, shared), room) << context << " " << shared;
      const Layers full{42, 0, 1, layers.token};
      const std::uint64_t in_full =
          capacity_batch(plan, context, shared, CacheLayout::in_full, budget);
      EXPECT_LE(full.bytes(in_full, context, shared), room) << context << " " << shared;
      EXPECT_GT(full.bytes(in_full + 1, context, shared), room) << context << " " << shared;
    }
}

TEST(Capacity, NothingFitsBesideWeightsThatDoNot) {
  const StepPlan plan = plan_of("llama-3.1-70b");
  EXPECT_EQ(capacity_batch(plan, 4096, 0, CacheLayout::in_full, {byte(80e9), 0.9, byte(0)}), 0U);
  // Nor beside weights that leave less than one sequence.
  const Bytes barely = plan.resident() + byte(4096 * 327'680.0 - 1);
  EXPECT_EQ(capacity_batch(plan, 4096, 0, CacheLayout::in_full, {barely, 1.0, byte(0)}), 0U);
  EXPECT_EQ(capacity_batch(plan, 4096, 0, CacheLayout::in_full, {barely + byte(2), 1.0, byte(0)}),
            1U);
}

/// 2048 of 4096 tokens are shared: a sequence adds 2048 x 131,072 bytes, the prefix is read once.
TEST(DecodeLimits, KnowASharedPrefix) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  const DecodeLaw law = decode_law(plan, 4096, a100(), 2048);
  EXPECT_EQ(in_byte(law.per_sequence), 2048.0 * 131'072);
  EXPECT_EQ(in_byte(law.once), 15'009'316'864.0 + 2048.0 * 131'072);
  const DecodeLimits limits = decode_limits(law, gb_per_s(2039), tflop_per_s(312));
  EXPECT_NEAR(limits.tokens_per_s_limit.value_or(0), 2039e9 / (2048.0 * 131'072), 1e-6);
  // 20 ms x 2039 GB/s less the weights and the prefix, over 268 MB: 95.0.
  EXPECT_EQ(batch_within(plan, 4096, a100(), second(20e-3), 2048), 95U);
}

/// DeepSeek-V3 on an H100 is compute-bound before its caches are as many bytes as its weights.
TEST(DecodeLimits, HalfOfTheLimitIsHalfOfTheLimit) {
  for (const char* name : {"deepseek-v3", "llama-3.1-8b", "qwen3-30b-a3b"}) {
    const StepPlan plan = plan_of(name);
    const DecodeLimits limits =
        decode_limits(decode_law(plan, 8192, h100()), h100().bandwidth, tflop_per_s(989));
    const std::uint64_t batch =
        half_limit_batch_with_experts(plan, 8192, h100(), *limits.tokens_per_s_limit).value_or(0);
    const auto rate = [&](std::uint64_t b) {
      return static_cast<double>(b) / in_second(bounds_of(plan, decode(b, 8192), h100()).floor());
    };
    EXPECT_GE(rate(batch), *limits.tokens_per_s_limit / 2) << name;
    EXPECT_LT(rate(batch - 1), *limits.tokens_per_s_limit / 2) << name;
    if (std::string(name) == "llama-3.1-8b") {
      EXPECT_EQ(static_cast<double>(batch), std::ceil(*limits.half_limit_batch));
    }
  }
}

TEST(Capacity, ASequenceKeepsATokenOfItsOwn) {
  const StepPlan plan = plan_of("llama-3.1-8b");
  EXPECT_EQ(capacity_batch(plan, 0, 0, CacheLayout::in_full, {byte(80e9), 0.9, byte(0)}),
            (72'000'000'000U - 16'060'522'496U) / 131'072U);
}

TEST(Deadline, IsMetByTheLargestBatchAndMissedByTheNext) {
  for (const char* name : {"llama-3.1-8b", "gpt-oss-20b", "deepseek-v3", "gemma-2-9b"}) {
    const StepPlan plan = plan_of(name);
    const auto floor = [&](std::uint64_t batch) {
      return in_second(bounds_of(plan, decode(batch, 4096), a100()).floor());
    };
    for (const double factor : {1.0, 1.5, 7.0, 100.0}) {
      const double deadline = factor * floor(1);
      const std::uint64_t batch = batch_within(plan, 4096, a100(), second(deadline));
      EXPECT_LE(floor(batch), deadline) << name << " " << factor;
      EXPECT_GT(floor(batch + 1), deadline) << name << " " << factor;
    }
    EXPECT_EQ(batch_within(plan, 4096, a100(), second(0.999 * floor(1))), 0U) << name;
    EXPECT_EQ(batch_within(plan, 4096, a100(), second(1e30)), 4'294'967'295U) << name;
  }
}

}  // namespace
}  // namespace roofline::model::test
