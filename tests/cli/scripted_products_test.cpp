// What the program says of a GPU's slow products, each cause on a scripted machine that has it and
// on one that has it not and is as slow. Figures are an A100's (80 GB, SXM): 108 SMs, 312 TFLOP/s
// dense bf16, 624 TOP/s int8, 156 tf32, 19.5 fp32, 2039 GB/s, 1.41 GHz, 400 W.
#include "scripted_diagnosis.hpp"

namespace roofline::test {
namespace {

constexpr const char* kMachine = R"(name "A100-like"
fact sm_count 108
fact power_limit_w 400
seed 11
memory 64GiB
clock 1.41GHz
peak fp32 19.5TFLOP/s
peak tf32 156TFLOP/s
peak bf16 312TFLOP/s
peak int8 624TOP/s
bandwidth dram 2039GB/s
point * noise=0.3%
)";

struct Product {
  const char* id;         ///< of the point
  const char* entry;      ///< of the suite, without its kind
  const char* behaviour;  ///< of the point in the script
};

struct Cause {
  const char* mode;
  Product with;
  Product without;  ///< as slow, or nearly so
};

const Product kPlain = {"gemm/bf16/8192x8192x8192", R"("dtype":"bf16","shape":"8192x8192x8192")",
                        "efficiency=40%"};

const Cause kCauses[] = {
    // W42 with whole tiles: 8 x 15 of the library's are 55.6 % of two waves.
    {"wave_quantisation",
     {"gemm/bf16/2048x1920x8192", R"("dtype":"bf16","shape":"2048x1920x8192")",
      "efficiency=50% fact.algo_tile=128x256 fact.split_k=1"},
     {"gemm/bf16/1792x1792x8192", R"("dtype":"bf16","shape":"1792x1792x8192")",
      "efficiency=50% fact.algo_tile=128x256 fact.split_k=1"}},
    // W41: a row too many. In three parts of k the 99 or 66 tiles fill their waves.
    {"tile_quantisation",
     {"gemm/bf16/257x4224x16384", R"("dtype":"bf16","shape":"257x4224x16384")",
      "efficiency=62% fact.algo_tile=128x128 fact.split_k=13"},
     {"gemm/bf16/256x4224x16384", R"("dtype":"bf16","shape":"256x4224x16384")",
      "efficiency=62% fact.algo_tile=128x128 fact.split_k=13"}},
    {"few_tiles",
     {"gemm/bf16/512x512x16384", R"("dtype":"bf16","shape":"512x512x16384")",
      "efficiency=14% fact.algo_tile=128x128 fact.split_k=1"},
     {"gemm/bf16/512x512x16384", R"("dtype":"bf16","shape":"512x512x16384")",
      "efficiency=14% fact.algo_tile=128x128 fact.split_k=6"}},
    // 8200 elements of 16 bits are 16 x 1025 bytes; 8196 lie 8 bytes off.
    {"awkward_shape",
     {"gemm/bf16/8192x8196x8192", R"("dtype":"bf16","shape":"8192x8196x8192")", "efficiency=40%"},
     kPlain},
    {"power_capped",
     {"gemm/bf16/8192x8192x8192", R"("dtype":"bf16","shape":"8192x8192x8192")",
      "efficiency=92% clock=0.95GHz power=400W clock_events=sw_power_cap"},
     {"gemm/bf16/8192x8192x8192", R"("dtype":"bf16","shape":"8192x8192x8192")",
      "efficiency=62% power=400W clock_events=sw_power_cap"}},
    {"clock_throttled",
     {"gemm/bf16/8192x8192x8192", R"("dtype":"bf16","shape":"8192x8192x8192")",
      "efficiency=92% clock=0.95GHz clock_events=hw_thermal"},
     kPlain},
    {"ordinary_units",
     {"gemm/int8/4096x4096x4096", R"("dtype":"int8","shape":"4096x4096x4096")", "efficiency=40%"},
     {"gemm/int8/4096x4096x4096_tB",
      R"("dtype":"int8","shape":"4096x4096x4096","transpose_b":true)", "efficiency=40%"}},
    {"ordinary_units",
     {"gemm/tf32/4096x4096x4096", R"("dtype":"tf32","shape":"4096x4096x4096")",
      "efficiency=30% fact.compute=32f"},
     {"gemm/tf32/4096x4096x4096", R"("dtype":"tf32","shape":"4096x4096x4096")",
      "efficiency=30% fact.compute=32f_fast_tf32"}},
};

/// Peaks of the suite and the product.
Diagnosed run(const Product& product) {
  return {std::string(kMachine) + "point gemm/* " + product.behaviour + "\n",
          std::string(R"({"kind":"peak","dtype":["int8","tf32"]},{"kind":"gemm",)") +
              product.entry + "}"};
}

TEST(ScriptedProducts, EachCauseIsNamedFirstAndNoOther) {
  for (const Cause& cause : kCauses) {
    const Diagnosed slow = run(cause.with);
    EXPECT_EQ(slow.first(cause.with.id), cause.mode) << cause.with.id;
    for (const Cause& other : kCauses) {
      if (std::string(other.mode) == cause.mode) continue;
      EXPECT_FALSE(slow.names(other.mode)) << other.mode << " beside " << cause.mode;
    }
  }
}

TEST(ScriptedProducts, WithoutTheCauseItIsNotNamed) {
  for (const Cause& cause : kCauses) {
    const Diagnosed near_miss = run(cause.without);
    EXPECT_FALSE(near_miss.names(cause.mode)) << cause.without.id;
    EXPECT_EQ(near_miss.first(cause.without.id), "kernel_choice") << cause.mode;
  }
}

TEST(ScriptedProducts, ZerosBesideRandomDataTellThePowerLimit) {
  const std::string both = R"({"kind":"gemm","dtype":"bf16","shape":"8192x8192x8192",
    "data":["random","zeros"]})";
  const std::string held =
      "point gemm/* efficiency=85%\npoint gemm/bf16/8192x8192x8192 clock=1.15GHz\n";
  const Diagnosed capped(kMachine + held, both);
  EXPECT_EQ(capped.first("gemm/bf16/8192x8192x8192"), "power_capped");
  EXPECT_EQ(capped.first("gemm/bf16/8192x8192x8192_zeros"), "nothing");
  // A kernel that is faster on zeros at the same clock, and zeros as slow as anything else.
  for (const char* other : {"point gemm/* efficiency=72%\npoint gemm/*_zeros efficiency=88%\n",
                            "point gemm/* efficiency=72%\n"}) {
    EXPECT_FALSE(Diagnosed(std::string(kMachine) + other, both).names("power_capped")) << other;
  }
}

