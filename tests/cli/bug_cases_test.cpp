// Public bug cases (tests/cases.csv) that only the whole program can show: arithmetic by explain,
// measurements on scripted machines.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

constexpr const char* kMachine = R"(name "Toy"
seed 7
threads 4
clock 2GHz
peak fp32 2TFLOP/s
peak bf16 8TFLOP/s
bandwidth dram 200GB/s
overhead kernel 4us
overhead library 6us
)";

/// A scripted machine in a folder of its own.
class Machine {
 public:
  explicit Machine(const std::string& more = {}) {
    script_ = folder_.write("machine.script", kMachine + more);
  }
  [[nodiscard]] std::vector<std::string> arguments(std::vector<std::string> command) const {
    command.insert(command.end(),
                   {"--backend", "scripted:" + script_, "--seed", "5", "-o", output()});
    return command;
  }
  [[nodiscard]] Run run(std::vector<std::string> command) const {
    return roofline(arguments(std::move(command)));
  }
  [[nodiscard]] std::string output() const { return folder_.path("r.json"); }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] json report() const {
    const std::string text = folder_.read("r.json");
    for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
    return json::parse(text);
  }

 private:
  TemporaryFolder folder_;
  std::string script_;
};

/// Of a figure that another tool read: how explain judges it.
void expect_impossible(const std::vector<std::string>& reading, double of_ceiling) {
  std::vector<std::string> call{"explain", "--json"};
  call.insert(call.end(), reading.begin(), reading.end());
  const auto run = roofline(call);
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("cannot be"), std::string::npos) << run.err;
  const json found = json::parse(run.out);
  EXPECT_NEAR(found.at("of_ceiling").get<double>(), of_ceiling, 1e-9);
  EXPECT_EQ(found.at("above_roof"), true);
  EXPECT_EQ(found.at("verdict"), "impossible");
  EXPECT_FALSE(found.at("causes").empty());
  call.emplace_back("--strict");
  EXPECT_EQ(roofline(call).status, 1);
}

TEST(BugCases, B049_ABandwidthAboveTheRatedOneIsNoResult) {
  expect_impossible({"--stream", "read", "--bandwidth", "288GB/s", "--achieved", "900GB/s"}, 3.125);
}

TEST(BugCases, B185_ACounterAtTwiceTheTheoreticalIsFlagged) {
  expect_impossible({"--stream", "triad", "--bandwidth", "100GB/s", "--achieved", "200GB/s"}, 2);
}

TEST(BugCases, B059_WhereNoSampleCountsThereIsNoRatio) {
  const Machine machine("point * contention=0s-10000s:60%\n");
  const auto run = machine.run({"gemm", "--dtype", "fp32", "--shape", "2048x2048x2048"});
  EXPECT_EQ(run.status, 5);
  EXPECT_NE(run.err.find("every point was disturbed"), std::string::npos) << run.err;
  const std::string texts = run.out + machine.folder().read("r.json");
  for (const char* word : {"nan", "-nan", "NaN", "Infinity", " inf", "0x "})
    EXPECT_EQ(texts.find(word), std::string::npos) << word;
  const json report = machine.report();
  EXPECT_TRUE(report.at("roofs").empty());
  for (const json& point : report.at("points")) {
    EXPECT_EQ(point.at("end"), "contended") << point.at("id");
    for (const char* ratio : {"mfu", "of_ceiling", "clock_adjusted_mfu", "ceiling_flop_per_s"})
      EXPECT_TRUE(point.at(ratio).is_null()) << point.at("id") << ' ' << ratio;
    for (const json& sample : point.at("samples"))
      EXPECT_EQ(sample.at("disturbance"), "contended") << point.at("id");
  }
}

TEST(BugCases, B051_TheHeadlineIsTheMedianAndEverySampleStays) {
  // Of samples that scatter this far the luckiest is several per cent fast.
  const Machine machine("point * noise=5% distribution=normal\n");
  ASSERT_EQ(machine.run({"gemm", "--dtype", "fp32", "--shape", "2048x2048x2048"}).status, 0);
  const json report = machine.report();
  for (const json& point : report.at("points")) {
    std::vector<double> times;
    for (const json& sample : point.at("samples")) {
      times.push_back(sample.at("duration_s").get<double>() /
                      sample.at("iterations").get<double>());
    }
    ASSERT_GE(times.size(), 9U) << point.at("id");
    std::sort(times.begin(), times.end());
    const double median = (times[(times.size() - 1) / 2] + times[times.size() / 2]) / 2;
    EXPECT_NEAR(point.at("time_median_s").get<double>(), median, 1e-12 * median) << point.at("id");
    EXPECT_EQ(point.at("time_min_s").get<double>(), times.front()) << point.at("id");
    EXPECT_GT(median, 1.02 * times.front()) << point.at("id");
    const double work = point.at("work_flop").get<double>();
    if (work == 0) continue;
    EXPECT_NEAR(point.at("achieved_flop_per_s").get<double>() * median, work, 1e-9 * work)
        << point.at("id");
  }
}

