// `roofline gemm` on simulated GPUs, end to end: what an A100 and an H200 can and can't multiply,
// sweeps that hold their budget, and how everything that can go wrong with the library ends.
#include "gpu_machine.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

constexpr const char* kA100 = "device a100-80gb memory=64MiB l2=256KiB\n";
constexpr const char* kH200 = "device h200 memory=64MiB l2=256KiB\n";

/// Products alone, sampled briefly: their peaks are rated, and the roofs of memory are other
/// tests'.
std::string suite(const std::string& points) {
  return R"({"name":"products",
    "sampling":{"warm_up_s":0.002,"sample_s":0.001,"budget_s":0.01,"min_samples":3},"points":[)" +
         points + "]}";
}

const json& point(const json& report, const std::string& id) {
  for (const json& one : report.at("points")) {
    if (one.at("id") == id) return one;
  }
  ADD_FAILURE() << "there is no point " << id;
  static const json none;
  return none;
}

void expect_measured(const json& report, const std::string& id) {
  const json& one = point(report, id);
  ASSERT_EQ(one.at("outcome"), "measured") << id << ": " << one.dump(1);
  EXPECT_EQ(one.at("verification").at("state"), "verified") << id;
  if (id.starts_with("gemm/")) {
    EXPECT_GT(one.at("achieved_flop_per_s").get<double>(), 0) << id;
  }
}

std::string reason(const json& report, const std::string& id) {
  const json& one = point(report, id);
  EXPECT_EQ(one.at("outcome"), "skipped") << id;
  return one.value("reason", "");
}

TEST(GpuGemm, AnA100RefusesFp8WithTheReasonAndAnH200MeasuresIt) {
  const std::string both = suite(R"({"kind":"gemm","dtype":["fp8","bf16"],"shape":"64x64x128"})");
  // The command, which measures its roofs as well: under sanitizers that takes minutes.
  const std::vector<std::string> command{"gemm",      "--dtype",  "fp8,bf16", "--shape",
                                         "64x64x128", "--budget", "20s"};
  const GpuMachine a100(kA100, both);
  EXPECT_EQ((kSanitized ? a100.run("cuda:0") : a100.measure(command)).status, 0);
  const json refused = a100.report();
  const std::string why = reason(refused, "gemm/fp8_e4m3/64x64x128");
  EXPECT_NE(why.find("8.9"), std::string::npos) << why;
  EXPECT_NE(why.find("8.0"), std::string::npos) << why;
  expect_measured(refused, "gemm/bf16/64x64x128");
  if (!kSanitized) expect_measured(refused, "launch/library");
  const GpuMachine h200(kH200, both);
  EXPECT_EQ(h200.run("cuda:0").status, 0);
  expect_measured(h200.report(), "gemm/fp8_e4m3/64x64x128");
  expect_measured(h200.report(), "gemm/bf16/64x64x128");
}

TEST(GpuGemm, EveryTypeIsHeldAgainstItsOwnPeak) {
  const GpuMachine machine(kA100, suite(R"({"kind":"gemm","shape":"128x128x256",
    "dtype":["fp64","fp32","tf32","fp16","bf16","int8"]})"));
  ASSERT_EQ(machine.run("cuda:0").status, 0);
  const json report = machine.report();
  // NVIDIA A100 data sheet, dense.
  const std::pair<const char*, double> peaks[] = {{"fp64", 19.5e12}, {"fp32", 19.5e12},
                                                  {"tf32", 156e12},  {"fp16", 312e12},
                                                  {"bf16", 312e12},  {"int8", 624e12}};
  for (const auto& [type, peak] : peaks) {
    const std::string id = std::string("gemm/") + type + "/128x128x256";
    expect_measured(report, id);
    const json& one = point(report, id);
    const double held = one.at("achieved_flop_per_s").get<double>() / one.at("mfu").get<double>();
    EXPECT_NEAR(held, peak, 0.01 * peak) << type << one.dump(1);
  }
}

