// Commands that name what they want: the status is of that, not of the roofs measured beside it;
// options that contradict each other are refused; a dry run says what the run would.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

using Called = Run;  // testing::Test has a Run of its own

constexpr const char* kQuiet = R"(name "Toy"
seed 7
peak fp32 2TFLOP/s
peak bf16 8TFLOP/s
bandwidth dram 200GB/s
overhead kernel 4us
overhead library 6us
)";

class Asked : public testing::Test {
 protected:
  Called on(const std::string& machine, std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(),
                     {"--backend", "scripted:" + folder_.write("machine.script", machine)});
    return roofline(arguments);
  }
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.path(name); }
  [[nodiscard]] std::string read(const std::string& name) const { return folder_.read(name); }
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    return folder_.write(name, text);
  }

 private:
  TemporaryFolder folder_;
};

using WhatWasAsked = Asked;

TEST_F(WhatWasAsked, FailedIsNoResultThoughItsRoofsAre) {
  const std::vector<std::string> products{"gemm", "--dtype", "bf16", "--shape", "512x512x512"};
  for (const char* how :
       {"point gemm/* failure=\"out of luck\"\n", "point gemm/* incorrect=\"wrong\"\n"}) {
    const Called run = on(std::string(kQuiet) + how, products);
    EXPECT_EQ(run.status, 5) << how << run.err;
    EXPECT_NE(run.err.find("no point that was asked for"), std::string::npos) << run.err;
  }
  EXPECT_EQ(on(kQuiet, products).status, 0);
}

