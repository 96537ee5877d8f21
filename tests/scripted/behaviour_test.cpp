// What a script can do to the samples of a point, on a clock that only samples move.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <set>
#include <string>
#include <vector>

#include "backend/scripted/random.hpp"
#include "scripted_machine.hpp"

namespace roofline::test {
namespace {

using backend::BackendError;

std::vector<double> durations(backend::PreparedRun& run, std::size_t count,
                              std::uint64_t iterations = 1) {
  std::vector<double> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(in_second(run.time(iterations).duration));
  return out;
}

/// Samples of a product that takes a second, with the settings.
std::vector<double> scattered(const std::string& settings, std::size_t count) {
  ScriptedMachine machine("point gemm/* time=1s " + settings + "\n");
  return durations(*machine.prepare(big_gemm()), count);
}

TEST(ScriptedRandom, IsThePublishedGenerator) {
  // First outputs of splitmix64.c (Vigna) for the seed 1234567.
  scripted::Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317U);
  EXPECT_EQ(random.bits(), 3203168211198807973U);
  EXPECT_EQ(random.bits(), 9817491932198370423U);
  // FNV-1a, 64 bits, of "a" (draft-eastlake-fnv).
  EXPECT_EQ(scripted::seed_from(0, "a"), 0xaf63dc4c8601ec8cU);
}

TEST(ScriptedClock, PassesByWhatIsTimedPreparedAndVerified) {
  ScriptedMachine machine("point gemm/* time=2s prepare=0.5s verify=0.25s\n");
  EXPECT_EQ(machine.now(), 0);
  const auto run = machine.prepare(big_gemm());
  EXPECT_EQ(machine.now(), 0.5);
  (void)run->verify();
  EXPECT_EQ(machine.now(), 0.75);
  (void)run->time(3);
  EXPECT_EQ(machine.now(), 6.75);
}

TEST(ScriptedClock, IsNotTheClockOnTheWall) {
  const auto begin = std::chrono::steady_clock::now();
  ScriptedMachine machine("point gemm/* time=1000s\n");
  (void)machine.prepare(big_gemm())->time(1000);
  EXPECT_EQ(machine.now(), 1e6);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
}

TEST(ScriptedClock, PaceMakesItPassForReal) {
  ScriptedMachine machine("pace 0.01\npoint gemm/* time=5s\n");
  const auto begin = std::chrono::steady_clock::now();
  (void)machine.call_s(big_gemm());
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(50));
}

