// `roofline explain` as a program: its keys, its numbers, its refusals.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

json explain(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "explain");
  arguments.emplace_back("--json");
  const auto run = roofline(arguments);
  EXPECT_EQ(run.status, 0) << run.err;
  return json::parse(run.out);
}

/// The A100 of the seed text, by its two figures.
std::vector<std::string> seed_a100(std::vector<std::string> arguments) {
  for (const char* word : {"--peak-flops", "bf16=312TFLOP/s", "--bandwidth", "2039GB/s"})
    arguments.emplace_back(word);
  return arguments;
}

TEST(Explain, HasEveryKeyOfTheContract) {
  const json out =
      explain({"--device", "a100-80gb-sxm", "--gemm", "4096x4096x4096", "--dtype", "bf16"});
  EXPECT_EQ(out.at("device").at("id"), "a100-80gb-sxm");
  EXPECT_EQ(out.at("dtype"), "bf16");
  EXPECT_EQ(out.at("work_flop").get<std::uint64_t>(), 137438953472U);
  EXPECT_EQ(out.at("traffic_byte").at("total").get<std::uint64_t>(), 3U * 4096 * 4096 * 2);
  EXPECT_EQ(out.at("traffic_byte").at("by_tensor").size(), 3U);
  EXPECT_NEAR(out.at("intensity_flop_per_byte").get<double>(), 4096.0 / 3, 1e-6);
  EXPECT_NEAR(out.at("ridge_flop_per_byte").get<double>(), 312e12 / 2039e9, 0.2);
  EXPECT_NEAR(out.at("ridge_distance").get<double>(), 8.92, 0.02);
  EXPECT_EQ(out.at("bound"), "compute");
  EXPECT_EQ(out.at("near_ridge"), false);
  EXPECT_EQ(out.at("ceiling_flop_per_s"), 312e12);
  EXPECT_EQ(out.at("mfu_ceiling"), 1.0);
  EXPECT_EQ(out.at("peak_flop_per_s"), 312e12);
  EXPECT_EQ(out.at("peak_origin"), "datasheet");
  EXPECT_NEAR(out.at("bandwidth_byte_per_s").get<double>(), 2039e9, 1e9);
  EXPECT_EQ(out.at("bandwidth_origin"), "datasheet");
  EXPECT_TRUE(out.contains("rows_to_ridge"));
  EXPECT_NE(out.at("convention").get<std::string>().find("FMA = 2"), std::string::npos);
  EXPECT_FALSE(out.contains("mfu") && !out.at("mfu").is_null()) << "nothing was observed";
}

TEST(Explain, SeedExerciseThreeAndItsRows) {
  const json out = explain({"--intensity", "12", "--dtype", "bf16", "--peak-flops", "240TFLOP/s",
                            "--bandwidth", "1.6TB/s"});
  EXPECT_NEAR(out.at("ridge_flop_per_byte").get<double>(), 150, 1e-9);
  EXPECT_NEAR(out.at("ceiling_flop_per_s").get<double>(), 19.2e12, 1);
  EXPECT_NEAR(out.at("mfu_ceiling").get<double>(), 0.08, 1e-12);
  const json rows = explain(seed_a100({"--matvec", "4096x4096", "--rows", "8", "--dtype", "bf16"}));
  EXPECT_NEAR(rows.at("rows_to_ridge").at("rows").get<double>(), 165.37, 0.01);
  EXPECT_EQ(rows.at("rows_to_ridge").at("first_integer"), 166);
}

TEST(Explain, AchievedGivesMfuVerdictAndItsDenominator) {
  const json out = explain(
      {"--device", "NVIDIA H100 80GB HBM3", "--dtype", "bf16", "--achieved", "324.5TFLOP/s"});
  EXPECT_NEAR(out.at("mfu").get<double>(), 0.328, 0.001);
  EXPECT_NEAR(out.at("peak_flop_per_s").get<double>(), 989.4e12, 1e12);
  EXPECT_EQ(out.at("impossible"), false);
  const json slow =
      explain(seed_a100({"--gemm", "4096x4096x4096", "--dtype", "bf16", "--time", "1ms"}));
  EXPECT_NEAR(slow.at("achieved_flop_per_s").get<double>(), 137.438953472e12, 1);
  EXPECT_EQ(slow.at("verdict"), "below_compute_roof");
}