TEST_F(WhatWasAsked, OneOfSeveralIsAResult) {
  const Called run = on(std::string(kQuiet) + "point gemm/*/512x512x512 failure=\"out of luck\"\n",
                        {"gemm", "--dtype", "bf16", "--shape", "512x512x512,256x256x256"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("of the points 1 failed"), std::string::npos) << run.err;
}

TEST_F(WhatWasAsked, ADryRunEndsWithTheStatusOfNothingToRun) {
  const std::vector<std::string> fp8{"gemm", "--dtype", "fp8", "--shape", "512x512x512"};
  std::vector<std::string> dry = fp8;
  dry.emplace_back("--dry-run");
  EXPECT_EQ(on(kQuiet, fp8).status, 3);
  const Called run = on(kQuiet, dry);
  EXPECT_EQ(run.status, 3) << run.out;
  EXPECT_NE(run.err.find("nothing that was asked for can run"), std::string::npos) << run.err;
}

TEST_F(WhatWasAsked, ADryRunSeesCallsThatCostMoreThanTheirWork) {
  // 2 x 16^3 FLOP and 1.5 KiB take nanoseconds, a call 6 us.
  const Called run =
      on(kQuiet, {"gemm", "--dtype", "bf16", "--shape", "16x16x16,4096x4096x4096", "--dry-run"});
  ASSERT_EQ(run.status, 0) << run.err;
  const std::size_t small = run.out.find("gemm/bf16/16x16x16");
  ASSERT_NE(small, std::string::npos) << run.out;
  const std::string line = run.out.substr(small, run.out.find('\n', small) - small);
  EXPECT_NE(line.find("cost of a call"), std::string::npos) << line;
  EXPECT_NE(run.out.find("compute side"), std::string::npos) << run.out;
}

TEST_F(WhatWasAsked, ADryRunLeavesOutWhatIsDone) {
  const std::vector<std::string> products{"gemm", "--dtype", "bf16", "--shape",
                                          "512x512x512,256x256x256"};
  std::vector<std::string> run = products;
  run.insert(run.end(), {"-o", path("r.json")});
  ASSERT_EQ(on(kQuiet, run).status, 0);
  const std::string before = read("r.json");
  std::vector<std::string> rest = products;
  rest.insert(rest.end(), {"--resume", path("r.json"), "--dry-run"});
  const Called listed = on(kQuiet, rest);
  EXPECT_EQ(listed.status, 0) << listed.err;
  EXPECT_EQ(listed.out.find("512x512x512"), std::string::npos) << listed.out;
  EXPECT_NE(listed.out.find("0 points"), std::string::npos) << listed.out;
  EXPECT_EQ(read("r.json"), before);
}

TEST_F(WhatWasAsked, ContradictionsAreRefused) {
  ASSERT_EQ(on(kQuiet, {"bandwidth", "--stream", "read", "-o", path("r.json")}).status, 0);
  const std::string report = path("r.json");
  const std::vector<std::vector<std::string>> calls{
      {"run", "--backend", "cpu", "--device", "cuda:0"},
      {"run", "--backend", "cuda", "--device", "cpu"},
      {"run", "--backend", "cpu", "--device", "cpu,cuda:0"},
      {"show", report, "--json", "--format", "csv"},
      {"show", report, "--columns", "id,id"},
      {"export", report, "--to", "csv", "--direction", "smaller"},
  };
  for (const auto& call : calls) {
    const Called run = roofline(call);
    EXPECT_EQ(run.status, 2) << call[0] << ' ' << call.back() << ": " << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
  EXPECT_EQ(roofline({"show", report, "--json", "--format", "json"}).status, 0);
  EXPECT_EQ(roofline({"show", report, "--columns", "id,device.id"}).status, 0);
}

TEST_F(WhatWasAsked, FactorsThatAreNoneInTheTypeOfTheSums) {
  // 1e-300 is 0 in fp32, whatever multiplies.
  for (const char* factors : {"--alpha", "--beta"}) {
    const Called run = roofline({"gemm", "--device", "cpu", "--dtype", "fp32", "--shape",
                                 "64x64x64", factors, "1e-300", "--threads", "1"});
    EXPECT_EQ(run.status, 3) << run.err;
    EXPECT_NE(run.out.find("factors of fp32"), std::string::npos) << run.out;
  }
}

TEST_F(WhatWasAsked, NoInputIsLostHoweverItsNameIsSpelt) {
  for (const char* name : {"a.json", "b.json"})
    ASSERT_EQ(on(kQuiet, {"bandwidth", "--stream", "read", "-o", path(name)}).status, 0);
  const std::string table = write("k.csv", "name,flop,bytes,time_us,dtype\na,1e9,1e6,10,bf16\n");
  const std::string a = path("a.json");
  std::filesystem::create_symlink(a, path("link.json"));
  const std::string before = read("a.json");
  const std::vector<std::string> spellings{a, path("./a.json"), path("link.json")};
  for (const std::string& output : spellings) {
    const std::vector<std::vector<std::string>> calls{
        {"compare", a, path("b.json"), "-o", output},
        {"merge", "x=" + a, "y=" + path("b.json"), "-o", output},
        {"export", a, "--to", "csv", "-o", output},
        {"plot", a, "--format", "svg", "-o", output},
        {"plot", "--device", "a100-80gb-sxm", "--gemm", "8x8x8", "--bandwidth",
         "measured:" + a + "@cpu", "--format", "svg", "-o", output},
        {"import", "csv", table, "--device", "cpu", "--peak-flops", "1TFLOP/s", "--bandwidth",
         "measured:" + a, "-o", output}};
    for (const auto& call : calls) {
      const Called run = roofline(call);
      EXPECT_EQ(run.status, 2) << call[0] << ' ' << output;
      EXPECT_NE(run.err.find("would be lost"), std::string::npos) << run.err;
    }
  }
  EXPECT_EQ(read("a.json"), before);
  EXPECT_EQ(
      roofline({"import", "csv", table, "--device", "a100-80gb-sxm", "-o", path("./k.csv")}).status,
      2);
}

TEST_F(WhatWasAsked, OptionsOfThisMachineMeanNothingToAScript) {
  EXPECT_EQ(on(kQuiet, {"run", "--threads", "2"}).status, 2);
  EXPECT_EQ(on(kQuiet, {"run", "--device", "cuda:0"}).status, 3);
  EXPECT_EQ(roofline({"run", "--backend", "scripted:"}).status, 2);
  EXPECT_EQ(roofline({"run", "--backend", "scripted:/nowhere/x.script"}).status, 4);
  EXPECT_EQ(roofline({"run", "--backend", "gpu"}).status, 2);
  EXPECT_EQ(on(kQuiet, {"run", "--budget", "soon"}).status, 2);
  EXPECT_EQ(on(kQuiet, {"run", "--budget", "0s"}).status, 2);
}

}  // namespace
}  // namespace roofline::test