TEST(GpuGemm, B114_Fp16AccumulationIsAPointOfItsOwn) {
  const GpuMachine machine("device h100 memory=64MiB l2=256KiB\n",
                           suite(R"({"kind":"gemm","dtype":"fp16","shape":"64x64x128"},
    {"kind":"gemm","dtype":"fp16","accumulate":"fp16","shape":"64x64x128"})"));
  ASSERT_EQ(machine.run("cuda:0").status, 0);
  const json report = machine.report();
  expect_measured(report, "gemm/fp16/64x64x128");
  expect_measured(report, "gemm/fp16-acc-fp16/64x64x128");
}

TEST(GpuGemm, B100_Fp8OfOddSizesEndsAsAValueOrWithAReason) {
  const GpuMachine machine(kH200, suite(R"({"kind":"gemm","dtype":"fp8",
    "shape":["63x64x64","64x63x64","64x64x63","64x64x64"]})"));
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  expect_measured(report, "gemm/fp8_e4m3/64x64x64");
  expect_measured(report, "gemm/fp8_e4m3/63x64x64");
  EXPECT_EQ(point(report, "gemm/fp8_e4m3/63x64x64").at("implementation").at("padded_m"), 64);
  for (const char* id : {"gemm/fp8_e4m3/64x63x64", "gemm/fp8_e4m3/64x64x63"})
    EXPECT_NE(reason(report, id).find("multiples of 16"), std::string::npos);
}

TEST(GpuGemm, B102_Int8OfOddSizesIsSkippedAndTheRestInOperationsPerSecond) {
  const GpuMachine machine(kA100, suite(R"({"kind":"gemm","dtype":"int8",
    "shape":["2x3x4","30x30x30","32x32x32"]})"));
  const auto run = machine.run("cuda:0");
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  EXPECT_NE(reason(report, "gemm/int8/2x3x4").find("multiples of 4"), std::string::npos);
  EXPECT_NE(reason(report, "gemm/int8/30x30x30").find("n = 32, k = 32"), std::string::npos);
  expect_measured(report, "gemm/int8/32x32x32");
}

TEST(GpuGemm, B103_NoAlgorithmIsAReasonAndNoZero) {
  const GpuMachine machine(std::string(kH200) + "cublaslt no_algorithm fp8_e4m3\n",
                           suite(R"({"kind":"gemm","dtype":["fp8","bf16"],"shape":"64x64x64"})"));
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  const std::string why = reason(report, "gemm/fp8_e4m3/64x64x64");
  EXPECT_NE(why.find("cublasLtMatmulAlgoGetHeuristic"), std::string::npos) << why;
  EXPECT_EQ(why.find("multiple"), std::string::npos) << "its sizes are: " << why;
  EXPECT_TRUE(
      point(report, "gemm/fp8_e4m3/64x64x64").value("achieved_flop_per_s", json()).is_null());
  expect_measured(report, "gemm/bf16/64x64x64");
}

TEST(GpuGemm, ARefusalNamesTheSizeThatIsNotAligned) {
  const GpuMachine machine(std::string(kH200) + "cublaslt no_algorithm bf16\n",
                           suite(R"({"kind":"gemm","dtype":"bf16","shape":"64x64x100"})"));
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 3) << "it was all that was asked for: " << run.err;
  const std::string why = reason(machine.report(), "gemm/bf16/64x64x100");
  EXPECT_NE(why.find("k = 100 makes rows of 200 bytes, no multiple of 16"), std::string::npos)
      << why;
}

TEST(GpuGemm, B115_WhatDoesNotFitIsSkippedWithBytesAndTheSweepGoesOn) {
  const GpuMachine machine(kA100, suite(R"({"kind":"gemm","dtype":"bf16",
    "shape":["128x128x128","256x256x256","1000000x1000000x1000000"]})"));
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  expect_measured(report, "gemm/bf16/128x128x128");
  expect_measured(report, "gemm/bf16/256x256x256");
  const std::string why = reason(report, "gemm/bf16/1000000x1000000x1000000");
  EXPECT_NE(why.find("6.0 TB"), std::string::npos) << why;
  EXPECT_NE(why.find("may be used"), std::string::npos) << why;
}

TEST(GpuGemm, B107_SizesBeyond31BitsAreExact) {
  const GpuMachine machine(kA100);
  const auto run = machine.measure(
      {"gemm", "--dtype", "bf16", "--shape", "46341x46341x46341,65536x65536x65536"});
  EXPECT_EQ(run.status, 3) << "none of what was asked for can run: " << run.err;
  const json report = machine.report();
  const json& large = point(report, "gemm/bf16/65536x65536x65536");
  EXPECT_EQ(large.at("work_flop").get<double>(), 562'949'953'421'312.0) << large.dump(1);
  const json& odd = point(report, "gemm/bf16/46341x46341x46341");
  EXPECT_NE(odd.at("reason").get<std::string>().find("12.9 GB"), std::string::npos)
      << odd.at("reason");
}

TEST(GpuGemm, B116_DecodeOfFp8CountsTheRealRows) {
  const GpuMachine machine(kH200, suite(R"({"kind":"gemm","dtype":"fp8","shape":"1x4096x4096"})"));
  ASSERT_EQ(machine.run("cuda:0").status, 0);
  const json report = machine.report();
  const json& one = point(report, "gemm/fp8_e4m3/1x4096x4096");
  ASSERT_EQ(one.at("outcome"), "measured") << one.dump(1);
  EXPECT_EQ(one.at("work_flop").get<double>(), 33'554'432.0);
  EXPECT_EQ(one.at("implementation").at("padded_m"), 16);
  // A, B and C as they are: 4096 + 4096 x 4096 + 2 x 4096 byte.
  EXPECT_EQ(one.at("traffic_byte").at("total").get<double>(), 16'789'504.0) << one.dump(1);
}

