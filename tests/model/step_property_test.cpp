// What holds of every step of every bundled model, in every account and convention: over batches,
// contexts, types and roofs drawn at random from one seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "embedded/embedded.hpp"
#include "model/step_support.hpp"

namespace roofline::model::test {
namespace {

constexpr double kRounding = 1e-12;

struct Named {
  std::string name;
  Architecture model;
};

std::vector<Named> bundled() {
  std::vector<Named> out;
  for (const embedded::File& file : embedded::files_below("models/"))
    out.push_back({std::string(file.path), read_config(file.text, file.path)});
  return out;
}

bool has_experts(const Architecture& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerKind& kind) {
    return std::holds_alternative<Experts>(kind.layer.feed_forward);
  });
}
bool has_windows(const Architecture& model) {
  return std::any_of(model.layers.begin(), model.layers.end(), [](const LayerKind& kind) {
    return kind.layer.attention && kind.layer.attention->span.reach != Reach::full;
  });
}

class Draw {
 public:
  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(engine_);
  }
  /// From 1 to `most`, small ones as often as large ones.
  std::uint64_t size(double most) {
    const double exponent = std::uniform_real_distribution<double>(0, std::log(most))(engine_);
    return static_cast<std::uint64_t>(std::exp(exponent));
  }
  bool coin() { return below(2) == 1; }
  template <class T>
  T one_of(std::initializer_list<T> from) {
    return *(from.begin() + below(from.size()));
  }

  StepTypes types(const Architecture& model) {
    StepTypes out = types_of(model);
    const char* format = one_of({"", "int8", "fp8", "int4-g128", "mxfp4", "nvfp4", "bf16"});
    if (*format != '\0') out.weights = stored_as(model.weights, parse_weight_format(format, "it"));
    out.kv = one_of({DType::bf16, DType::fp8_e4m3, DType::int8, DType::fp32});
    out.linear = one_of({DType::bf16, DType::int8});
    out.head = one_of({DType::bf16, DType::int8});
    return out;
  }
  PlanOptions options() {
    PlanOptions out;
    out.account =
        one_of({TrafficAccount::minimal, TrafficAccount::full, TrafficAccount::all_weights});
    out.fusion = one_of({Fusion::blocks, Fusion::products});
    out.latent = one_of({LatentForm::absorbed, LatentForm::expanded});
    out.counting.convention =
        one_of({WorkConvention::exact, WorkConvention::two_n, WorkConvention::palm});
    out.counting.attention = coin();
    out.counting.attended = one_of({Pairs::causal, Pairs::full});
    out.counting.input_embedding = coin();
    out.counting.lm_head = coin();
    return out;
  }
  StepRoofs device() {
    const auto bf16 = static_cast<double>(size(3000));
    StepRoofs out = roofs(bf16, static_cast<double>(size(9000)));
    out.peaks.set(DType::int8, tflop_per_s(static_cast<double>(size(6000))));
    return out;
  }
  Requests requests() {
    Requests out;
    out.count = size(600);
    out.cached = coin() ? size(200'000) : 0;
    out.fresh = coin() ? 1 : size(9000);
    out.logits = one_of({std::uint64_t{0}, std::uint64_t{1}, out.fresh});
    out.shared = coin() ? below(out.cached + 1) : 0;
    return out;
  }
  Step step() {
    Step out{requests()};
    while (coin()) out.push_back(requests());
    return out;
  }

 private:
  std::mt19937_64 engine_{20'240'817};
};

/// Runs `check` on every bundled model with `rounds` plans of each.
template <class Check>
void for_plans(int rounds, const Check& check) {
  Draw draw;
  for (const Named& one : bundled())
    for (int i = 0; i < rounds; ++i) {
      const StepTypes types = draw.types(one.model);
      const StepPlan plan(one.model, types, draw.options());
      SCOPED_TRACE(one.name + " " + std::string(name(plan.options().account)) + " " +
                   text_of(plan.options().counting) + " " +
                   std::string(name(plan.options().latent)));
      check(one, plan, draw);
      if (::testing::Test::HasFailure()) return;
    }
}

