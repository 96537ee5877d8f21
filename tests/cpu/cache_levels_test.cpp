#include "backend/cpu/cache_levels.hpp"

#include "cpu_under_test.hpp"
#include "host/host.hpp"

namespace roofline::cpu {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;

host::Cache cache(unsigned level, std::uint64_t bytes, std::vector<unsigned> cpus,
                  host::CacheKind kind = host::CacheKind::unified) {
  return {level, kind, bytes, std::move(cpus)};
}

/// Two cores of a server: 48 KiB, 1 MiB, and 32 MiB between them.
host::Topology two_cores() {
  host::Topology out;
  for (const unsigned cpu : {0U, 1U}) {
    out.caches.push_back(cache(1, 48 * kKiB, {cpu}, host::CacheKind::data));
    out.caches.push_back(cache(1, 4 * kKiB, {cpu}, host::CacheKind::instruction));
    out.caches.push_back(cache(2, kMiB, {cpu}));
  }
  out.caches.push_back(cache(3, 32 * kMiB, {0, 1}));
  return out;
}

TEST(CacheShares, AreWhatOneOfTheThreadsHas) {
  const CacheShares one = cache_shares(two_cores(), {0});
  EXPECT_EQ(one.l1, 48 * kKiB);
  EXPECT_EQ(one.l2, kMiB);
  EXPECT_EQ(one.l3, 32 * kMiB);
  EXPECT_EQ(cache_shares(two_cores(), {0, 1}).l3, 16 * kMiB);
  EXPECT_EQ(cache_shares(two_cores(), {0, 1}).l2, kMiB);
  EXPECT_FALSE(cache_shares({}, {0}).l1.has_value());
}

TEST(CacheShares, TheLeastCountsWhereCoresDiffer) {
  host::Topology big_and_small = two_cores();
  big_and_small.caches[2].bytes = 2 * kMiB;
  EXPECT_EQ(cache_shares(big_and_small, {0, 1}).l2, kMiB);
  EXPECT_EQ(cache_shares(big_and_small, {0}).l2, 2 * kMiB);
}

TEST(CacheShares, HardwareThreadsOfACoreShareItsCaches) {
  host::Topology smt;
  smt.caches = {cache(1, 32 * kKiB, {0, 1}, host::CacheKind::data)};
  EXPECT_EQ(cache_shares(smt, {0, 1}).l1, 16 * kKiB);
}

TEST(LevelSet, LiesInsideTheLevelAndBeyondTheInnerOne) {
  const CacheShares one{48 * kKiB, kMiB, 32 * kMiB};
  EXPECT_EQ(level_set(one, Boundary::l1).bytes, 24 * kKiB);
  EXPECT_EQ(level_set(one, Boundary::l2).bytes, 512 * kKiB);
  EXPECT_EQ(level_set(one, Boundary::l3).bytes, 8 * kMiB);
  const CacheShares crowded{48 * kKiB, kMiB, 6 * kMiB};
  EXPECT_EQ(level_set(crowded, Boundary::l3).bytes, 3 * kMiB);
  for (const Boundary level : {Boundary::l1, Boundary::l2, Boundary::l3})
    EXPECT_EQ(level_of(one, static_cast<double>(level_set(one, level).bytes)), name(level));
}

TEST(LevelSet, WithoutRoomThereIsAReasonAndAWayOut) {
  // 2 MiB of L2 and 1.9 MB of L3 for each thread.
  const LevelSet set = level_set({48 * kKiB, 2 * kMiB, 1900 * kKiB}, Boundary::l3);
  EXPECT_EQ(set.bytes, 0U);
  EXPECT_NE(set.problem.find("fewer threads"), std::string::npos) << set.problem;
  EXPECT_NE(set.problem.find("1.9 MB"), std::string::npos) << set.problem;
  EXPECT_NE(level_set({48 * kKiB, kMiB, {}}, Boundary::l3).problem.find("l3"), std::string::npos);
}

TEST(LevelOf, TransitionsAreNamed) {
  const CacheShares shares{48 * kKiB, kMiB, 32 * kMiB};
  const struct {
    std::uint64_t bytes;
    const char* level;
  } cases[] = {
      {24 * kKiB, "l1"},
      {25 * kKiB, "between l1 and l2"},
      {379 * kKiB, "between l1 and l2"},
      {384 * kKiB, "l2"},
      {512 * kKiB, "l2"},
      {513 * kKiB, "between l2 and l3"},
      {8 * kMiB, "l3"},
      {16 * kMiB, "l3"},
      {17 * kMiB, "between l3 and dram"},
      {250 * kMiB, "between l3 and dram"},
      {256 * kMiB, "dram"},
  };
  for (const auto& expected : cases)
    EXPECT_EQ(level_of(shares, static_cast<double>(expected.bytes)), expected.level)
        << expected.bytes;
  EXPECT_EQ(level_of({}, 1e6), "");
  EXPECT_EQ(level_of({32 * kKiB, kMiB, {}}, 1e9), "dram");
}

/// Bytes per cycle of the best of many samples: what other work takes away only lowers it.
double best_bytes_per_cycle(Cpu& cpu, const Stream& stream) {
  const Workload workload = cpu.completed(stream);
  const auto run = cpu.prepare(workload);
  EXPECT_EQ(run->verify().state, VerificationState::verified);
  const double bytes = total_traffic(account(workload)).as_double();
  std::uint64_t passes = 1;
  while (in_second(run->time(passes).duration) < 1e-3) passes *= 2;
  double best = 0;
  for (int i = 0; i < 25; ++i) {
    const Sample sample = run->time(passes);
    if (!sample.clock) return 0;
    best = std::max(best, bytes * static_cast<double>(passes) / in_second(sample.duration) /
                              in_hertz(*sample.clock));
  }
  return best;
}

TEST(CpuBackend, EveryLevelRunsEveryMixAndIsRight) {
  for (const Isa isa : isas_here()) {
    Cpu cpu(alone(isa));
    for (const Boundary level : {Boundary::l1, Boundary::l2}) {
      for (const StreamKind kind : kinds()) {
        for (const DType dtype : {DType::fp32, DType::fp64}) {
          const Stream stream{.kind = kind, .dtype = dtype, .level = level};
          if (const std::string refused = cpu.refusal(stream); !refused.empty()) continue;
          SCOPED_TRACE(std::string(name(isa)) + " " + std::string(name(level)) + " " +
                       std::string(name(kind)));
          const Facts facts = cpu.check(stream);
          EXPECT_EQ(text(facts, "level"), name(level));
          EXPECT_NE(text(facts, "stores"), "non-temporal");
        }
      }
    }
  }
}

TEST(CpuBackend, LevelSetsAreWithinTheirCache) {
  Cpu cpu;
  const CacheShares shares = cache_shares(host::read_host().topology, {0});
  const Stream asked{.kind = StreamKind::triad, .dtype = DType::fp64, .level = Boundary::l1};
  if (!shares.l1 || !cpu.refusal(asked).empty()) GTEST_SKIP() << "no cache sizes here";
  const auto stream = std::get<Stream>(cpu.completed(asked));
  const auto threads = std::get<std::uint64_t>(*find(cpu.device().facts, "threads"));
  EXPECT_LE(std::uint64_t{24} * stream.elements, threads * *shares.l1 / 2);
  EXPECT_GT(stream.elements, 0U);
  EXPECT_FALSE(stream.write_allocate) << "no level lies before L1";
  EXPECT_EQ(cpu.completed(stream), Workload{stream});
  EXPECT_NE(cpu.refusal(Stream{.kind = StreamKind::read, .level = Boundary::link}).find("link"),
            std::string::npos);
}

TEST(CpuBackend, CachesAreFasterTheNearerTheyAre) {
#if ROOFLINE_SANITIZED
  GTEST_SKIP() << "sanitizers check every load";
#endif
  Cpu cpu(alone(isas_here().back()));
  const auto rate = [&](Boundary level) {
    const Stream stream{.kind = StreamKind::read, .dtype = DType::fp64, .level = level};
    return cpu.refusal(stream).empty() ? best_bytes_per_cycle(cpu, stream) : 0.0;
  };
  const double l1 = rate(Boundary::l1);
  const double l2 = rate(Boundary::l2);
  if (l1 == 0 || l2 == 0) GTEST_SKIP() << "no cache sizes or no core clock here";
  // Loose: other work may disturb every sample.
  EXPECT_GT(l1, 1.2 * l2);
#if defined(__x86_64__)
  // More than 5 % above what the core can load would be passes that were left out.
  const double width = isas_here().back() == Isa::avx512 ? 64 : 32;
  if (isas_here().size() > 1) {
    EXPECT_GT(l1, width / 2) << "two loads a cycle, of which other work on the core may take half";
    EXPECT_LT(l1, 3 * width * 1.05) << "three loads a cycle, the most that there are";
  }
#endif
}

TEST(CpuBackend, AnUpdateIsInPlaceWithRegularStores) {
  for (const Isa isa : isas_here()) {
    Cpu cpu(alone(isa));
    const Stream update{.kind = StreamKind::update, .elements = 10001, .dtype = DType::fp32};
    const auto stream = std::get<Stream>(cpu.completed(update));
    EXPECT_FALSE(stream.write_allocate);
    EXPECT_EQ(text(cpu.check(update), "stores"), "regular");
    // Again after any number of timed passes.
    const auto run = cpu.prepare(update);
    static_cast<void>(run->time(2001));
    EXPECT_EQ(run->verify().state, VerificationState::verified);
  }
  Cpu cpu;
  EXPECT_NE(cpu.refusal(Stream{StreamKind::update, 100, DType::bf16}).find("fp32 and fp64"),
            std::string::npos);
}

TEST(CpuBackend, AWorkingSetSaysWhereItLies) {
  Cpu cpu(small(64));
  const Facts facts = cpu.check(Stream{StreamKind::triad, 1000, DType::fp64});
  EXPECT_EQ(std::get<std::uint64_t>(*find(facts, "working_set_byte")), 3U * 8 * 1000);
  const CacheShares shares = cache_shares(host::read_host().topology, {0});
  if (!shares.l1 || !shares.l2) GTEST_SKIP() << "no cache sizes here";
  CpuOptions one = small(64);
  one.threads = 1;
  Cpu alone(one);
  const auto level = [&](std::uint64_t bytes) {
    return text(alone.check(Stream{StreamKind::read, bytes / 8, DType::fp64}), "level");
  };
  EXPECT_EQ(level(*shares.l1 / 4), "l1");
  EXPECT_EQ(level(*shares.l1), "between l1 and l2");
}

}  // namespace
}  // namespace roofline::cpu
