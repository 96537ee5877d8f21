// MFU, HFU and training time as published, each under the convention and over the peak that its
// source used; and what holds of every model.
#include <gtest/gtest.h>

#include "model/support.hpp"
#include "model/training_use.hpp"

namespace roofline::model::test {
namespace {

using enum TrainingConvention;

Architecture gpt(std::uint64_t hidden, std::uint64_t layers, std::uint64_t vocabulary,
                 std::uint64_t positions) {
  return read({{"model_type", "gpt2"},
               {"n_embd", hidden},
               {"n_layer", layers},
               {"n_head", hidden / 128},
               {"n_positions", positions},
               {"vocab_size", vocabulary},
               {"torch_dtype", "bfloat16"}});
}

struct Use {
  double mfu;
  double hfu;
};

Use use_of(const TrainingWork& work, TokenRate rate, Performance peak) {
  const TrainingSpeed speed = training_speed(work, rate);
  return {100 * (speed.achieved / peak), 100 * (speed.executed / peak)};
}

constexpr Performance a100 = tflop_per_s(312);
constexpr double days = 86'400;

TEST(TrainingWorked, W23_DaysOf70BBy6N) {
  const TrainingWork work = six_n_work(70e9, Recompute::none);
  const Performance peak = tflop_per_s(990);
  const Seconds time = training_time(15e12, 4096, rate_achieving(work, 0.45 * peak));
  EXPECT_NEAR(in_second(time) / days, 39.96, 0.005);
}

TEST(TrainingWorked, W24_MfuOfDeviceHoursBy6N) {
  const TrainingWork work = six_n_work(37e9, Recompute::none);
  const TokenRate rate = rate_of_budget(14.8e12, second(2.79e6 * 3600));
  EXPECT_NEAR(use_of(work, rate, flop_per_s(1.513e15)).mfu, 21.6, 0.05);
}

TEST(TrainingWorked, W30_PalmByItsOwnConvention) {
  // 540.35e9 parameters: one norm a layer, one KV head, a gated MLP, tied.
  const Architecture model = read({{"model_type", "cohere"},
                                   {"hidden_size", 18'432},
                                   {"num_hidden_layers", 118},
                                   {"num_attention_heads", 48},
                                   {"num_key_value_heads", 1},
                                   {"head_dim", 256},
                                   {"intermediate_size", 73'728},
                                   {"vocab_size", 256'000}});
  EXPECT_NEAR(count_parameters(model).active.as_double(), 540.35e9, 0.01e9);
  const TokenRate rate = tokens_per_s(238'300.0 / 6144);
  const Performance peak = tflop_per_s(275);
  EXPECT_NEAR(use_of(training_work(model, {.sequence = 2048, .convention = palm}), rate, peak).mfu,
              46.23, 0.01);
  const TrainingWork bare = training_work(
      model, {.sequence = 2048, .convention = palm, .attention = TrainingAttention::none});
  EXPECT_NEAR(use_of(bare, rate, peak).mfu, 45.73, 0.01);
}

struct Iteration {
  std::uint64_t hidden, layers, batch, devices;
  double seconds, mfu, hfu;
};

void expect_korthikanti(const Iteration& in) {
  const TrainingWork work = training_work(
      gpt(in.hidden, in.layers, 51'200, 2048),
      {.sequence = 2048, .convention = korthikanti, .recompute = Recompute::selective});
  const double tokens = static_cast<double>(in.batch) * 2048;
  const Use use = use_of(work, rate_of_step(tokens, in.devices, second(in.seconds)), a100);
  EXPECT_NEAR(use.mfu, in.mfu, 0.006);
  EXPECT_NEAR(use.hfu, in.hfu, 0.006);
}

TEST(TrainingWorked, W31_Korthikanti22B) {
  expect_korthikanti({6144, 48, 4, 8, 1.10, 41.65, 43.81});
}
TEST(TrainingWorked, W32_Korthikanti175B) {
  expect_korthikanti({12'288, 96, 64, 64, 13.75, 51.39, 52.77});
}
TEST(TrainingWorked, W33_Korthikanti1T) {
  expect_korthikanti({25'600, 128, 512, 512, 71.49, 56.27, 57.01});
}

TEST(TrainingWorked, W34_MegatronTrillionWithFullRecompute) {
  const Architecture model = gpt(25'600, 128, 51'200, 2048);
  EXPECT_NEAR(count_parameters(model).total.as_double(), 1008.04e9, 0.005e9);
  // 96 B s L h^2 (1 + s/6h + V/16Lh)
  const TrainingWork work = training_work(
      model, {.sequence = 2048, .convention = korthikanti, .recompute = Recompute::full});
  const double tokens = 3072.0 * 2048;
  EXPECT_NEAR(in_flop(work.hardware()) * tokens, 5.139e19, 0.0005e19);
  const TokenRate rate = rate_executing(work, tflop_per_s(163));
  EXPECT_NEAR(in_second(training_time(tokens, 3072, rate)), 102.6, 0.05);
  EXPECT_NEAR(use_of(work, rate, a100).hfu, 52.2, 0.05);
}

TEST(TrainingWorked, W35_DaysByEightNWithFullRecompute) {
  const auto time = [](double parameters, double tokens, std::uint64_t devices, double tflop) {
    const TrainingWork work = six_n_work(parameters, Recompute::full);
    EXPECT_NEAR(in_flop(work.hardware()) / (8 * parameters), 1, 1e-12);
    return in_second(training_time(tokens, devices, rate_executing(work, tflop_per_s(tflop)))) /
           days;
  };
  EXPECT_NEAR(time(175e9, 300e9, 1024, 140), 33.9, 0.05);
  EXPECT_NEAR(time(1e12, 450e9, 3072, 163), 83.2, 0.05);
}

TEST(TrainingWorked, W36_MfuOfAnAchievedRate) {
  const TrainingWork work = training_work(read(config("llama-3.1-405b")), {.sequence = 8192});
  const auto mfu = [&](double tflop) {
    return use_of(work, rate_achieving(work, tflop_per_s(tflop)), tflop_per_s(989)).mfu;
  };
  EXPECT_NEAR(mfu(430), 43.5, 0.05);
  EXPECT_NEAR(mfu(400), 40.4, 0.05);
  EXPECT_NEAR(mfu(380), 38.4, 0.05);
}

TEST(TrainingWorked, W37_MfuScalesWithThroughput) {
  const TrainingWork work =
      training_work(gpt(12'288, 96, 64'000, 2048), {.sequence = 2048, .convention = korthikanti});
  const TokenRate fast = rate_achieving(work, 0.552 * a100);
  EXPECT_NEAR(use_of(work, fast, a100).mfu, 55.2, 1e-9);
  EXPECT_NEAR(use_of(work, fast / 1.34, a100).mfu, 41.2, 0.05);
}

TEST(TrainingWorked, W38_LlmFoundry70BByPalm) {
  const Architecture model = gpt(8192, 80, 50'368, 2048);
  EXPECT_EQ(count_parameters(model).total.value(), 64'862'437'376);
  const TrainingWork work =
      training_work(model, {.sequence = 2048, .convention = palm, .recompute = Recompute::full});
  // Theirs counts the 2048 learned positions in N: 0.03 % more.
  const Use use = use_of(work, tokens_per_s(1007), tflop_per_s(989.5));
  EXPECT_NEAR(use.mfu, 41.24, 0.015);
  EXPECT_NEAR(use.hfu, 54.99, 0.02);
}

/// nanoGPT leaves every bias out.
Architecture nano_gpt() {
  Architecture model = read(config("gpt2"));
  model.norm = NormForm::layer_without_bias;
  for (LayerKind& kind : model.layers) {
    kind.layer.attention->qkv_bias = kind.layer.attention->output_bias = false;
    std::get<Mlp>(kind.layer.feed_forward).bias = false;
  }
  return model;
}

TEST(TrainingWorked, W39_NanoGptExactAndPalm) {
  const Architecture model = nano_gpt();
  EXPECT_EQ(count_parameters(model).total.value(), 124'337'664U);
  const TrainingWork work =
      training_work(model, {.sequence = 1024, .attention = TrainingAttention::full});
  EXPECT_EQ(in_flop(work.model()) * 1024, 874'944'921'600);
  const TrainingWork formula = training_work(model, {.sequence = 1024, .convention = palm});
  EXPECT_EQ(in_flop(formula.model()) * 1024, 875'062'886'400);
  const TokenRate rate = rate_of_step(100 * 1024, 1, second(0.755));
  EXPECT_NEAR(use_of(work, rate, a100).mfu, 37.14, 0.005);
}

// ---- by hand ----

double part(const TrainingWork& work, std::string_view id, bool hardware = false) {
  for (const TrainingPart& one : work.parts) {
    if (one.id == id) return in_flop(hardware ? one.hardware : one.model);
  }
  return -1;
}

TEST(TrainingWork, ASmallModelByHand) {
  // A layer of small(): query 8 x 8, key and value 4 x 8 each, output 8 x 8, an MLP of 3 x 8 x 6:
  // 336 weights. A pair is 2 x 2 heads x (4 + 4) = 32 FLOP; 5 tokens have 15 pairs, 25 in full.
  const Architecture model = read(small());
  const TrainingWork work = training_work(model, {.sequence = 5});
  EXPECT_EQ(part(work, "layers"), 6 * 2 * 336);
  EXPECT_DOUBLE_EQ(part(work, "attention"), 3 * 2 * 32 * 15 / 5.0);
  EXPECT_EQ(part(work, "head"), 6 * 80);
  EXPECT_EQ(work.model(), work.hardware());
  const TrainingWork full =
      training_work(model, {.sequence = 5, .attention = TrainingAttention::full});
  EXPECT_DOUBLE_EQ(part(full, "attention"), 3 * 2 * 32 * 25 / 5.0);
  const TrainingWork bare =
      training_work(model, {.sequence = 5, .attention = TrainingAttention::none, .head = false});
  EXPECT_EQ(in_flop(bare.model()), 6 * 2 * 336);
}

TEST(TrainingWork, RecomputationByHand) {
  const Architecture model = read(small());
  const TrainingWork selective =
      training_work(model, {.sequence = 5, .recompute = Recompute::selective});
  EXPECT_DOUBLE_EQ(part(selective, "attention", true), 4 * 2 * 32 * 15 / 5.0);
  EXPECT_EQ(part(selective, "layers", true), 6 * 2 * 336);
  const TrainingWork full = training_work(model, {.sequence = 5, .recompute = Recompute::full});
  EXPECT_DOUBLE_EQ(part(full, "attention", true), 4 * 2 * 32 * 15 / 5.0);
  EXPECT_EQ(part(full, "layers", true), 8 * 2 * 336);
  EXPECT_EQ(part(full, "head", true), 6 * 80);
  const TrainingWork flash = training_work(model, {.sequence = 5, .flash_attention = true});
  EXPECT_DOUBLE_EQ(part(flash, "attention", true), 3.5 * 2 * 32 * 15 / 5.0);
  EXPECT_EQ(flash.model(), training_work(model, {.sequence = 5}).model());
  EXPECT_DOUBLE_EQ(mfu_ceiling(full), full.model() / full.hardware());
}

TEST(TrainingWork, WindowsAndChunksEndTheView) {
  Architecture model = read(small());
  model.layers.front().layer.attention->span = {Reach::sliding, 2};
  // 5 tokens see 1, 2, 2, 2, 2.
  EXPECT_DOUBLE_EQ(part(training_work(model, {.sequence = 5}), "attention"), 3 * 2 * 32 * 9 / 5.0);
  model.layers.front().layer.attention->span = {Reach::chunked, 2};
  // 1, 2, 1, 2, 1.
  EXPECT_DOUBLE_EQ(part(training_work(model, {.sequence = 5}), "attention"), 3 * 2 * 32 * 7 / 5.0);
}

TEST(TrainingWork, LatentAttentionIsTrainedNaively) {
  const Architecture model = read(config("deepseek-v3"));
  const TrainingWork work = training_work(model, {.sequence = 4096});
  // 61 layers, 128 heads of 192 and 128, 4097 / 2 pairs a token.
  EXPECT_DOUBLE_EQ(part(work, "attention"), 3.0 * 61 * 2 * 128 * (192 + 128) * 2048.5);
  const double products = count_parameters(model).matmul_active.as_double();
  EXPECT_DOUBLE_EQ(part(work, "layers") + part(work, "head"), 6 * products);
}

TEST(TrainingWork, B034_TheMlpIsAsWideAsItSays) {
  Json narrow = config("llama-3.1-70b");
  narrow["intermediate_size"] = 28'671;
  const auto layers = [](const Json& json) {
    return part(training_work(read(json), {.sequence = 1}), "layers");
  };
  // Forward and of one layer; 28672 columns of three matrices.
  const double column = (layers(config("llama-3.1-70b")) - layers(narrow)) / 3 / 80;
  EXPECT_EQ(column * 28'672, 1'409'286'144);
}

// ---- of every model ----

const char* const kModels[] = {"llama-3.1-8b", "gpt2",       "deepseek-v3",      "gemma-2-9b",
                               "gpt-oss-20b",  "falcon-40b", "mixtral-8x7b-v0.1"};

TEST(TrainingProperties, RecomputationNeverRunsLess) {
  for (const char* file : kModels) {
    const Architecture model = read(config(file));
    for (const auto convention : {exact, six_n, palm}) {
      for (const std::uint64_t sequence : {1U, 1000U, 8192U, 1'000'000U}) {
        Flops before;
        for (const Recompute recompute : recomputes()) {
          const TrainingWork work = training_work(
              model, {.sequence = sequence, .convention = convention, .recompute = recompute});
          EXPECT_GE(work.hardware(), work.model()) << file << ' ' << work.convention;
          EXPECT_GE(work.hardware(), before) << file << ' ' << work.convention;
          EXPECT_LE(mfu_ceiling(work), 1);
          EXPECT_GT(mfu_ceiling(work), 0.7);
          before = work.hardware();
          for (const TrainingPart& one : work.parts) EXPECT_GE(one.hardware, one.model) << one.id;
        }
      }
    }
  }
}

TEST(TrainingProperties, CausalPairsAreNeverMoreThanAll) {
  for (const char* file : kModels) {
    const Architecture model = read(config(file));
    for (const std::uint64_t sequence : {1U, 100U, 8192U, 1'000'000U}) {
      const auto attention = [&](TrainingAttention which) {
        return part(training_work(model, {.sequence = sequence, .attention = which}), "attention");
      };
      EXPECT_LE(attention(TrainingAttention::causal), attention(TrainingAttention::full)) << file;
      EXPECT_GT(attention(TrainingAttention::causal), 0) << file;
      EXPECT_EQ(attention(TrainingAttention::none), 0) << file;
      if (sequence == 1) {
        EXPECT_EQ(attention(TrainingAttention::causal), attention(TrainingAttention::full));
      }
    }
  }
}

std::string refused(const Architecture& model, const TrainingSetup& setup) {
  try {
    return "accepted: " + training_work(model, setup).convention;
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(TrainingWork, AFormulaRefusesWhatItDoesNotCount) {
  const Architecture llama = read(config("llama-3.1-8b"));
  const std::string why = refused(llama, {.sequence = 8192, .convention = korthikanti});
  EXPECT_TRUE(says(why, "korthikanti counts layers of 12 h^2 weights")) << why;
  EXPECT_TRUE(says(why, "Llama has fewer KV heads than query heads; use exact")) << why;
  EXPECT_TRUE(says(refused(read(config("llama-2-7b")), {.sequence = 1, .convention = korthikanti}),
                   "a gated MLP"));
  EXPECT_TRUE(says(refused(llama, {}), "exact needs the tokens of a sequence"));
  EXPECT_TRUE(says(refused(llama, {.convention = six_n}), "accepted: 6n"));
  EXPECT_TRUE(says(refused(llama, {.convention = six_n, .attention = TrainingAttention::full}),
                   "6n counts no attention"));
  EXPECT_TRUE(says(
      refused(llama, {.sequence = 5, .convention = palm, .attention = TrainingAttention::causal}),
      "use exact for causal pairs"));
  EXPECT_TRUE(says(refused(llama, {.sequence = 5, .embedding = false}), "no input embedding"));
  EXPECT_TRUE(says(refused(llama, {.sequence = 5, .convention = palm, .flash_attention = true}),
                   "FlashAttention"));
  EXPECT_TRUE(says(refused(llama, {.sequence = 1ULL << 40}), "is more than"));
}

TEST(TrainingWork, NCanLeaveTableAndHeadOut) {
  const auto n = [](const Architecture& model, bool embedding, bool head) {
    return in_flop(training_work(model, {.convention = six_n, .head = head, .embedding = embedding})
                       .model()) /
           6;
  };
  const Architecture llama = read(config("llama-3.1-8b"));
  const double table = 128'256.0 * 4096;
  EXPECT_EQ(n(llama, true, true), 8'030'261'248);
  EXPECT_EQ(n(llama, false, true), 8'030'261'248 - table);
  EXPECT_EQ(n(llama, false, false), 8'030'261'248 - 2 * table);
  // Of experts those that a token chooses; of a model with a vision tower the text model.
  EXPECT_EQ(n(read(config("mixtral-8x7b-v0.1")), true, true), 12'879'925'248);
  EXPECT_EQ(n(read(config("gemma-3-27b-it")), true, true), 27'009'346'304);
  // A tied table is the head, and leaves N once.
  const Architecture tied = read(config("llama-3.2-1b"));
  EXPECT_EQ(n(tied, false, true), 1'235'814'400);
  EXPECT_EQ(n(tied, false, false), 1'235'814'400 - 128'256.0 * 2048);
}

}  // namespace
}  // namespace roofline::model::test