TEST(Explain, B022_ImpossibleReadingIsFlaggedAndStrictFails) {
  const std::vector<std::string> reading{"explain", "--peak-flops", "bf16=312TFLOP/s", "--dtype",
                                         "bf16",    "--achieved",   "1200TFLOP/s",     "--json"};
  const auto run = roofline(reading);
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.err.find("385 %"), std::string::npos) << run.err;
  const json out = json::parse(run.out);
  EXPECT_NEAR(out.at("mfu").get<double>(), 3.846, 0.001);
  EXPECT_EQ(out.at("impossible"), true);
  EXPECT_EQ(out.at("above_roof"), true);
  EXPECT_EQ(out.at("verdict"), "impossible");
  EXPECT_FALSE(out.at("causes").empty());
  std::vector<std::string> strict = reading;
  strict.emplace_back("--strict");
  EXPECT_EQ(roofline(strict).status, 1);
}

TEST(Explain, B032_NoVerdictBeyondImpossible) {
  const json out =
      explain({"--device", "h100-80gb-sxm", "--dtype", "bf16", "--achieved", "3650TFLOP/s"});
  EXPECT_EQ(out.at("verdict"), "impossible");
  EXPECT_EQ(out.at("above_roof"), true);
}

TEST(Explain, B043_RatioNeverTravelsWithoutItsDenominator) {
  const json out = explain({"--device", "a100-80gb-sxm", "--gemm", "8192x8192x8192", "--dtype",
                            "bf16", "--achieved", "232TFLOP/s"});
  for (const char* key :
       {"achieved_flop_per_s", "peak_flop_per_s", "peak_origin", "peak_source", "dtype", "mfu"}) {
    EXPECT_TRUE(out.contains(key) && !out.at(key).is_null()) << key;
  }
  EXPECT_NEAR(out.at("mfu").get<double>(),
              out.at("achieved_flop_per_s").get<double>() / out.at("peak_flop_per_s").get<double>(),
              1e-12);
}

TEST(Explain, S18_RefusesTypesWithoutAnInstruction) {
  for (const char* dtype : {"fp8", "fp4"}) {
    const auto run = roofline(
        {"explain", "--device", "a100-80gb-sxm", "--gemm", "4096x4096x4096", "--dtype", dtype});
    EXPECT_EQ(run.status, 3) << dtype;
    EXPECT_NE(run.err.find("instruction"), std::string::npos) << run.err;
  }
  // Stored in 8 bits and computed in 16 is another thing.
  EXPECT_EQ(roofline({"explain", "--device", "a100-80gb-sxm", "--matvec", "4096x4096", "--dtype",
                      "bf16", "--weights", "fp8"})
                .status,
            0);
}

TEST(Explain, SparseOnlyWhenAskedForAndNamed) {
  const json out = explain(
      {"--device", "a100-80gb-sxm", "--gemm", "4096x4096x4096", "--dtype", "bf16", "--sparse"});
  EXPECT_EQ(out.at("peak_flop_per_s"), 624e12);
  EXPECT_EQ(out.at("peak_sparsity"), "sparse_2_4");
}

struct Refusal {
  const char* what;
  std::vector<std::string> arguments;
  int status;
  const char* names;  ///< what the sentence must name
};