TEST(ScriptedScatter, NormalHasItsDeviation) {
  const std::vector<double> times = scattered("noise=5%", 20'000);
  double sum = 0;
  double squares = 0;
  for (const double t : times) {
    sum += t;
    squares += t * t;
  }
  const double mean = sum / 20'000;
  EXPECT_NEAR(mean, 1, 0.002);
  EXPECT_NEAR(std::sqrt(squares / 20'000 - mean * mean), 0.05, 0.002);
}

TEST(ScriptedScatter, UniformFillsItsRange) {
  const std::vector<double> times = scattered("noise=10% distribution=uniform", 2'000);
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  EXPECT_GE(*low, 0.9);
  EXPECT_LT(*low, 0.905);
  EXPECT_LE(*high, 1.1);
  EXPECT_GT(*high, 1.095);
}

TEST(ScriptedScatter, BimodalHasTwoTimes) {
  const std::vector<double> times = scattered("noise=20% distribution=bimodal", 2'000);
  EXPECT_EQ(std::set<double>(times.begin(), times.end()), (std::set<double>{1.0, 1.2}));
  EXPECT_NEAR(static_cast<double>(std::count(times.begin(), times.end(), 1.0)) / 2'000, 0.6, 0.05);
}

TEST(ScriptedScatter, SpikesAreNeverFasterAndNowAndThenFarOff) {
  std::vector<double> times = scattered("noise=10% distribution=spikes", 2'001);
  std::sort(times.begin(), times.end());
  EXPECT_GE(times.front(), 1);
  // Half of the samples have 1/sqrt(u) - 1 below sqrt(2) - 1, one in a hundred above 9.
  EXPECT_NEAR(times[1000], 1 + 0.1 * (std::sqrt(2.0) - 1), 0.005);
  EXPECT_GT(times[1985], 1.5);
  EXPECT_LE(times.back(), 11);
}

TEST(ScriptedScatter, NoSampleTakesNoTime) {
  for (const double t : scattered("noise=1", 5'000)) ASSERT_GE(t, 0.05);
}

TEST(ScriptedSeed, TheSameScriptGivesTheSameDigits) {
  const std::string settings = "noise=3% distribution=spikes contention=20%:50%";
  EXPECT_EQ(scattered(settings, 100), scattered(settings, 100));
}

TEST(ScriptedSeed, AnotherSeedGivesOthers) {
  const std::string point = "point gemm/* time=1s noise=3%\n";
  ScriptedMachine one("seed 1\n" + point);
  ScriptedMachine two("seed 2\n" + point);
  EXPECT_NE(durations(*one.prepare(big_gemm()), 5), durations(*two.prepare(big_gemm()), 5));
}

TEST(ScriptedSeed, APointsScatterDependsOnNoOtherPoint) {
  const std::string text = kPlainMachine + "point * noise=3%\n";
  ScriptedMachine alone(text);
  const std::vector<double> expected = durations(*alone.prepare(big_gemm()), 5);
  ScriptedMachine shared(text);
  const auto other = shared.prepare(copy_8mb());
  const auto run = shared.prepare(big_gemm());
  std::vector<double> found;
  for (int i = 0; i < 5; ++i) {
    (void)other->time(7);
    found.push_back(in_second(run->time(1).duration));
  }
  EXPECT_EQ(found, expected);
}

TEST(ScriptedSeed, EachPointScattersOnItsOwn) {
  ScriptedMachine machine("point * time=1s noise=3%\n");
  EXPECT_NE(durations(*machine.prepare(big_gemm()), 5), durations(*machine.prepare(copy_8mb()), 5));
}

TEST(ScriptedSeed, ASecondPreparationScattersOnItsOwn) {
  ScriptedMachine machine("point * time=1s noise=3%\n");
  const std::vector<double> first = durations(*machine.prepare(big_gemm()), 5);
  EXPECT_NE(durations(*machine.prepare(big_gemm()), 5), first);
}

TEST(ScriptedSlowStart, SettlesExponentially) {
  const std::vector<double> times = scattered("slow_start=3:1s", 30);
  // The integral of 1 + 2 exp(-t) over the first second and the second one.
  EXPECT_NEAR(times[0], 1 + 2 * (1 - std::exp(-1)), 1e-12);
  EXPECT_NEAR(times[1], 1 + 2 * (std::exp(-1) - std::exp(-2)), 1e-12);
  EXPECT_NEAR(times[29], 1, 1e-11);
}

TEST(ScriptedSlowStart, TakesTheSameTimeInHoweverManyCalls) {
  ScriptedMachine machine("point * time=1ms slow_start=5:3ms drift=50%/s\n");
  double sum = 0;
  for (const double t : durations(*machine.prepare(big_gemm()), 10)) sum += t;
  EXPECT_NEAR(in_second(machine.prepare(big_gemm())->time(10).duration), sum, 1e-14);
}

TEST(ScriptedDrift, GrowsWithTheLoad) {
  const std::vector<double> times = scattered("drift=2%/s", 3);
  EXPECT_NEAR(times[0], 1.01, 1e-12);
  EXPECT_NEAR(times[1], 1.03, 1e-12);
  EXPECT_NEAR(times[2], 1.05, 1e-12);
}

TEST(ScriptedThrottle, OfAPointBeginsAfterItsOwnLoad) {
  ScriptedMachine machine(kPlainMachine + "point gemm/* throttle=3s:50%\n");
  (void)machine.prepare(copy_8mb())->time(1'000'000);  // 80 s of other load change nothing
  const auto run = machine.prepare(big_gemm());
  std::vector<double> times;
  std::vector<double> clocks;
  for (int i = 0; i < 4; ++i) {
    const Sample sample = run->time(1);
    times.push_back(in_second(sample.duration));
    clocks.push_back(in_hertz(sample.clock.value()));
  }
  EXPECT_EQ(times, (std::vector<double>{2, 2, 4, 4}));
  EXPECT_EQ(clocks, (std::vector<double>{2e9, 2e9, 1e9, 1e9}));
}

TEST(ScriptedThrottle, OfTheDeviceBeginsAfterSoLongARun) {
  ScriptedMachine machine(kPlainMachine + "throttle 3s 25%\n");
  const auto gemm = machine.prepare(big_gemm());
  const auto copy = machine.prepare(copy_8mb());
  EXPECT_EQ(in_second(gemm->time(1).duration), 2);
  EXPECT_EQ(in_second(copy->time(12'500).duration), 1);
  const Sample slow = gemm->time(1);
  EXPECT_EQ(in_second(slow.duration), 8);
  EXPECT_EQ(in_hertz(slow.clock.value()), 0.5e9);
  // What memory binds keeps its time, and its clock shows why the figure is in doubt.
  const Sample same = copy->time(12'500);
  EXPECT_EQ(in_second(same.duration), 1);
  EXPECT_EQ(in_hertz(same.clock.value()), 0.5e9);
}

TEST(ScriptedThrottle, OfPointAndDeviceTheLowerClockCounts) {
  ScriptedMachine machine(kPlainMachine +
                          "throttle 0s 25%\npoint gemm/* throttle=0s:50%\n"
                          "point stream/* throttle=0s:10%\n");
  EXPECT_EQ(in_hertz(machine.prepare(big_gemm())->time(1).clock.value()), 0.5e9);
  EXPECT_EQ(in_hertz(machine.prepare(copy_8mb())->time(1).clock.value()), 0.2e9);
}

TEST(ScriptedHeat, IsOfAllLoadAndIsGivenBackByRests) {
  ScriptedMachine machine(kPlainMachine + "heat 3s 50%\n");
  const auto gemm = machine.prepare(big_gemm());
  const auto copy = machine.prepare(copy_8mb());
  const auto rest = [&](double seconds) {
    machine.backend().rest(machine.device(), second(seconds));
  };
  const auto call_s = [&] { return in_second(gemm->time(1).duration); };
  EXPECT_EQ(call_s(), 2);
  EXPECT_EQ(in_second(copy->time(12'500).duration), 1) << "load of another point is load too";
  EXPECT_EQ(call_s(), 4) << "3 s of load";
  rest(0.5);  // of 3 s, however long it was hot
  EXPECT_EQ(call_s(), 2);
  EXPECT_EQ(call_s(), 4);
  EXPECT_EQ(machine.now(), 2 + 1 + 4 + 0.5 + 2 + 4) << "rests take their time";
  rest(100);
  EXPECT_EQ(call_s(), 2);
  EXPECT_EQ(call_s(), 2) << "and it does not get colder than cold";
  EXPECT_EQ(call_s(), 4);
}

TEST(ScriptedThrottle, WithoutAClockNoneIsShown) {
  ScriptedMachine machine("point * time=1s\n");
  EXPECT_FALSE(machine.prepare(big_gemm())->time(1).clock);
}

TEST(ScriptedContention, InAWindowTakesItsShare) {
  ScriptedMachine machine("point * time=1s contention=0.5s-1.5s:50%\n");
  const auto run = machine.prepare(big_gemm());
  // Half a second of work before the window, the other half in it at half speed.
  const Sample hit = run->time(1);
  EXPECT_NEAR(in_second(hit.duration), 1.5, 1e-12);
  EXPECT_NEAR(hit.cpu_share.value(), 1 / 1.5, 1e-12);
  EXPECT_EQ(hit.disturbance, Disturbance::contended);
  const Sample after = run->time(1);
  EXPECT_NEAR(in_second(after.duration), 1, 1e-12);
  EXPECT_EQ(after.cpu_share.value(), 1);
  EXPECT_TRUE(after.clean());
}

TEST(ScriptedContention, ALongSamplePaysForTheWindowAlone) {
  ScriptedMachine machine("point * time=1s contention=2s-4s:25%\n");
  const Sample hit = machine.prepare(big_gemm())->time(10);
  // In the two seconds of the window half a second of work is done.
  EXPECT_NEAR(in_second(hit.duration), 11.5, 1e-12);
  EXPECT_EQ(hit.disturbance, Disturbance::contended);
}

TEST(ScriptedContention, WhatBeginsInTheWindowPaysForTheRestOfIt) {
  ScriptedMachine machine("point * time=1s prepare=3s contention=2s-3.5s:50%\n");
  // Half a second of the window is left, in which a quarter of a second of work is done.
  EXPECT_NEAR(in_second(machine.prepare(big_gemm())->time(1).duration), 1.25, 1e-12);
}

TEST(ScriptedContention, TooLittleToMatterIsClean) {
  ScriptedMachine machine("point * time=1s contention=2s-2.1s:50%\n");
  const Sample sample = machine.prepare(big_gemm())->time(10);
  EXPECT_NEAR(sample.cpu_share.value(), 10 / 10.05, 1e-12);
  EXPECT_TRUE(sample.clean());
}

TEST(ScriptedContention, AtRandomHitsAsOftenAsStated) {
  ScriptedMachine machine("point * time=1s contention=20%:50%\n");
  const auto run = machine.prepare(big_gemm());
  int hits = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Sample sample = run->time(1);
    ASSERT_EQ(in_second(sample.duration), sample.clean() ? 1 : 2);
    hits += sample.clean() ? 0 : 1;
  }
  EXPECT_NEAR(hits, 400, 60);
}

TEST(ScriptedContention, TheShareOfACpuIsShownWhereThreadsAre) {
  ScriptedMachine none("point * time=1s\n");
  EXPECT_FALSE(none.prepare(big_gemm())->time(1).cpu_share);
  ScriptedMachine some("threads 2\npoint * time=1s\n");
  EXPECT_EQ(some.prepare(big_gemm())->time(1).cpu_share, 1.0);
}

TEST(ScriptedPlacement, IsShownAndSlowsTraffic) {
  ScriptedMachine machine(kPlainMachine + "point * placement=far far=50%\n");
  const Sample sample = machine.prepare(copy_8mb())->time(1);
  EXPECT_EQ(sample.placement, "far");
  EXPECT_NEAR(in_second(sample.duration), 160e-6, 1e-15);
  EXPECT_EQ(in_second(machine.prepare(big_gemm())->time(1).duration), 2);
  ScriptedMachine plain(kPlainMachine);
  EXPECT_EQ(plain.prepare(copy_8mb())->time(1).placement, "");
}

TEST(ScriptedPlacement, FlipsWithItsPeriodAndMarksWhatItCuts) {
  ScriptedMachine machine("bandwidth dram 8MB/s\npoint * flip=2.5s far=50%\n");
  const auto run = machine.prepare(copy_8mb());
  std::vector<std::string> seen;
  for (int i = 0; i < 5; ++i) {
    const Sample sample = run->time(1);
    seen.push_back(sample.placement + " " +
                   std::to_string(std::lround(in_second(sample.duration))) +
                   (sample.disturbance == Disturbance::moved ? " moved" : ""));
  }
  // Periods end at 2.5 s and 5 s.
  EXPECT_EQ(seen, (std::vector<std::string>{"near 1", "near 1", "near 1 moved", "far 2 moved",
                                            "near 1"}));
}

TEST(ScriptedPlacement, AFlipBeginsWithTheStatedPlacement) {
  ScriptedMachine machine("point * time=1s flip=1.5s placement=far\n");
  const auto run = machine.prepare(copy_8mb());
  EXPECT_EQ(run->time(1).placement, "far");
  (void)run->time(1);
  EXPECT_EQ(run->time(1).placement, "near");
}

TEST(ScriptedOutcomes, AFailureAtPreparing) {
  ScriptedMachine machine("point gemm/* time=1s failure=\"out of memory\" prepare=2s\n");
  try {
    (void)machine.prepare(big_gemm());
    FAIL() << "it was prepared";
  } catch (const BackendError& error) {
    EXPECT_STREQ(error.what(), "out of memory");
  }
  EXPECT_EQ(machine.now(), 2);
}

TEST(ScriptedOutcomes, ALossIsAFailureThatEndsTheDevice) {
  ScriptedMachine preparing(kPlainMachine + "point stream/* failure=\"fell off the bus\" lost\n");
  EXPECT_THROW(static_cast<void>(preparing.prepare(copy_8mb())), backend::DeviceLost);
  ScriptedMachine timing(kPlainMachine + "point stream/* fail_at=2 lost\n");
  const auto run = timing.prepare(copy_8mb());
  static_cast<void>(run->time(1));
  EXPECT_THROW(static_cast<void>(run->time(1)), backend::DeviceLost);
}

TEST(ScriptedOutcomes, DevicesShareOneClock) {
  const auto backend = scripted::make_scripted_backend(scripted::parse_devices(
      kPlainMachine + "device cuda:0\ndevice cuda:1\nbandwidth dram 50GB/s\n", "two.script"));
  const auto devices = backend->devices();
  ASSERT_EQ(devices.size(), 2U);
  const Workload copy = copy_8mb();
  double last = in_second(backend->now());
  for (const auto& [device, expected] :
       {std::pair{devices[0], 80e-6}, std::pair{devices[1], 160e-6}}) {
    const auto run = backend->prepare(std::get<Workload>(backend->supports(copy, device)), device);
    EXPECT_NEAR(in_second(run->time(1).duration), expected, 1e-9) << device.id;
    EXPECT_GT(in_second(backend->now()), last);
    last = in_second(backend->now());
  }
}

TEST(ScriptedOutcomes, AFailureAtATimedCall) {
  ScriptedMachine machine(
      "point gemm/* time=1s failure=\"bad address\" fail_at=3\n"
      "point stream/* time=1s fail_at=1\n");
  const auto run = machine.prepare(big_gemm());
  (void)run->time(5);
  (void)run->time(5);
  EXPECT_THROW((void)run->time(5), BackendError);
  EXPECT_EQ(machine.now(), 10);
  try {
    (void)machine.prepare(copy_8mb())->time(1);
    FAIL() << "it was timed";
  } catch (const BackendError& error) {
    EXPECT_NE(std::string(error.what()).find("timed call 1"), std::string::npos);
  }
}

TEST(ScriptedOutcomes, UnsupportedSaysWhy) {
  ScriptedMachine machine(kPlainMachine + "point gemm/* unsupported=\"no matrix units\"\n");
  EXPECT_EQ(machine.refusal(big_gemm()), "no matrix units");
  EXPECT_EQ(machine.refusal(copy_8mb()), "");
}

TEST(ScriptedOutcomes, VerificationSaysWhatTheScriptSays) {
  ScriptedMachine machine(
      "point * time=1s\npoint gemm/* incorrect=\"off by 3\"\npoint stream/* unverified=\"big\"\n");
  const Verification wrong = machine.prepare(big_gemm())->verify();
  EXPECT_EQ(wrong.state, VerificationState::incorrect);
  EXPECT_EQ(wrong.detail, "off by 3");
  const Verification open = machine.prepare(copy_8mb())->verify();
  EXPECT_EQ(open.state, VerificationState::unverified);
  EXPECT_EQ(open.detail, "big");
  EXPECT_EQ(machine.prepare(PeakProbe{})->verify().state, VerificationState::verified);
}

TEST(ScriptedOutcomes, AHangOfSomeTimeIsInTheFirstCall) {
  EXPECT_EQ(scattered("hang=30s", 2), (std::vector<double>{31, 1}));
}

TEST(ScriptedOutcomes, AHangNeverComesBack) {
  ScriptedMachine machine("point * time=1s hang\n");
  const auto run = machine.prepare(big_gemm());
  EXPECT_EXIT(
      {
        alarm(1);
        (void)run->time(1);
      },
      testing::KilledBySignal(SIGALRM), "");
}

TEST(ScriptedFacts, SayThatNothingOfItIsReal) {
  ScriptedMachine machine("name Toy\nthreads 3\nclock 2GHz\nlevel l3 1MiB\nfact driver 7\n");
  EXPECT_EQ(machine.device().id, "scripted");
  EXPECT_EQ(machine.device().name, "scripted: Toy");
  const Facts facts{
      {"backend", std::string("scripted")}, {"script", std::string("test.script")},
      {"threads", std::uint64_t{3}},        {"clock_hz", 2e9},
      {"l3_byte", std::uint64_t{1048576}},  {"dram_array_byte", 8 * std::uint64_t{1048576}},
      {"driver", std::uint64_t{7}}};
  EXPECT_EQ(machine.device().facts, facts);
}

TEST(ScriptedFacts, OfARunAreTheScripts) {
  ScriptedMachine machine("point * time=1s\npoint gemm/* fact.provider=toyblas fact.pack_s=0.5\n");
  const Facts stated{{"provider", std::string("toyblas")}, {"pack_s", 0.5}};
  EXPECT_EQ(machine.prepare(big_gemm())->facts(), stated);
  const Facts plain{{"provider", std::string("scripted")}};
  EXPECT_EQ(machine.prepare(PeakProbe{})->facts(), plain);
}

TEST(ScriptedFacts, AStreamSaysWhereItsArraysLie) {
  ScriptedMachine machine("point * time=1s\npoint stream/fp64/* fact.level=none\n");
  const Stream inner{.elements = 8, .dtype = DType::fp32, .level = Boundary::l2};
  const Facts stated{{"provider", std::string("scripted")}, {"level", std::string("l2")}};
  EXPECT_EQ(machine.prepare(inner)->facts(), stated);
  const Facts between{{"level", std::string("none")}, {"provider", std::string("scripted")}};
  EXPECT_EQ(machine.prepare(Stream{.elements = 8, .dtype = DType::fp64})->facts(), between);
}

}  // namespace
}  // namespace roofline::test
