// The scripts that ship with the tests say what they are for, and the document shows every word of
// the format and an example that is read.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "backend/scripted/script.hpp"
#include "roofline/error.hpp"
#include "scripted_machine.hpp"

namespace roofline::test {
namespace {

std::string read(const std::string& path) {
  const std::ifstream file(std::string(ROOFLINE_SOURCE_DIR) + "/" + path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

ScriptedMachine machine_of(const std::string& name) {
  return ScriptedMachine(read("tests/data/scripts/" + name + ".script"));
}

const Stream kCopy{.kind = StreamKind::copy, .dtype = DType::fp64};
const Gemm kGemm{.m = 4096, .n = 4096, .k = 4096, .input = DType::bf16};
const Projection kMatvec{.rows = 8, .d_in = 4096, .d_out = 4096};

TEST(Scripts, QuietHasAFigureForEveryKind) {
  ScriptedMachine machine = machine_of("quiet");
  const std::vector<Workload> workloads{kCopy,
                                        Stream{.dtype = DType::fp64, .level = Boundary::l1},
                                        kGemm,
                                        kMatvec,
                                        Elementwise{.ops = 3},
                                        PeakProbe{.dtype = DType::int8},
                                        Launch{.path = LaunchPath::graph}};
  for (const Workload& workload : workloads) {
    EXPECT_EQ(machine.refusal(workload), "");
    EXPECT_TRUE(machine.prepare(workload)->time(1).clean());
  }
  // 85 % of 8 TFLOP/s, within 6 standard deviations of 0.3 %.
  EXPECT_NEAR(machine.call_s(kGemm) / (2 * 4096.0 * 4096 * 4096 / (0.85 * 8e12) + 6e-6), 1, 0.018);
}

TEST(Scripts, TheNeighbourComesAndGoes) {
  ScriptedMachine machine = machine_of("noisy_neighbour");
  const auto run = machine.prepare(kCopy);
  int before = 0;
  int during = 0;
  int after = 0;
  while (machine.now() < 5) {
    const double begin = machine.now();
    const bool clean = run->time(1).clean();
    if (clean) continue;
    ++(begin < 0.9 ? before : begin < 3 ? during : after);
  }
  EXPECT_EQ(before, 0);
  EXPECT_GT(during, 5);
  EXPECT_EQ(after, 0);
}

TEST(Scripts, ThrottlingHalvesArithmeticAndNotMemory) {
  ScriptedMachine machine = machine_of("throttling");
  const auto gemm = machine.prepare(kGemm);
  const auto copy = machine.prepare(kCopy);
  const auto per_call = [](const Sample& sample) {
    return in_second(sample.duration) / static_cast<double>(sample.iterations);
  };
  (void)gemm->time(50);  // the slow start
  (void)copy->time(200);
  const double fast = per_call(gemm->time(10));
  const double moved = per_call(copy->time(10));
  while (machine.now() < 2) (void)gemm->time(10);
  const Sample slow = gemm->time(10);
  EXPECT_EQ(in_hertz(slow.clock.value()), 1e9);
  EXPECT_NEAR(per_call(slow) / fast, 2, 0.1);
  EXPECT_NEAR(per_call(copy->time(10)) / moved, 1, 0.05);
}

TEST(Scripts, FailingEndsEachPointInItsOwnWay) {
  ScriptedMachine machine = machine_of("failing");
  EXPECT_EQ(machine.refusal(PeakProbe{.dtype = DType::fp64}), "the fp64 units are fused off");
  EXPECT_NE(machine.refusal(PeakProbe{.dtype = DType::int8}), "");
  EXPECT_NE(machine.refusal(Launch{}), "");
  EXPECT_EQ(machine.prepare(kGemm)->verify().state, VerificationState::incorrect);
  EXPECT_THROW((void)machine.prepare(big_gemm()), backend::BackendError);
  const auto run = machine.prepare(kMatvec);
  for (int i = 0; i < 3; ++i) (void)run->time(1);
  EXPECT_THROW((void)run->time(1), backend::BackendError);
  EXPECT_GT(machine.call_s(kCopy), 30);
}

TEST(ScriptDocument, ItsExampleIsRead) {
  const std::string page = read("docs/scripted.md");
  const std::string fence = "```script\n";
  const std::size_t begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::string text =
      page.substr(begin + fence.size(), page.find("```\n", begin + 1) - begin - fence.size());
  ScriptedMachine machine(text);
  EXPECT_EQ(machine.device().name, "scripted: Toy accelerator");
  const Gemm slow{.m = 64, .n = 4096, .k = 4096, .input = DType::bf16};
  EXPECT_GE(machine.call_s(slow), 1.2e-3);
  EXPECT_NE(machine.refusal(Elementwise{}), "");
}

/// The words after `known are` in the error of a script.
std::vector<std::string> known_words(const std::string& text) {
  std::vector<std::string> out;
  try {
    (void)scripted::parse_script(text, "x");
  } catch (const InputError& error) {
    const std::string said = error.what();
    std::istringstream words(said.substr(said.find("known are ") + 10));
    for (std::string word; words >> word;) {
      if (word.back() == ',') word.pop_back();
      out.push_back(word);
    }
  }
  return out;
}

TEST(ScriptDocument, ShowsEveryStatementAndEveryKey) {
  const std::string page = read("docs/scripted.md");
  const std::vector<std::string> statements = known_words("x");
  EXPECT_EQ(statements.size(), 15U);
  for (const std::string& word : statements)
    EXPECT_NE(page.find("`" + word + " "), std::string::npos) << word;
  const std::vector<std::string> keys = known_words("point * x=1");
  EXPECT_EQ(keys.size(), 27U);
  for (const std::string& word : keys) {
    const std::string shown = word == "fact.NAME" ? "fact.KEY" : word;
    const bool told = page.find("`" + shown + "=") != std::string::npos ||
                      page.find("`" + shown + "`") != std::string::npos;
    EXPECT_TRUE(told) << word;
  }
}

}  // namespace
}  // namespace roofline::test
