// Calls that do nothing.
#include "cpu_under_test.hpp"

namespace roofline::cpu {
namespace {

TEST(CpuBackend, AnEmptyKernelIsARoundOfRunningThreads) {
  for (const unsigned threads : {1U, 2U}) {
    CpuOptions options = small(2);
    options.threads = threads;
    Cpu cpu(options);
    const Launch launch{LaunchPath::kernel};
    EXPECT_EQ(cpu.completed(launch), Workload{launch});
    EXPECT_EQ(text(cpu.check(launch), "provider"), "roofline");
    const auto run = cpu.prepare(launch);
    EXPECT_NE(run->verify().detail.find("1000 rounds"), std::string::npos);
    // Waking a thread takes tens of microseconds: the best of many rounds must stay far below.
    double best = 1;
    for (int i = 0; i < 10; ++i) best = std::min(best, in_second(run->time(1000).duration) / 1000);
    EXPECT_LT(best, 10e-6);
  }
}

TEST(CpuBackend, AnEmptyLibraryCallIsTheSmallestProduct) {
  Cpu cpu(small(2));
  const Launch launch{LaunchPath::library};
  if (const std::string refused = cpu.refusal(launch); !refused.empty()) GTEST_SKIP() << refused;
  const Facts facts = cpu.check(launch);
  EXPECT_FALSE(text(facts, "library_version").empty());
  EXPECT_EQ(std::get<std::uint64_t>(*find(facts, "weight_copies")), 1U);
  EXPECT_FALSE(flag(facts, "rotation_below_8x_l3"));
}

TEST(CpuBackend, GraphsAreNotOfACpu) {
  Cpu cpu;
  const std::string refused = cpu.refusal(Launch{LaunchPath::graph});
  EXPECT_NE(refused.find("kernel and library"), std::string::npos) << refused;
  CpuOptions nowhere = small();
  nowhere.module_directory = "/nowhere";
  EXPECT_NE(Cpu(nowhere).refusal(Launch{LaunchPath::library}).find("libdnnl"), std::string::npos);
}

TEST(CpuBackend, AWorkerThatDidNotArriveIsSeen) {
  CpuOptions options = small(2);
  options.tamper = [](std::span<std::byte> result) { result[0] ^= std::byte{1}; };
  const auto verification = Cpu(options).prepare(Launch{LaunchPath::kernel})->verify();
  EXPECT_EQ(verification.state, VerificationState::incorrect);
}

}  // namespace
}  // namespace roofline::cpu