TEST(GpuGemm, B111_ALayoutIsPartOfWhatAPointIs) {
  const GpuMachine machine(kA100, suite(R"({"kind":"gemm","dtype":"fp16","shape":"1x512x512"},
    {"kind":"gemm","dtype":"fp16","shape":"1x512x512","transpose_b":true})"));
  ASSERT_EQ(machine.run("cuda:0").status, 0);
  const json report = machine.report();
  expect_measured(report, "gemm/fp16/1x512x512");
  expect_measured(report, "gemm/fp16/1x512x512_tB");
}

/// m = 1, 2, 4 ... 8192 for each of seven types, with nothing but products in the sweep: a
/// simulated stream takes the host longer than its share of a budget.
TEST(GpuGemm, ASweepOf98PointsHoldsItsBudgetAndSaysWhatItLeftOut) {
  if (kSanitized) GTEST_SKIP() << "minutes of computing";
  std::string shapes;
  for (unsigned m = 1; m <= 8192; m *= 2)
    shapes += (m == 1 ? "\"" : ",\"") + std::to_string(m) + "x128x128\"";
  const GpuMachine machine(
      "device h200 memory=256MiB l2=1MiB\n",
      suite(
          R"({"kind":"gemm","dtype":["bf16","fp16","tf32","fp32","fp64","int8","fp8"],"shape":[)" +
          shapes + "]}"));
  constexpr double kBudget_s = 2;
  const auto run = machine.run("cuda:0", {"--budget", "2s"});
  const json report = machine.report();
  ASSERT_EQ(report.at("points").size(), 98U);
  // A point that was begun is ended; other programs may have the CPU meanwhile.
  EXPECT_LT(report.at("run").at("duration_s").get<double>(), 3 * kBudget_s);
  std::size_t left_out = 0;
  for (const json& one : report.at("points")) {
    if (one.at("outcome") == "measured") {
      EXPECT_EQ(one.at("verification").at("state"), "verified") << one.at("id");
      continue;
    }
    ++left_out;
    EXPECT_EQ(one.at("outcome"), "skipped") << one.at("id");
    EXPECT_NE(one.at("reason").get<std::string>().find("budget"), std::string::npos)
        << one.at("id") << one.at("reason");
  }
  EXPECT_LT(left_out, 98U);
  EXPECT_EQ(report.at("run").at("end"), left_out > 0 ? "budget_spent" : "completed");
  EXPECT_TRUE(run.status == 0 || run.status == 5) << run.err;
}

TEST(GpuGemm, AlgorithmsAreChosenAsAskedFor) {
  const GpuMachine machine(kA100,
                           suite(R"({"kind":"gemm","dtype":"bf16","shape":"480x640x2048"})"));
  ASSERT_EQ(machine.run("cuda:0").status, 0);
  const json of_best = machine.report();
  const json& best = point(of_best, "gemm/bf16/480x640x2048");
  EXPECT_EQ(best.at("implementation").at("algo_of"), "best");
  ASSERT_EQ(machine.run("cuda:0", {"--algo", "first"}).status, 0);
  const json of_first = machine.report();
  const json& first = point(of_first, "gemm/bf16/480x640x2048");
  EXPECT_EQ(first.at("implementation").at("algo_of"), "first");
  EXPECT_LT(best.at("time_median_s").get<double>(), first.at("time_median_s").get<double>());
  const auto wrong = machine.run("cuda:0", {"--algo", "fastest"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_NE(wrong.err.find("use first or best"), std::string::npos) << wrong.err;
  EXPECT_EQ(machine.tool({"gemm", "--device", "cpu", "--algo", "best"}).status, 2);
}

TEST(GpuGemm, ARunWithEmptyCallsGoesOnWhereItStood) {
  const GpuMachine machine(kA100, suite(R"({"kind":"launch","path":"library"},
    {"kind":"gemm","dtype":"bf16","shape":["64x64x128","128x64x128"]})"));
  // As much as to be told what is left.
  ASSERT_EQ(machine.run("cuda:0", {"--budget", "1ms"}).status, 5);
  const auto rest = machine.run("cuda:0", {"--resume", machine.output()});
  ASSERT_EQ(rest.status, 0) << rest.err;
  EXPECT_EQ(count(machine.report(), "measured"), 3U);
  // All is done, the empty call by the library's first suggestion.
  const auto again = machine.run("cuda:0", {"--resume", machine.output()});
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_NE(again.err.find("3 points are done"), std::string::npos) << again.err;
  const auto other = machine.run("cuda:0", {"--resume", machine.output(), "--algo", "first"});
  EXPECT_EQ(other.status, 5);
  EXPECT_NE(other.err.find("can't be mixed"), std::string::npos) << other.err;
}

// ---- the library ----

TEST(GpuGemm, WithoutTheLibraryEverythingElseIsMeasured) {
  GpuMachine machine(kA100, R"({"name":"mixed",
    "sampling":{"warm_up_s":0.005,"sample_s":0.002,"budget_s":0.02,"min_samples":3},
    "points":[{"kind":"stream","stream":"copy","dtype":"fp32"},
              {"kind":"launch","path":["kernel","library"]},
              {"kind":"gemm","dtype":"bf16","shape":"64x64x64"}]})");
  machine.set("ROOFLINE_CUBLASLT", "/nowhere/libcublasLt.so.13");
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  for (const char* id : {"gemm/bf16/64x64x64", "launch/library"}) {
    const std::string why = reason(report, id);
    EXPECT_NE(why.find("/nowhere/libcublasLt.so.13"), std::string::npos) << why;
    EXPECT_NE(why.find("--libcublaslt"), std::string::npos) << why;
  }
  EXPECT_EQ(count(report, "measured"), 2U) << reasons(report);
  // Named by the option, it is found.
  EXPECT_EQ(
      machine.run("cuda:0", {"--libcublaslt", FAKEGPU_FOLDER "/old/libcublasLt.so.12"}).status, 0);
  expect_measured(machine.report(), "gemm/bf16/64x64x64");
}

struct LtFault {
  const char* name;
  const char* fault;
  const char* said;
};

class GpuGemmFault : public testing::TestWithParam<LtFault> {};

TEST_P(GpuGemmFault, CostsProductsAndNothingElse) {
  const GpuMachine machine(std::string(kA100) + GetParam().fault + "\n", R"({"name":"mixed",
    "sampling":{"warm_up_s":0.005,"sample_s":0.002,"budget_s":0.02,"min_samples":3},
    "points":[{"kind":"stream","stream":["copy","triad"],"dtype":"fp32"},
              {"kind":"gemm","dtype":["bf16","fp32"],"shape":"64x64x64"},
              {"kind":"matvec","weights":"bf16","rows":1,"shape":"1024x2048"}]})");
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  EXPECT_EQ(report.at("run").at("end"), "completed");
  EXPECT_NE(reasons(report).find(GetParam().said), std::string::npos) << reasons(report);
  for (const char* id : {"stream/fp32/copy", "stream/fp32/triad"}) expect_measured(report, id);
  EXPECT_EQ(point(report, "gemm/fp32/64x64x64").at("outcome") == "measured", false);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, GpuGemmFault,
    testing::Values(LtFault{"NotInitialized", "fault cublasLtCreate every not_initialized",
                            "CUBLAS_STATUS_NOT_INITIALIZED"},
                    LtFault{"ExecutionFailed", "fault cublasLtMatmul every execution_failed",
                            "CUBLAS_STATUS_EXECUTION_FAILED"},
                    LtFault{"AllocFailed", "fault cublasLtCreate every alloc_failed",
                            "CUBLAS_STATUS_ALLOC_FAILED"},
                    LtFault{"NoAlgorithm", "cublaslt no_algorithm", "CUBLAS_STATUS_NOT_SUPPORTED"}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST(GpuGemm, PatternsAreFieldsAndPointsOfTheirOwn) {
  const GpuMachine machine(kA100, suite(R"({"kind":"gemm","dtype":"bf16","shape":"64x64x128",
    "data":["random","zeros","ones","integers"]})"));
  ASSERT_EQ(machine.run("cuda:0").status, 0);
  const json report = machine.report();
  for (const char* label : {"", "_zeros", "_ones", "_integers"})
    expect_measured(report, std::string("gemm/bf16/64x64x128") + label);
}

TEST(GpuGemm, ProjectionsOfManyRowsAreMeasured) {
  const GpuMachine machine(
      kA100, suite(R"({"kind":"matvec","weights":"bf16","rows":128,"shape":"256x512"})"));
  const auto run = machine.run("cuda:0");
  EXPECT_EQ(run.status, 0) << run.err;
  const json report = machine.report();
  ASSERT_EQ(report.at("points").size(), 1U);
  const json& one = report.at("points").at(0);
  expect_measured(report, one.at("id"));
  EXPECT_EQ(one.at("implementation").at("provider"), "cuBLASLt");
}

}  // namespace
}  // namespace roofline::test
