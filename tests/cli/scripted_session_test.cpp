// The whole program on scripted machines: what goes wrong with a measurement is said, kept out of
// the figures, and never costs a point that was finished.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <csignal>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "support/run_tool.hpp"
#include "support/schema_check.hpp"

namespace roofline::test {
namespace {

using nlohmann::json;

constexpr const char* kToy = R"(name "Toy"
seed 7
clock 2GHz
peak fp32 2TFLOP/s
peak bf16 8TFLOP/s
bandwidth dram 200GB/s
overhead kernel 4us
overhead library 6us
point * noise=0.3%
point gemm/* efficiency=85%
)";

constexpr const char* kSuite = R"({"name":"scripted","points":[
  {"kind":"peak","dtype":["fp32","bf16"]},
  {"kind":"stream","stream":["read","copy","triad"]},
  {"kind":"gemm","dtype":["fp32","bf16"],"shape":["2048x2048x2048","512x14336x4096"]},
  {"kind":"matvec","weights":"bf16","rows":[1,8,32],"shape":"4096x14336"}]})";
constexpr std::size_t kPoints = 12;

/// A folder with the suite and a machine made of kToy and more lines.
class Bench {
 public:
  explicit Bench(const std::string& more = {}) {
    suite_ = folder_.write("suite.json", kSuite);
    script_ = folder_.write("machine.script", kToy + more);
  }

  [[nodiscard]] std::vector<std::string> arguments(std::vector<std::string> more = {}) const {
    std::vector<std::string> out = {"run", "--backend", "scripted:" + script_, "--suite", suite_};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  /// Runs with a report and returns what was said.
  [[nodiscard]] Run run(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"-o", output(), "--seed", "5"});
    return roofline(arguments(std::move(more)));
  }
  [[nodiscard]] std::string output() const { return folder_.path("r.json"); }
  [[nodiscard]] std::string journal() const { return output() + ".journal"; }
  [[nodiscard]] json report() const {
    const std::string text = folder_.read("r.json");
    for (const std::string& error : schema_errors(text)) ADD_FAILURE() << error;
    return json::parse(text);
  }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  void rewrite(const std::string& more) { folder_.write("machine.script", kToy + more); }

 private:
  TemporaryFolder folder_;
  std::string suite_;
  std::string script_;
};

json point(const json& report, const std::string& id) {
  for (const json& entry : report.at("points")) {
    if (entry.at("id") == id) return entry;
  }
  throw std::runtime_error("no point " + id);
}

constexpr const char* kGemm = "gemm/fp32/2048x2048x2048";
constexpr const char* kDecode = "matvec/bf16/T=1_4096x14336";

TEST(ScriptedSession, AQuietMachineGivesTheFiguresOfItsScript) {
  Bench bench;
  const auto run = bench.run();
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("scripted: Toy"), std::string::npos) << "nobody takes it for a real one";
  const json report = bench.report();
  EXPECT_EQ(report.at("device").at("id"), "scripted");
  EXPECT_EQ(report.at("run").at("end"), "completed");
  ASSERT_EQ(report.at("points").size(), kPoints);
  const json gemm = point(report, kGemm);
  EXPECT_NEAR(gemm.at("achieved_flop_per_s").get<double>(), 0.85 * 2e12, 0.01 * 2e12);
  EXPECT_NEAR(gemm.at("mfu").get<double>(), 0.85, 0.01);
  EXPECT_EQ(gemm.at("end"), "converged");
  EXPECT_EQ(point(report, kDecode).at("side_agreement"), "confirmed");
  EXPECT_FALSE(std::filesystem::exists(bench.journal()));
}

TEST(ScriptedSession, AnOverheadThatCouldNotBeMeasuredSaysWhy) {
  Bench bench("point launch/* failure=\"the driver refused\"\n");
  const std::string suite = bench.folder().write("launches.json", R"({"name":"launches","points":[
    {"kind":"launch","path":["kernel","library"]},
    {"kind":"peak","dtype":"fp32"},
    {"kind":"stream","stream":"read"},
    {"kind":"gemm","dtype":"fp32","shape":"64x64x64"}]})");
  const auto run =
      roofline({"run", "--backend", "scripted:" + bench.folder().path("machine.script"), "--suite",
                suite, "--seed", "5", "-o", bench.output()});
  const json report = bench.report();
  const std::string why = "call that it is held against failed: the driver refused";
  const json gemm = point(report, "gemm/fp32/64x64x64");
  EXPECT_TRUE(gemm.at("overhead_s").is_null());
  EXPECT_NE(gemm.value("overhead_s_reason", "").find(why), std::string::npos) << gemm.dump(1);
  // 6 us of call, which nobody knows of, where its work takes 0.3 us.
  ASSERT_EQ(gemm.at("verdict"), "below_compute_roof") << gemm.dump(1);
  std::string evidence;
  for (const json& hypothesis : gemm.at("hypotheses")) {
    if (hypothesis.at("id") == "call_overhead") evidence = hypothesis.at("evidence");
  }
  EXPECT_NE(evidence.find(why), std::string::npos) << gemm.at("hypotheses").dump(1);
  EXPECT_NE(run.out.find("no overhead: "), std::string::npos) << run.out;
  // A loop of many passes has no call of its own.
  EXPECT_FALSE(point(report, "peak/fp32/registers").contains("overhead_s_reason"));
  const auto audit = roofline({"audit", bench.output()});
  EXPECT_EQ(audit.status, 0) << audit.out;
}

TEST(ScriptedSession, TheSameSeedGivesTheSameReport) {
  std::vector<json> reports;
  for (int i = 0; i < 2; ++i) {
    Bench bench;
    ASSERT_EQ(bench.run().status, 0);
    reports.push_back(bench.report());
    reports.back().erase("run");
    reports.back().erase("environment");  // names the script's path
  }
  EXPECT_EQ(reports[0], reports[1]);
}

TEST(ScriptedSession, ABusyNeighbourIsNeverReportedAsClean) {
  Bench bench("point * contention=0s-10000s:60%\n");
  const auto run = bench.run();
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find("disturbed"), std::string::npos) << run.err;
  const json report = bench.report();
  EXPECT_TRUE(report.at("roofs").empty()) << "what was disturbed is no roof";
  for (const json& entry : report.at("points")) {
    EXPECT_EQ(entry.at("end"), "contended") << entry.at("id");
    EXPECT_EQ(entry.at("defines_roof"), false);
  }
}

TEST(ScriptedSession, ANeighbourNowAndThenCostsSamplesNotAccuracy) {
  Bench bench("point * contention=30%:50%\n");
  ASSERT_EQ(bench.run().status, 0);
  const json report = bench.report();
  std::size_t dropped = 0;
  for (const json& entry : report.at("points")) {
    for (const json& sample : entry.at("samples"))
      dropped += sample.at("disturbance") == "contended" ? 1U : 0U;
  }
  EXPECT_GT(dropped, 5U);
  EXPECT_NEAR(point(report, kGemm).at("mfu").get<double>(), 0.85, 0.01);
}

TEST(ScriptedSession, AHalvedClockHalvesTheRawEfficiencyOnly) {
  Bench bench("point gemm/* clock=1GHz\n");
  ASSERT_EQ(bench.run().status, 0);
  const json gemm = point(bench.report(), kGemm);
  EXPECT_NEAR(gemm.at("mfu").get<double>(), 0.425, 0.01);
  EXPECT_NEAR(gemm.at("clock_adjusted_mfu").get<double>(), 0.85, 0.015);
  EXPECT_NEAR(gemm.at("clock_hz").get<double>(), 1e9, 1e6);
  EXPECT_NEAR(gemm.at("clock_adjusted_peak_flop_per_s").get<double>(), 1e12, 1e10);
}

TEST(ScriptedSession, AClockThatFallsUnderLoadAndStaysDownIsSaid) {
  Bench bench("point gemm/fp32/* throttle=0.25s:50%\n");
  ASSERT_EQ(bench.run().status, 0);
  const json report = bench.report();
  EXPECT_EQ(point(report, kGemm).at("end"), "throttled");
  EXPECT_EQ(point(report, "gemm/bf16/2048x2048x2048").at("end"), "converged");
}

TEST(ScriptedSession, PlacementsAreNeverAveraged) {
  // Streams run at 200 GB/s while the threads are near and at 120 GB/s while they are far.
  Bench bench("point stream/* flip=0.35s far=60%\n");
  const auto run = bench.run();
  ASSERT_EQ(run.status, 0) << run.err;
  const json report = bench.report();
  for (const json& entry : report.at("points")) {
    if (entry.at("kind") != "stream" || entry.at("end") == "placement_unstable") continue;
    const double rate = entry.at("achieved_byte_per_s").get<double>();
    const std::string placement = entry.at("thread_placement").get<std::string>();
    EXPECT_NEAR(rate, placement == "near" ? 200e9 : 120e9, 4e9) << entry.at("id");
  }
}

TEST(ScriptedSession, ARateThatMovesIsSaidToBeUnsettled) {
  Bench bench("point stream/* drift=20%/s\n");
  ASSERT_EQ(bench.run().status, 0);
  const json report = bench.report();
  EXPECT_EQ(point(report, "stream/fp64/read").at("end"), "unsettled");
  EXPECT_EQ(point(report, kGemm).at("end"), "converged");
}

TEST(ScriptedSession, ASlowStartIsWarmUp) {
  Bench bench("point gemm/* slow_start=4:20ms\n");
  ASSERT_EQ(bench.run().status, 0);
  EXPECT_NEAR(point(bench.report(), kGemm).at("mfu").get<double>(), 0.85, 0.01);
}

TEST(ScriptedSession, TimeMayRefuteThePrediction) {
  // Left of the ridge by arithmetic, but it takes what its work would take at the compute roof's
  // two hundredth: 2 x 4096 x 14336 FLOP at 8 TFLOP/s are 15 us, its bytes 587 us.
  Bench bench(std::string("point ") + kDecode + " time=16us\n");
  (void)bench.run();
  const json decode = point(bench.report(), kDecode);
  EXPECT_EQ(decode.at("prediction").at("side"), "memory");
  EXPECT_EQ(decode.at("observed_side"), "compute");
  EXPECT_EQ(decode.at("side_agreement"), "refuted");
  EXPECT_EQ(decode.at("impossible"), true) << "36 times the bandwidth";
}

TEST(ScriptedSession, FailuresAreOutcomesAndTheSweepGoesOn) {
  Bench bench(R"(point gemm/fp32/512* failure="no workspace"
point gemm/bf16/512* fail_at=9 failure="device lost"
point matvec/bf16/T=8_* incorrect="3 of 4096 values are off"
point matvec/bf16/T=32_* unsupported="no such kernel"
)");
  EXPECT_EQ(bench.run().status, 0);
  const json report = bench.report();
  ASSERT_EQ(report.at("points").size(), kPoints);
  EXPECT_EQ(point(report, "gemm/fp32/512x14336x4096").at("outcome"), "failed");
  EXPECT_EQ(point(report, "gemm/bf16/512x14336x4096").at("reason"), "device lost");
  EXPECT_EQ(point(report, "matvec/bf16/T=8_4096x14336").at("outcome"), "incorrect");
  EXPECT_TRUE(point(report, "matvec/bf16/T=8_4096x14336").at("time_median_s").is_null());
  EXPECT_EQ(point(report, "matvec/bf16/T=32_4096x14336").at("reason"), "no such kernel");
  EXPECT_EQ(point(report, kGemm).at("outcome"), "measured");
  EXPECT_EQ(bench.run({"--strict"}).status, 1);
}

TEST(ScriptedSession, APointThatHangsIsGivenUpAndTheRestIsKept) {
  Bench bench(std::string("point ") + kDecode + " hang\n");
  const auto begin = std::chrono::steady_clock::now();
  const auto run = bench.run({"--point-timeout", "1s"});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find(std::string(kDecode) + " did not return"), std::string::npos) << run.err;
  const json report = bench.report();
  EXPECT_EQ(report.at("run").at("end"), "hung");
  EXPECT_EQ(report.at("run").at("interrupted"), true);
  EXPECT_GE(report.at("points").size(), 6U) << "the roofs were done";
  EXPECT_EQ(point(report, kDecode).at("outcome"), "failed");
  EXPECT_EQ(point(report, kDecode).at("reason"), "did not return within 1.00 s");
  const auto junit = roofline({"export", bench.output(), "--to", "junit"});
  EXPECT_NE(junit.out.find("did not return"), std::string::npos) << junit.out;
}

TEST(ScriptedSession, ARepetitionThatHangsCostsNoneThatWasFinished) {
  Bench bench;
  (void)bench.run({"--repeat", "4", "--budget", "4s"});
  const json before = point(bench.report(), kDecode);
  ASSERT_EQ(before.at("outcome"), "measured");
  bench.rewrite(std::string("point ") + kDecode + " hang\n");
  const auto run =
      bench.run({"--repeat", "4", "--resume", bench.output(), "--point-timeout", "1s"});
  EXPECT_EQ(run.status, 5) << run.err;
  EXPECT_NE(run.err.find(std::string(kDecode) + " did not return"), std::string::npos) << run.err;
  const json report = bench.report();
  EXPECT_EQ(report.at("run").at("end"), "hung");
  EXPECT_EQ(point(report, kDecode).at("outcome"), "measured");
  EXPECT_EQ(point(report, kDecode).at("samples").size(), before.at("samples").size());
}

void expect_all_measured(const json& report) {
  for (const json& entry : report.at("points"))
    EXPECT_EQ(entry.at("outcome"), "measured") << entry.at("id");
}

TEST(ScriptedSession, ABudgetLeavesEachKindOfPointItsPart) {
  // What preparing takes is in no plan.
  const Bench bench("point stream/* prepare=1s\npoint peak/* prepare=1s\n");
  const auto run = bench.run({"--budget", "5s"});
  const json report = bench.report();
  const auto measured = [&](const std::string& kind) {
    return std::count_if(report.at("points").begin(), report.at("points").end(),
                         [&](const json& entry) {
                           return entry.at("kind") == kind && entry.at("outcome") == "measured";
                         });
  };
  EXPECT_GT(measured("stream") + measured("peak"), 0) << run.err;
  EXPECT_GT(measured("gemm") + measured("matvec"), 3) << run.err;
  EXPECT_EQ(report.at("run").at("end"), "budget_spent");
  // Nobody has to wait for longer than the budget.
  EXPECT_EQ(run.err.find("about 6."), std::string::npos) << run.err;
  const auto dry = bench.run({"--budget", "5s", "--dry-run"});
  EXPECT_NE(dry.out.find("more than the budget of 5.00 s"), std::string::npos) << dry.out;
}

TEST(ScriptedSession, ABudgetIsKept) {
  Bench bench("point * noise=5%\n");
  const auto enough = bench.run({"--budget", "6s"});
  EXPECT_EQ(enough.status, 0) << enough.err;
  expect_all_measured(bench.report());

  const auto little = bench.run({"--budget", "400ms"});
  EXPECT_NE(little.err.find("budget"), std::string::npos) << little.err;
  const json report = bench.report();
  EXPECT_EQ(report.at("run").at("end"), "budget_spent");
  ASSERT_EQ(report.at("points").size(), kPoints);
  const auto skipped =
      std::count_if(report.at("points").begin(), report.at("points").end(),
                    [](const json& entry) { return entry.at("outcome") == "skipped"; });
  EXPECT_GT(skipped, 0);

  const auto rest = roofline(bench.arguments({"--resume", bench.output()}));
  EXPECT_EQ(rest.status, 0) << rest.err;
  expect_all_measured(bench.report());
}

/// A program that runs on while the test does something to it; stderr goes to a file.
class Background {
 public:
  Background(const std::vector<std::string>& arguments, const std::string& err) {
    const std::string binary = roofline_path();
    std::vector<char*> argv{const_cast<char*>(binary.c_str())};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    child_ = fork();
    if (child_ != 0) return;
    (void)!freopen("/dev/null", "w", stdout);
    (void)!freopen(err.c_str(), "w", stderr);
    execv(binary.c_str(), argv.data());
    _exit(127);
  }
  void signal(int number) const { kill(child_, number); }
  /// Exit status, or 128 + the signal that ended it.
  int wait() const {
    int status = 0;
    waitpid(child_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t child_ = -1;
};

/// Ids of the progress lines `[3/12] id, about ...`: a line is written once a point is on disk.
std::set<std::string> announced(const std::string& err) {
  std::set<std::string> out;
  std::istringstream lines(err);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t id = line.find("] ");
    if (!line.starts_with('[') || id == std::string::npos) continue;
    out.insert(line.substr(id + 2, line.find(", about") - id - 2));
  }
  return out;
}

std::set<std::string> ids(const json& report) {
  std::set<std::string> out;
  for (const json& entry : report.at("points")) out.insert(entry.at("id").get<std::string>());
  return out;
}

TEST(ScriptedSession, KilledAtAnyInstantItLosesNoFinishedPoint) {
  // About half a second of real time for ten of scripted time.
  constexpr const char* kPace = "pace 0.05\n";
  std::mt19937 random(20);
  std::size_t with_points = 0;
  for (int i = 0; i < 20; ++i) {
    Bench bench(kPace);
    const std::string err = bench.folder().path("err.txt");
    const Background program(bench.arguments({"-o", bench.output(), "--seed", "5"}), err);
    // Any instant at all, and every other time one at which something is at stake.
    const auto nothing_yet = [&] { return announced(bench.folder().read("err.txt")).empty(); };
    for (int waited = 0; i % 2 == 1 && waited < 2000 && nothing_yet(); ++waited)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % (i % 2 == 1 ? 150 : 600)));
    program.signal(SIGKILL);
    const int status = program.wait();
    const std::set<std::string> done = announced(bench.folder().read("err.txt"));
    if (status == 0) {
      EXPECT_EQ(done.size(), kPoints);
      continue;
    }
    ASSERT_EQ(status, 128 + SIGKILL);
    if (!std::filesystem::exists(
            bench.journal())) {  // not begun, or already replaced by the finished report
      if (done.empty()) continue;
      EXPECT_EQ(bench.report().at("points").size(), kPoints);
      continue;
    }
    with_points += done.empty() ? 0U : 1U;
    const auto shown = roofline({"show", "--json", bench.journal()});
    if (shown.status == 0) {
      const std::set<std::string> kept = ids(json::parse(shown.out));
      EXPECT_TRUE(std::includes(kept.begin(), kept.end(), done.begin(), done.end()));
    } else {
      EXPECT_TRUE(done.empty()) << shown.err;
    }
    bench.rewrite("");  // at full speed
    const auto resumed = roofline(bench.arguments({"--resume", bench.output()}));
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    const json report = bench.report();
    EXPECT_EQ(report.at("points").size(), kPoints);
    EXPECT_EQ(report.at("run").at("interrupted"), false);
    EXPECT_FALSE(std::filesystem::exists(bench.journal()));
    const std::set<std::string> again = announced(resumed.err);
    for (const std::string& id : done) EXPECT_EQ(again.count(id), 0U) << id << " was done";
  }
  EXPECT_GE(with_points, 3U) << "too few of the kills came when something was at stake";
}

TEST(ScriptedSession, SignalsKeepWhatIsDoneAndHaveTheirStatus) {
  for (const auto& [signal, status] : {std::pair{SIGINT, 130}, std::pair{SIGTERM, 143}}) {
    Bench bench("pace 0.2\n");
    const Background program(bench.arguments({"-o", bench.output()}),
                             bench.folder().path("err.txt"));
    for (int i = 0; i < 1000 && announced(bench.folder().read("err.txt")).empty(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    program.signal(signal);
    EXPECT_EQ(program.wait(), status);
    const json report = bench.report();
    EXPECT_EQ(report.at("run").at("end"), "interrupted");
    EXPECT_EQ(report.at("run").at("interrupted"), true);
    EXPECT_GE(report.at("points").size(), 1U);
    EXPECT_NE(bench.folder().read("err.txt").find("--resume"), std::string::npos);
  }
}

TEST(ScriptedSession, OnlyTheSameRunIsResumed) {
  Bench bench;
  ASSERT_EQ(bench.run().status, 0);
  const std::string other = bench.folder().write(
      "other.json", R"({"name":"other","points":[{"kind":"peak","dtype":"fp32"}]})");
  const std::string script = "scripted:" + bench.folder().path("machine.script");
  const auto mixed =
      roofline({"run", "--backend", script, "--suite", other, "--resume", bench.output()});
  EXPECT_EQ(mixed.status, 5) << mixed.err;
  EXPECT_NE(mixed.err.find("suite"), std::string::npos) << mixed.err;
  const auto nothing = roofline(bench.arguments({"--resume", bench.folder().path("none.json")}));
  EXPECT_EQ(nothing.status, 4) << nothing.err;
  EXPECT_NE(nothing.err.find("none.json"), std::string::npos) << nothing.err;
  const auto done = roofline(bench.arguments({"--resume", bench.output()}));
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_TRUE(announced(done.err).empty()) << "nothing was left to do";
}

/// The id of a product holds neither its factors nor what else a command may measure.
TEST(ScriptedSession, ResumingTakesNoPointOfAnotherCommand) {
  const TemporaryFolder folder;
  const std::string script =
      std::string("scripted:") + ROOFLINE_SOURCE_DIR + "/tests/data/scripts/quiet.script";
  const std::string report = folder.path("r.json");
  const auto gemm = [&](const std::vector<std::string>& more) {
    std::vector<std::string> all{"gemm", "--backend", script, "--dtype", "bf16"};
    all.insert(all.end(), more.begin(), more.end());
    return roofline(all);
  };
  ASSERT_EQ(gemm({"--shape", "64x64x64", "--beta", "0.5", "-o", report}).status, 0);
  const std::string before = folder.read("r.json");
  const auto factor = gemm({"--shape", "64x64x64", "--beta", "2", "--resume", report});
  EXPECT_EQ(factor.status, 5);
  EXPECT_NE(factor.err.find("other factors"), std::string::npos) << factor.err;
  const auto shape = gemm({"--shape", "32x32x32", "--beta", "0.5", "--resume", report});
  EXPECT_EQ(shape.status, 5);
  EXPECT_NE(shape.err.find("--shape 64x64x64 --beta 0.5"), std::string::npos) << shape.err;
  EXPECT_EQ(folder.read("r.json"), before);
  const auto same = gemm({"--shape", "64x64x64,32x32x32", "--beta", "0.5", "--resume", report});
  EXPECT_EQ(same.status, 0) << same.err;
}

TEST(ScriptedSession, ANewRunDoesNotOverwriteWhatAKilledOneLeft) {
  Bench bench;
  ASSERT_EQ(bench.run().status, 0);
  bench.folder().write("r.json.journal", "precious\n");
  const auto run = bench.run();
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.err.find("--resume"), std::string::npos) << run.err;
  EXPECT_EQ(bench.folder().read("r.json.journal.old"), "precious\n");
}

}  // namespace
}  // namespace roofline::test
