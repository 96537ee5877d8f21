#include "backend/cpu/team.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "backend/cpu/library_thread.hpp"
#include "host/host.hpp"

namespace roofline::cpu {
namespace {

std::vector<unsigned> two_workers() {
  std::vector<unsigned> cpus = host::read_host().allowed_cpus;
  // On a machine of one CPU both share it.
  if (cpus.size() == 1) cpus.push_back(cpus[0]);
  cpus.resize(2);
  return cpus;
}

TEST(Team, EveryWorkerRunsOnItsOwnCpuAndTheCallerStaysFree) {
  const std::vector<unsigned> before = host::read_host().allowed_cpus;
  Team team(two_workers());
  EXPECT_TRUE(team.pinned());
  std::vector<int> seen(2, -1);
  team.run([&](unsigned worker) { seen[worker] = sched_getcpu(); });
  EXPECT_EQ(seen[0], static_cast<int>(team.cpus()[0]));
  EXPECT_EQ(seen[1], static_cast<int>(team.cpus()[1]));
  EXPECT_EQ(host::read_host().allowed_cpus, before);
}

TEST(Team, MeetingsAreBarriers) {
  Team team(two_workers());
  std::atomic<int> count = 0;
  std::atomic<bool> early = false;
  team.run([&](unsigned) {
    for (int round = 1; round <= 200; ++round) {
      ++count;
      team.meet();
      if (count < 2 * round) early = true;
      team.meet();
    }
  });
  EXPECT_EQ(count, 400);
  EXPECT_FALSE(early);
}

TEST(Team, SharesTellAnIdleWorkerFromABusyOne) {
  Team team(two_workers());
  const TeamTime idle = team.run([](unsigned worker) {
    if (worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(30));
  });
  EXPECT_GE(idle.seconds, 0.029);
  EXPECT_LT(idle.cpu_share, 0.5);
  EXPECT_GE(idle.cpu_share, 0.0);
  EXPECT_EQ(team.times().size(), 2U);
  EXPECT_GE(team.times()[1].end_s - team.times()[1].start_s, 0.029);
}

TEST(Team, ManyShortRuns) {
  Team team(two_workers());
  std::atomic<int> count = 0;
  for (int i = 0; i < 300; ++i) team.run([&](unsigned) { ++count; });
  EXPECT_EQ(count, 600);
}

TEST(Parts, CoverEverythingOnceInWholePages) {
  for (const std::size_t bytes : {0UL, 1UL, 4095UL, 4096UL, 4097UL, 1000003UL, 268435456UL}) {
    for (const unsigned workers : {1U, 2U, 3U, 7U, 64U}) {
      std::size_t next = 0;
      for (unsigned worker = 0; worker < workers; ++worker) {
        const Part part = part_of(bytes, worker, workers);
        EXPECT_EQ(part.begin, next);
        EXPECT_TRUE(part.begin % 4096 == 0 || part.begin == bytes);
        next = part.end;
      }
      EXPECT_EQ(next, bytes);
    }
  }
}

TEST(Parts, PiecesDifferByOneAtMost) {
  for (const std::size_t pieces : {0UL, 5UL, 86UL, 257UL}) {
    std::size_t next = 0;
    for (unsigned worker = 0; worker < 4; ++worker) {
      const Part part = pieces_of(pieces, worker, 4);
      EXPECT_EQ(part.begin, next);
      EXPECT_LE(part.size(), pieces / 4 + 1);
      EXPECT_GE(part.size(), pieces / 4);
      next = part.end;
    }
    EXPECT_EQ(next, pieces);
  }
}

TEST(LibraryThread, AlwaysTheSameThreadAndErrorsComeOut) {
  LibraryThread thread;
  std::thread::id first;
  std::thread::id second;
  thread.call([&] { first = std::this_thread::get_id(); });
  thread.call([&] { second = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_NE(first, std::this_thread::get_id());
  EXPECT_THROW(thread.call([] { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_NO_THROW(thread.call([] {}));
}

}  // namespace
}  // namespace roofline::cpu