TEST(ScriptedProducts, ALibrarysPoorFirstSuggestionIsAFinding) {
  const std::string points =
      R"({"kind":"gemm","dtype":"bf16","shape":["4096x4096x4096","8192x8192x8192"]})";
  const std::string loss = "point gemm/* efficiency=85% fact.first_suggestion_loss=";
  const Diagnosed poor(
      kMachine + loss + "0.01\npoint gemm/bf16/8192* fact.first_suggestion_loss=0.48\n", points);
  EXPECT_EQ(poor.finding(), "first_suggestion_slow");
  EXPECT_NE(
      poor.evidence().find("gemm/bf16/8192x8192x8192 the library's first suggestion takes 48 %"),
      std::string::npos)
      << poor.evidence();
  EXPECT_FALSE(Diagnosed(kMachine + loss + "0.04\n", points).names("first_suggestion_slow"));
}

TEST(ScriptedProducts, Fp32BesideATf32PeakIsAFindingAndNoFault) {
  const std::string peak = R"({"kind":"peak","dtype":"tf32"},)";
  const std::string product = R"({"kind":"gemm","dtype":"fp32","shape":"4096x4096x4096"})";
  const std::string fast = std::string(kMachine) + "point gemm/* efficiency=92%\n";
  const Diagnosed fp32(fast, peak + product);
  EXPECT_EQ(fp32.finding(), "fp32_not_tf32");
  EXPECT_EQ(fp32.first("gemm/fp32/4096x4096x4096"), "nothing");
  // Nothing is known of tf32 here.
  EXPECT_FALSE(Diagnosed(fast, product).names("fp32_not_tf32"));
}

}  // namespace
}  // namespace roofline::test