TEST(Explain, BadInputGetsOneSentenceThatNamesIt) {
  const std::vector<std::string> a100{"--device", "a100-80gb-sxm"};
  const Refusal refusals[] = {
      {"unknown dtype", {"--gemm", "8x8x8", "--dtype", "bf17"}, 2, "--dtype"},
      {"negative size", {"--gemm", "4096x-1x7", "--dtype", "bf16"}, 2, "--gemm"},
      {"zero size", {"--gemm", "0x0x0"}, 2, "--gemm"},
      {"1e30 elements", {"--stream", "copy", "--elements", "1e30"}, 2, "--elements"},
      {"too many digits", {"--gemm", "99999999999999999999x1x1"}, 2, "--gemm"},
      {"64-bit overflow", {"--gemm", "4000000000x4000000000x4000000000"}, 2, "64 bits"},
      {"decimal comma", {"--gemm", "8x8x8", "--bandwidth", "1,5TB/s"}, 2, "--bandwidth"},
      {"NaN", {"--gemm", "8x8x8", "--achieved", "nanTFLOP/s"}, 2, "--achieved"},
      {"infinity", {"--gemm", "8x8x8", "--time", "infs"}, 2, "--time"},
      {"no unit", {"--gemm", "8x8x8", "--bandwidth", "2039"}, 2, "--bandwidth"},
      {"bits", {"--gemm", "8x8x8", "--bandwidth", "2039Gb/s"}, 2, "--bandwidth"},
      {"two operations", {"--gemm", "8x8x8", "--intensity", "3"}, 2, "--gemm"},
      {"no operation", {}, 2, "--gemm"},
      {"unknown option", {"--gem", "8x8x8"}, 2, "--gemm"},
      {"unknown boundary", {"--gemm", "8x8x8", "--boundary", "l9"}, 2, "--boundary"},
      {"boundary without a bandwidth", {"--gemm", "8x8x8", "--boundary", "l2"}, 2, "--bandwidth"},
      {"missing report",
       {"--gemm", "8x8x8", "--bandwidth", "measured:/nowhere/x.json"},
       4,
       "/nowhere/x.json"},
      {"unset variable as operation", {"--gemm", ""}, 2, "--gemm: the value is empty"},
      {"unset variable as time",
       {"--gemm", "8x8x8", "--time", ""},
       2,
       "--time: the value is empty"},
      {"unset variable as type",
       {"--gemm", "8x8x8", "--dtype", ""},
       2,
       "--dtype: the value is empty"},
      {"weights of a gemm",
       {"--gemm", "8x8x8", "--weights", "int4"},
       2,
       "--weights is for --matvec"},
      {"rows of a gemm", {"--gemm", "8x8x8", "--rows", "3"}, 2, "--rows"},
      {"batch of a matvec", {"--matvec", "8x8", "--batch", "3"}, 2, "--batch"},
      {"operations of a stream", {"--stream", "copy", "--ops", "3"}, 2, "--ops"},
      {"transposed kernel",
       {"--intensity", "3", "--dtype", "bf16", "--transpose-a"},
       2,
       "--transpose-a"},
      {"bits of no scale", {"--matvec", "8x8", "--scale-bits", "8"}, 2, "--scale-group"},
      {"tile across DRAM", {"--gemm", "8x8x8", "--tile", "64x64"}, 2, "--boundary"},
      {"one peak twice",
       {"--gemm", "8x8x8", "--peak-flops", "bf16=1TFLOP/s", "--peak-flops", "bf16=2TFLOP/s"},
       2,
       "--peak-flops"},
      {"two ways to a peak",
       {"--gemm", "8x8x8", "--peak", "derived", "--peak-flops", "2TFLOP/s"},
       2,
       "--peak"},
      {"one option twice", {"--gemm", "8x8x8", "--gemm", "9x9x9"}, 2, "--gemm is there twice"},
      {"no value", {"--gemm"}, 2, "--gemm needs a value"},
  };
  for (const Refusal& refusal : refusals) {
    std::vector<std::string> arguments{"explain"};
    arguments.insert(arguments.end(), a100.begin(), a100.end());
    arguments.insert(arguments.end(), refusal.arguments.begin(), refusal.arguments.end());
    const auto run = roofline(arguments);
    EXPECT_EQ(run.status, refusal.status) << refusal.what << ": " << run.err;
    EXPECT_NE(run.err.find(refusal.names), std::string::npos) << refusal.what << ": " << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1)
        << refusal.what << ": " << run.err;
    EXPECT_TRUE(run.out.empty()) << refusal.what << ": " << run.out;
  }
}

