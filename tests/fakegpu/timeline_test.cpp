// The two times: what the host does, and what the streams do meanwhile. Nothing here sleeps.
#include <chrono>
#include <cmath>

#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

constexpr double kMicrosecond = 1e-6;

class Timeline : public FakeGpu {
 protected:
  Timeline() { start("device a100-80gb"); }

  /// s between events around `count` empty kernels; behind a spinning one if so wanted.
  [[nodiscard]] double time_of_empty(int count, bool hidden) {
    const CUstream on = stream();
    const CUevent before = event();
    const CUevent after = event();
    if (hidden) {
      EXPECT_EQ(spin(on, 5e-3), CUDA_SUCCESS);
    }
    EXPECT_EQ(cu.cuEventRecord(before, on), CUDA_SUCCESS);
    for (int i = 0; i < count; ++i) EXPECT_EQ(launch_empty(on), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuEventRecord(after, on), CUDA_SUCCESS);
    return elapsed(before, after);
  }
};

TEST_F(Timeline, GapsOnAnIdleStreamAreTheHosts) {
  use("device a100-80gb\ncost launch 10us\ncost kernel 1us\ncost event 0.1us");
  start();
  EXPECT_NEAR(time_of_empty(100, false), 100 * 10 * kMicrosecond, 100 * kMicrosecond);
  EXPECT_NEAR(time_of_empty(100, true), 100 * 1 * kMicrosecond, 2 * kMicrosecond);
}

TEST_F(Timeline, WaitingTakesAsLongAsTheStream) {
  const CUstream on = stream();
  const double before = machine().host_now_s;
  ASSERT_EQ(spin(on, 0.25), CUDA_SUCCESS);
  EXPECT_LT(machine().host_now_s - before, 50 * kMicrosecond);
  ASSERT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_NEAR(machine().host_now_s - before, 0.25, 0.001);
}

TEST_F(Timeline, QueriesAreHonest) {
  const CUstream on = stream();
  const CUevent early = event();
  const CUevent late = event();
  EXPECT_EQ(cu.cuEventQuery(early), CUDA_SUCCESS) << "nothing was recorded";
  ASSERT_EQ(cu.cuEventRecord(early, on), CUDA_SUCCESS);
  ASSERT_EQ(spin(on, 0.1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(late, on), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamQuery(on), CUDA_ERROR_NOT_READY);
  EXPECT_EQ(cu.cuEventQuery(late), CUDA_ERROR_NOT_READY);
  float milliseconds = 0;
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, early, late), CUDA_ERROR_NOT_READY);
  int polls = 0;
  while (cu.cuEventQuery(late) == CUDA_ERROR_NOT_READY) ++polls;
  EXPECT_LT(polls, 100) << "polling ends";
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, early, late), CUDA_SUCCESS);
  EXPECT_NEAR(milliseconds, 100, 1);
}

TEST_F(Timeline, EventsAreInStepsOfHalfAMicrosecond) {
  const CUstream on = stream();
  const CUevent before = event();
  const CUevent after = event();
  for (int i = 1; i < 20; ++i) {
    ASSERT_EQ(spin(on, 1e-4), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuEventRecord(before, on), CUDA_SUCCESS);
    ASSERT_EQ(spin(on, i * 1.23e-6), CUDA_SUCCESS);
    ASSERT_EQ(cu.cuEventRecord(after, on), CUDA_SUCCESS);
    const double steps = elapsed(before, after) / (0.5 * kMicrosecond);
    EXPECT_NEAR(steps, std::round(steps), 1e-3);
    EXPECT_GT(steps, 0);
  }
}

TEST_F(Timeline, TwoEventsAreNotFree) {
  const CUstream on = stream();
  const CUevent before = event();
  const CUevent after = event();
  ASSERT_EQ(cu.cuEventRecord(before, on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(after, on), CUDA_SUCCESS);
  EXPECT_GT(elapsed(before, after), 0);
  EXPECT_LT(elapsed(before, after), 5 * kMicrosecond);
}

TEST_F(Timeline, TheLegacyStreamWaitsForBlockingStreamsOnly) {
  const CUstream blocking = stream(CU_STREAM_DEFAULT);
  const CUstream apart = stream(CU_STREAM_NON_BLOCKING);
  const CUevent done = event();
  ASSERT_EQ(spin(blocking, 0.01), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(done, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventQuery(done), CUDA_ERROR_NOT_READY);
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  ASSERT_EQ(spin(apart, 0.01), CUDA_SUCCESS);
  const double before = machine().host_now_s;
  ASSERT_EQ(cu.cuStreamSynchronize(nullptr), CUDA_SUCCESS);
  EXPECT_LT(machine().host_now_s - before, 0.001);
}

TEST_F(Timeline, AStreamWaitsForAnEventOfAnother) {
  const CUstream first = stream();
  const CUstream second = stream();
  const CUevent done = event();
  const CUevent after = event();
  ASSERT_EQ(spin(first, 0.01), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(done, first), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamWaitEvent(second, done, 0), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(after, second), CUDA_SUCCESS);
  EXPECT_GE(elapsed(done, after), 0);
  EXPECT_LT(elapsed(done, after), 10 * kMicrosecond);
}

TEST_F(Timeline, EventsWithoutTimingHaveNone) {
  CUevent plain = nullptr;
  ASSERT_EQ(cu.cuEventCreate(&plain, CU_EVENT_DISABLE_TIMING), CUDA_SUCCESS);
  const CUevent timed = event();
  float milliseconds = 0;
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, timed, timed), CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(cu.cuEventRecord(plain, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(timed, nullptr), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventElapsedTime(&milliseconds, plain, timed), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Timeline, WhatIsDestroyedIsNoLongerThere) {
  const CUstream on = stream();
  const CUevent moment = event();
  EXPECT_EQ(cu.cuStreamDestroy(on), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(on), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu.cuStreamDestroy(on), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cu.cuEventDestroy(moment), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventRecord(moment, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Timeline, TheFirstLaunchMayBeSlow) {
  use("device a100-80gb\ncost first_launch 300us");
  start();
  EXPECT_NEAR(time_of_empty(1, false), 300 * kMicrosecond, 10 * kMicrosecond);
  EXPECT_LT(time_of_empty(1, false), 10 * kMicrosecond);
}

TEST_F(Timeline, TheHostMayFollowTheClock) {
  use("device a100-80gb\nhost real");
  start();
  const double before = machine().host_now_s;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
  while (std::chrono::steady_clock::now() < end) {
  }
  ASSERT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_GE(machine().host_now_s - before, 0.02);
}

}  // namespace
}  // namespace fakegpu