TEST(StepProperties, AStepIsNeverShorterForMoreSequencesOrContext) {
  for_plans(40, [](const Named&, const StepPlan& plan, Draw& draw) {
    const StepRoofs device = draw.device();
    const std::uint64_t batch = draw.size(2000);
    const std::uint64_t context = draw.size(200'000);
    const auto least = [&](std::uint64_t b, std::uint64_t c) {
      return in_second(bounds_of(plan, decode(b, c), device).floor()) * (1 - kRounding);
    };
    const StepBounds b = bounds_of(plan, decode(batch, context), device);
    EXPECT_LE(least(batch, context), in_second(b.floor()));
    EXPECT_GE(in_second(bounds_of(plan, decode(batch + 1, context), device).floor()),
              least(batch, context));
    EXPECT_GE(in_second(bounds_of(plan, decode(batch, context + 1), device).floor()),
              least(batch, context));
    EXPECT_GE(in_second(bounds_of(plan, decode(2 * batch, 3 * context), device).floor()),
              least(batch, context));
  });
}

TEST(StepProperties, AStepIsNeverShorterForWiderTypes) {
  Draw draw;
  for (const Named& one : bundled())
    for (int i = 0; i < 20; ++i) {
      const PlanOptions options = draw.options();
      const StepRoofs device = draw.device();
      const std::uint64_t batch = draw.size(2000);
      const Requests requests = decode(batch, draw.size(100'000));
      double before = 0;
      for (const DType type : {DType::int4, DType::int8, DType::bf16, DType::fp32}) {
        StepTypes types = stored(one.model, plain_format(type), true);
        types.kv = type;
        const double floor =
            in_second(bounds_of(StepPlan(one.model, types, options), requests, device).floor());
        EXPECT_GE(floor, before * (1 - kRounding)) << one.name << " " << name(type);
        before = floor;
      }
    }
}

TEST(StepProperties, NoCeilingPassesOneAndNoUpperBoundTheLower) {
  for_plans(60, [](const Named&, const StepPlan& plan, Draw& draw) {
    const StepRoofs device = draw.device();
    const Step step = draw.step();
    validate(step);
    const StepBounds b = bound(plan, step, device);
    EXPECT_GE(in_flop(b.work), 0);
    // A convention that counts more than is executed shows more than the device does, and so does
    // the peak of a type that is slower than those that other parts are computed in.
    const StepTypes& types = plan.types();
    const Performance peak = device.peaks.of(types.linear);
    const bool fastest =
        device.peaks.of(types.activation) <= peak && device.peaks.of(types.head) <= peak;
    if (fastest && b.work <= b.executed) {
      EXPECT_LE(mfu_ceiling(b, peak), 1 + kRounding);
    }
    EXPECT_GE(in_second(b.serial), in_second(b.floor()) * (1 - kRounding));
    const double apart = in_second(without_overlap(plan, step, device, Seconds{}));
    EXPECT_GE(apart, in_second(b.serial) * (1 - kRounding));
    EXPECT_LE(apart, in_second(b.compute + b.memory) * (1 + kRounding));
    EXPECT_TRUE(within(in_second(without_overlap(plan, step, device, second(1))),
                       apart + b.launches, kRounding));
    if (plan.options().counting.convention == WorkConvention::exact &&
        plan.options().counting.attended == Pairs::causal &&
        !plan.options().counting.input_embedding) {
      EXPECT_LE(in_flop(b.work), in_flop(b.executed) * (1 + kRounding));
    }
  });
}

TEST(StepProperties, ClassesAndOperationsSumToTheStep) {
  for_plans(60, [](const Named&, const StepPlan& plan, Draw& draw) {
    const StepRoofs device = draw.device();
    const Step step = draw.step();
    const StepBounds b = bound(plan, step, device);
    const std::vector<OperationBound> operations = bound_operations(plan, step, device);
    const ByClass classes = by_class(plan, operations);
    double work = 0;
    double traffic = 0;
    double executed = 0;
    for (const StepClass kind : step_classes()) {
      EXPECT_GE(work_of(classes, kind), 0);
      EXPECT_GE(traffic_of(classes, kind), 0);
      work += work_of(classes, kind);
      traffic += traffic_of(classes, kind);
    }
    for (const OperationBound& one : operations)
      executed += in_flop(one.cost.work + one.cost.repeated);
    EXPECT_TRUE(within(work, in_flop(b.executed), kRounding));
    EXPECT_TRUE(within(executed, in_flop(b.executed), kRounding));
    EXPECT_TRUE(within(traffic, in_byte(b.traffic), kRounding));
  });
}

TEST(StepProperties, AClassIsCalledAsItsTensorsAre) {
  for (const TensorClass kind : tensor_classes())
    if (kind != TensorClass::positions) {
      EXPECT_EQ(name(step_class(kind)), name(kind));
    }
  EXPECT_EQ(step_class(TensorClass::positions), StepClass::embedding);
  EXPECT_EQ(name(StepClass::attention), "attention");
  EXPECT_EQ(name(StepClass::kv_read), "kv_read");
  EXPECT_EQ(name(StepClass::kv_write), "kv_write");
  EXPECT_EQ(name(StepClass::activations), "activations");
  EXPECT_EQ(name(StepClass::logits), "logits");
  EXPECT_EQ(step_classes().size(), kStepClasses);
}

TEST(StepProperties, TheFullAccountIsTheLargest) {
  Draw draw;
  for (const Named& one : bundled())
    for (int i = 0; i < 20; ++i) {
      PlanOptions options = draw.options();
      const StepTypes types = draw.types(one.model);
      const Step step = draw.step();
      const auto traffic = [&](TrafficAccount account, Fusion fusion) {
        options.account = account;
        options.fusion = fusion;
        return in_byte(bound(StepPlan(one.model, types, options), step, a100()).traffic);
      };
      const double minimal = traffic(TrafficAccount::minimal, Fusion::blocks);
      EXPECT_LT(minimal, traffic(TrafficAccount::full, Fusion::blocks)) << one.name;
      EXPECT_LE(minimal, traffic(TrafficAccount::all_weights, Fusion::blocks)) << one.name;
      EXPECT_LT(traffic(TrafficAccount::full, Fusion::blocks),
                traffic(TrafficAccount::full, Fusion::products))
          << one.name;
    }
}

TEST(StepProperties, ANextStepSharesTheWeights) {
  // Of a model without experts a mixed step is its parts with the weights, and what goes with them,
  // once.
  for_plans(20, [](const Named& one, const StepPlan& plan, Draw& draw) {
    if (has_experts(one.model)) return;
    Requests first = draw.requests();
    Requests second = draw.requests();
    first.logits = second.logits = 1;
    const StepBounds both = bound(plan, std::vector{first, second}, a100());
    const StepBounds a = bounds_of(plan, first, a100());
    const StepBounds b = bounds_of(plan, second, a100());
    double once = 0;
    for (const Operation& operation : plan.operations())
      once += operation.weight_bytes +
              (plan.options().account == TrafficAccount::minimal ? 0 : operation.vector_bytes);
    if (plan.options().account == TrafficAccount::all_weights)
      once += in_byte(plan.beyond_operations());
    EXPECT_TRUE(within(in_byte(both.traffic), in_byte(a.traffic + b.traffic) - once, kRounding));
    EXPECT_TRUE(within(in_flop(both.work), in_flop(a.work + b.work), kRounding));
    EXPECT_TRUE(within(in_flop(both.executed), in_flop(a.executed + b.executed), kRounding));
  });
}

TEST(StepProperties, TheShareOfTheCacheIsThatOfTheBatch) {
  // B / (B + B_half), minimal account, no windows, no experts.
  Draw draw;
  for (const Named& one : bundled()) {
    if (has_experts(one.model) || has_windows(one.model)) continue;
    const StepPlan plan(one.model, draw.types(one.model), {});
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t batch = draw.size(5000);
      const std::uint64_t context = draw.size(200'000);
      const StepRoofs device = a100();
      const DecodeLimits limits =
          decode_limits(decode_law(plan, context, device), device.bandwidth, tflop_per_s(312));
      const ByClass classes = classes_of(plan, {decode(batch, context)}, device);
      const auto b = static_cast<double>(batch);
      const double traffic = in_byte(bounds_of(plan, decode(batch, context), device).traffic);
      EXPECT_TRUE(within(traffic_of(classes, StepClass::kv_read) / traffic,
                         b / (b + limits.half_saturation_batch.value_or(0)), kRounding))
          << one.name;
    }
  }
}

TEST(StepProperties, APeakMovesNothingWhereTrafficIsTheBound) {
  for_plans(40, [](const Named&, const StepPlan& plan, Draw& draw) {
    const StepRoofs device = draw.device();
    StepRoofs faster = device;
    for (const DType type : {DType::bf16, DType::int8})
      faster.peaks.set(type, device.peaks.of(type) * 2);
    const std::uint64_t batch = draw.size(300);
    const Requests requests = decode(batch, draw.size(10'000));
    const StepBounds b = bounds_of(plan, requests, device);
    const StepBounds doubled = bounds_of(plan, requests, faster);
    if (b.memory_bound()) {
      EXPECT_EQ(in_second(doubled.floor()), in_second(b.floor()));
      EXPECT_DOUBLE_EQ(mfu_ceiling(doubled, faster.peaks.of(plan.types().linear)),
                       mfu_ceiling(b, device.peaks.of(plan.types().linear)) / 2);
    } else {
      EXPECT_LT(in_second(doubled.floor()), in_second(b.floor()));
    }
  });
}

TEST(StepProperties, ExpectedExpertsAreBetweenTheLeastAndTheMostAndConcave) {
  Draw draw;
  for (int i = 0; i < 20'000; ++i) {
    const auto experts = static_cast<double>(draw.size(1024));
    const auto chosen = static_cast<double>(1 + draw.below(static_cast<std::uint64_t>(experts)));
    const auto tokens = static_cast<double>(draw.size(4e9));
    const auto u = [&](double t) { return expected_experts(experts, chosen, t); };
    EXPECT_GE(u(tokens), chosen * (1 - kRounding));
    EXPECT_LE(u(tokens), std::min(experts, tokens * chosen) * (1 + kRounding));
    EXPECT_GE(u(tokens + 1), u(tokens));
    EXPECT_LE(u(tokens + 2) - u(tokens + 1), u(tokens + 1) - u(tokens) + kRounding * experts);
    EXPECT_DOUBLE_EQ(u(1), chosen);
  }
}

/// Positions one by one: token j of a sequence (from 0) looks at itself and what came before.
double seen(const Span& span, std::uint64_t j) {
  switch (span.reach) {
    case Reach::full:
      return static_cast<double>(j + 1);
    case Reach::sliding:
      return static_cast<double>(std::min(j + 1, span.tokens));
    case Reach::chunked:
      break;
  }
  return static_cast<double>(j % span.tokens + 1);
}

TEST(StepProperties, PairsAreThoseOfTheTokensOneByOne) {
  Draw draw;
  for (int i = 0; i < 3000; ++i) {
    const Span span{draw.one_of({Reach::full, Reach::sliding, Reach::chunked}), draw.size(300)};
    const Requests request{1, draw.below(700), 2 + draw.below(500), 1, 0};
    double expected = 0;
    double full = 0;
    const std::uint64_t all = request.cached + request.fresh;
    for (std::uint64_t j = request.cached; j < all; ++j) {
      expected += seen(span, j);
      full += static_cast<double>(span.reach == Reach::full ? all : std::min(all, span.tokens));
    }
    EXPECT_EQ(pairs(span, request, Pairs::causal), expected);
    EXPECT_EQ(pairs(span, request, Pairs::full), full);
    EXPECT_LE(expected, full);
  }
}

}  // namespace
}  // namespace roofline::model::test