TEST(Explain, TheCpuIsMeasuredAndNotLookedUp) {
  const auto run = roofline({"explain", "--device", "cpu", "--gemm", "8x8x8"});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.err.find("measured:FILE"), std::string::npos) << run.err;
}

TEST(Explain, TooMuchExecutedWorkIsNamedByItsOwnRatio) {
  // 1e18 FLOP in 1 ms is 1e21 FLOP/s, 3.2e6 times 312 TFLOP/s; the useful work alone is far below
  // its ceiling.
  const auto run = roofline({"explain", "--device", "a100-80gb-sxm", "--gemm", "64x64x64",
                             "--dtype", "bf16", "--time", "1ms", "--executed-flop", "1e18"});
  EXPECT_NE(run.err.find("HFU"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("of its ceiling"), std::string::npos) << run.err;
}

TEST(Explain, UnknownAndAmbiguousDevicesNameWhatIsNear) {
  const auto unknown = roofline({"explain", "--device", "h10", "--gemm", "8x8x8"});
  EXPECT_EQ(unknown.status, 3);
  EXPECT_NE(unknown.err.find("h100"), std::string::npos) << unknown.err;
  const auto ambiguous = roofline({"explain", "--device", "A100", "--gemm", "8x8x8"});
  EXPECT_EQ(ambiguous.status, 2);
  EXPECT_NE(ambiguous.err.find("a100-80gb-sxm"), std::string::npos) << ambiguous.err;
  const auto other = roofline({"explain", "--device", "NVIDIA RTX A1000", "--gemm", "8x8x8"});
  EXPECT_EQ(other.status, 3) << "an A1000 is no A100";
}

TEST(Explain, ConfigDirOverridesADevice) {
  const TemporaryFolder folder;
  folder.write("accelerators/broken.json", R"({"id": "broken"})");
  const auto run = roofline(
      {"explain", "--config-dir", folder.path(""), "--device", "broken", "--gemm", "8x8x8"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("broken.json"), std::string::npos) << run.err;
  // An override under a name that is not its id would otherwise be passed over without a word.
  const TemporaryFolder misnamed;
  misnamed.write("accelerators/h200.json", R"({"id": "h200-141gb-sxm"})");
  const auto passed_over = roofline({"explain", "--config-dir", misnamed.path(""), "--device",
                                     "h200-141gb-sxm", "--gemm", "8x8x8"});
  EXPECT_EQ(passed_over.status, 2);
  EXPECT_NE(passed_over.err.find("h200.json"), std::string::npos) << passed_over.err;
  EXPECT_EQ(
      roofline({"explain", "--config-dir", "/nowhere", "--device", "l4", "--gemm", "8x8x8"}).status,
      4);
}

TEST(Explain, TextShowsTheFourSteps) {
  const auto run = roofline(
      {"explain", "--device", "a100-80gb-sxm", "--gemm", "4096x4096x4096", "--dtype", "bf16"});
  EXPECT_EQ(run.status, 0);
  for (const char* word :
       {"137 GFLOP", "101 MB", "153 FLOP/byte", "compute", "312 TFLOP/s", "datasheet"}) {
    EXPECT_NE(run.out.find(word), std::string::npos) << word << " in\n" << run.out;
  }
}

TEST(Explain, LocaleDoesNotMatter) {
  const RunOptions german{
      .environment = {{"LC_ALL", "de_DE.UTF-8"}, {"LC_NUMERIC", "de_DE.UTF-8"}}};
  const std::vector<std::string> call{"explain", "--device",    "l4",
                                      "--gemm",  "8x4096x4096", "--json"};
  EXPECT_EQ(roofline(call, german).out, roofline(call).out);
}

}  // namespace
}  // namespace roofline::test