TEST(BugCases, B073_WithoutAGpuOnlyAGpuIsMissing) {
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"--help"},
           {"--version"},
           {"devices"},
           {"devices", "NVIDIA H100 80GB HBM3"},
           {"explain", "--device", "h200-141gb-sxm", "--gemm", "4096x4096x4096"}}) {
    const auto run = roofline(command);
    EXPECT_EQ(run.status, 0) << command.front() << ": " << run.err;
    EXPECT_TRUE(run.err.empty()) << run.err;
  }
  for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
           {"run"}, {"bandwidth"}, {"gemm", "--shape", "64x64x64"}, {"launch"}}) {
    std::vector<std::string> on_gpu = command;
    on_gpu.insert(on_gpu.end(), {"--device", "cuda:0"});
    const auto run = roofline(on_gpu);
    EXPECT_EQ(run.status, 3) << command.front();
    EXPECT_TRUE(run.out.empty()) << run.out;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_NE(run.err.find("cuda:0"), std::string::npos) << run.err;
  }
}

TEST(BugCases, B077_TheShortestCallsAreTimedTogether) {
  const Machine machine("point * overhead=30ns\n");
  ASSERT_EQ(machine.run({"gemm", "--dtype", "fp32", "--shape", "1x1x1"}).status, 0);
  const json points = machine.report().at("points");
  const auto found = std::find_if(points.begin(), points.end(), [](const json& point) {
    return point.at("id") == "gemm/fp32/1x1x1";
  });
  ASSERT_NE(found, points.end());
  for (const json& sample : found->at("samples")) {
    EXPECT_GT(sample.at("iterations").get<double>(), 1000);
    EXPECT_GE(sample.at("duration_s").get<double>(), 0.01);
  }
  EXPECT_NEAR(found->at("time_median_s").get<double>(), 30e-9, 1e-9);
}

TEST(BugCases, B132_ARunOfNothingIsNoSuccess) {
  const Machine machine;
  const auto refused = machine.run({"gemm", "--dtype", "fp8", "--shape", "64x64x64"});
  EXPECT_EQ(refused.status, 3) << refused.err;
  EXPECT_NE(refused.err.find("nothing that was asked for"), std::string::npos) << refused.err;

  const std::string none = machine.folder().write("none.json", R"({"name":"none","points":[]})");
  const auto empty = machine.run({"run", "--suite", none});
  EXPECT_EQ(empty.status, 2) << empty.err;

  const std::string unable = machine.folder().write(
      "unable.json", R"({"name":"unable","points":[{"kind":"peak","dtype":["fp64","int8"]}]})");
  const auto skipped = machine.run({"run", "--suite", unable});
  EXPECT_EQ(skipped.status, 3) << skipped.err;
  EXPECT_NE(skipped.out.find("2 skipped"), std::string::npos) << skipped.out;
}

TEST(BugCases, B125_ASecondSignalEndsItAtOnceAndCostsNoFinishedPoint) {
  const Machine machine("point matvec/* hang\n");
  const std::string binary = roofline_path();
  const auto arguments = machine.arguments({"matvec", "--shape", "4096x4096", "--rows", "1"});
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)!freopen("/dev/null", "w", stdout);
    (void)!freopen("/dev/null", "w", stderr);
    std::vector<char*> argv{const_cast<char*>(binary.c_str())};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    execv(binary.c_str(), argv.data());
    _exit(127);
  }
  const std::string journal = machine.output() + ".journal";
  const auto finished = [&] {
    if (!std::filesystem::exists(journal)) return std::ptrdiff_t{0};
    const std::string text = machine.folder().read("r.json.journal");
    return std::count(text.begin(), text.end(), '\n') - 1;
  };
  std::ptrdiff_t kept = 0;
  // The roofs are done in an instant; what comes after them never returns.
  for (int quiet = 0; quiet < 25;) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const std::ptrdiff_t now = finished();
    quiet = now == kept && now > 0 ? quiet + 1 : 0;
    kept = now;
  }
  int status = 0;
  kill(child, SIGINT);
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_EQ(waitpid(child, &status, WNOHANG), 0) << "the first is noted while a call runs";
  kill(child, SIGINT);
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
  const auto shown = roofline({"show", "--json", journal});
  ASSERT_EQ(shown.status, 0) << shown.err;
  const json report = json::parse(shown.out);
  EXPECT_EQ(report.at("run").at("end"), "interrupted");
  EXPECT_EQ(static_cast<std::ptrdiff_t>(report.at("points").size()), kept);
}

}  // namespace
}  // namespace roofline::test
