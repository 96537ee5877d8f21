// What a sample was taken under: clock, placement, share of the CPU.
#include "backend/cpu/conditions.hpp"

#include <chrono>
#include <thread>

#include "cpu_under_test.hpp"
#include "host/host.hpp"

namespace roofline::cpu {
namespace {

using enum Distance;

std::vector<unsigned> some_cpus(std::size_t count) {
  const std::vector<unsigned> allowed = host::read_host().allowed_cpus;
  std::vector<unsigned> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(allowed[i % allowed.size()]);
  return out;
}

TEST(PlacementWatch, LatenciesAreNearOrFar) {
  PlacementWatch watch;
  EXPECT_EQ(watch.observe({40e-9, 190e-9, 64e-9}), (std::vector{near, far, near}));
  EXPECT_EQ(watch.observe({190e-9, 190e-9, 64e-9}), (std::vector{far, far, near}));
}

TEST(PlacementWatch, APairNearTheLimitDoesNotFlicker) {
  PlacementWatch watch;
  EXPECT_EQ(watch.observe({98e-9, 102e-9}), (std::vector{near, far}));
  EXPECT_EQ(watch.observe({112e-9, 90e-9}), (std::vector{near, far}));
  EXPECT_EQ(watch.observe({125e-9, 80e-9}), (std::vector{far, near}));
}

TEST(PlacementWatch, WithoutAReadingAPairStaysWhatItWas) {
  PlacementWatch watch;
  EXPECT_EQ(watch.observe({0}), (std::vector{unknown}));
  EXPECT_EQ(watch.observe({40e-9}), (std::vector{near}));
  EXPECT_EQ(watch.observe({0}), (std::vector{near}));
}

TEST(PlacementText, NamesOneClassOrCountsThem) {
  EXPECT_EQ(placement_text({}), "");
  EXPECT_EQ(placement_text({near, near}), "near");
  EXPECT_EQ(placement_text({far}), "far");
  EXPECT_EQ(placement_text({near, far, near}), "2 near, 1 far");
  EXPECT_EQ(placement_text({near, unknown}), "");
}

TEST(CoreLatency, PairsOfDistinctCpusHaveALatencyThatLightAllows) {
  const std::vector<unsigned> cpus = some_cpus(3);
  if (cpus[0] == cpus[1]) GTEST_SKIP() << "this process has one CPU";
  Team team(cpus);
  CoreLatency latency(3);
  double best = 0;
  for (int attempt = 0; attempt < 20; ++attempt) {
    team.run([&](unsigned worker) { latency.measure(team, worker); });
    const std::vector<double> seconds = latency.seconds();
    ASSERT_EQ(seconds.size(), 2U);
    if (seconds[0] > 0 && (best == 0 || seconds[0] < best)) best = seconds[0];
  }
  // No reading at all would take another process on one of them all the time.
  EXPECT_GT(best, 1e-9);
  EXPECT_LT(best, 2e-6);
}

TEST(CoreLatency, WorkersThatShareACpuEndWithoutAReading) {
  const unsigned cpu = some_cpus(1)[0];
  Team team({cpu, cpu});
  CoreLatency latency(2);
  const auto begin = std::chrono::steady_clock::now();
  team.run([&](unsigned worker) { latency.measure(team, worker); });
  EXPECT_EQ(latency.seconds(), std::vector<double>{0.0});
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(Conditions, EverySampleHasItsClockAndPlacement) {
  Team team(some_cpus(2));
  PlacementWatch watch;
  Conditions conditions(team, watch);
  const Sample sample = conditions.sample(
      3, [](unsigned) { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  EXPECT_EQ(sample.iterations, 3U);
  EXPECT_GE(in_second(sample.duration), 0.005);
  EXPECT_LT(in_second(sample.duration), 2.0);
  EXPECT_EQ(sample.disturbance, Disturbance::contended) << "the workers slept";
#if defined(__x86_64__) || defined(__aarch64__)
  ASSERT_TRUE(sample.clock.has_value());
  // From the slowest that may be to twice the fastest ever sold.
  EXPECT_GT(in_hertz(*sample.clock), 0.2e9);
  EXPECT_LT(in_hertz(*sample.clock), 16e9);
  EXPECT_NE(find(conditions.facts(), "clock_hz"), nullptr);
#endif
  EXPECT_TRUE(sample.placement == "near" || sample.placement == "far" || sample.placement.empty())
      << sample.placement;
}

TEST(Conditions, OneThreadHasNoPlacement) {
  Team team(some_cpus(1));
  PlacementWatch watch;
  Conditions conditions(team, watch);
  const Sample sample = conditions.sample(1, [](unsigned) {});
  EXPECT_EQ(sample.placement, "");
  EXPECT_NE(sample.disturbance, Disturbance::moved);
  EXPECT_EQ(find(conditions.facts(), "core_to_core_min_s"), nullptr);
}

TEST(Conditions, WhatIsObservedIsNotTimed) {
  Team team(some_cpus(2));
  PlacementWatch watch;
  Conditions conditions(team, watch);
  double least = 1;
  for (int i = 0; i < 20; ++i)
    least = std::min(least, in_second(conditions.sample(1, [](unsigned) {}).duration));
  // The chains alone take 0.2 ms.
  EXPECT_LT(least, 0.1e-3);
}

TEST(Conditions, ALibrarysWorkIsTimedOnItsThread) {
  Team team(some_cpus(2));
  PlacementWatch watch;
  Conditions conditions(team, watch);
  LibraryThread thread;
  std::thread::id where;
  std::vector<double> cpu{0, 0};
  const LibraryWork work{
      .run =
          [&] {
            where = std::this_thread::get_id();
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            cpu = {0.010, 0.004};
          },
      .cpu_s = [&] { return cpu; },
  };
  const Sample sample = conditions.sample(2, thread, work);
  EXPECT_NE(where, std::this_thread::get_id());
  EXPECT_EQ(sample.iterations, 2U);
  EXPECT_GE(in_second(sample.duration), 0.010);
  ASSERT_TRUE(sample.cpu_share.has_value());
  EXPECT_LE(*sample.cpu_share, 0.4);
  EXPECT_EQ(sample.disturbance, Disturbance::contended);
  LibraryWork sleepy = work;
  sleepy.sleeps = true;
  EXPECT_FALSE(conditions.sample(1, thread, sleepy).cpu_share.has_value());
}

TEST(JudgeSample, NamesWhatSpoiledIt) {
  const auto judged = [](double share, const std::vector<Distance>& before,
                         const std::vector<Distance>& after) {
    Sample sample{.duration = second(1), .cpu_share = share};
    judge_sample(sample, before, after);
    return sample;
  };
  EXPECT_TRUE(judged(0.99, {near}, {near}).clean());
  EXPECT_EQ(judged(0.99, {near}, {near}).placement, "near");
  EXPECT_EQ(judged(0.984, {near}, {near}).disturbance, Disturbance::contended);
  EXPECT_EQ(judged(0.99, {near}, {far}).disturbance, Disturbance::moved);
  EXPECT_EQ(judged(0.99, {far, near}, {near, far}).disturbance, Disturbance::moved);
  EXPECT_EQ(judged(0.5, {near}, {far}).disturbance, Disturbance::contended);
  EXPECT_TRUE(judged(1, {unknown}, {near}).clean()) << "nobody saw it lie otherwise";
  EXPECT_TRUE(judged(1, {}, {}).clean());
}

TEST(LibraryShare, IsTheLeastOfTheThreadsThatWorked) {
  const LibraryShare all = library_share({1, 2}, {1.99, 2.9}, 1);
  EXPECT_EQ(all.used, 2U);
  EXPECT_NEAR(*all.least, 0.9, 1e-12);
  const LibraryShare one = library_share({1, 2, 3}, {2, 2.01, 3}, 1);
  EXPECT_EQ(one.used, 1U);
  EXPECT_NEAR(*one.least, 1, 1e-12);
  const LibraryShare kept_off = library_share({1, 2}, {1.03, 2.01}, 1);
  EXPECT_EQ(kept_off.used, 0U);
  EXPECT_NEAR(*kept_off.least, 0.03, 1e-12) << "a sample that hardly ran is no clean one";
  EXPECT_FALSE(library_share({}, {}, 1).least.has_value());
  EXPECT_FALSE(library_share({1}, {2}, 0).least.has_value());
}

}  // namespace
}  // namespace roofline::cpu
