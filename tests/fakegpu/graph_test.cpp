// Captured graphs: what goes into them, what they cost, and what may not be done meanwhile.
#include "fake_gpu.hpp"

namespace fakegpu {
namespace {

class Graphs : public FakeGpu {
 protected:
  Graphs() { start("device a100-80gb"); }

  void begin(CUstream on, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL) {
    (void)function("empty");  // loads the module, which would spoil the capture
    ASSERT_EQ(cu.cuStreamBeginCapture(on, mode), CUDA_SUCCESS);
  }
  [[nodiscard]] CUgraphExec finish(CUstream on) {
    CUgraph graph = nullptr;
    CUgraphExec exec = nullptr;
    EXPECT_EQ(cu.cuStreamEndCapture(on, &graph), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
    EXPECT_EQ(cu.cuGraphDestroy(graph), CUDA_SUCCESS);
    return exec;
  }
  [[nodiscard]] CUresult end(CUstream on) {
    CUgraph graph = nullptr;
    return cu.cuStreamEndCapture(on, &graph);
  }
  [[nodiscard]] unsigned value_at(CUdeviceptr pointer) {
    unsigned value = 0;
    EXPECT_EQ(cu.cuMemcpyDtoH(&value, pointer, 4), CUDA_SUCCESS);
    return value;
  }
};

TEST_F(Graphs, DoTheirWorkAtEachLaunchAndNotBefore) {
  const CUstream on = stream();
  const CUdeviceptr a = allocate(4);
  ASSERT_EQ(cu.cuMemsetD32(a, 1, 1), CUDA_SUCCESS);
  begin(on);
  ASSERT_EQ(cu.cuMemsetD32Async(a, 2, 1, on), CUDA_SUCCESS);
  CUgraphExec exec = finish(on);
  EXPECT_EQ(value_at(a), 1U);
  ASSERT_EQ(cu.cuGraphLaunch(exec, on), CUDA_SUCCESS);
  EXPECT_EQ(value_at(a), 2U);
  ASSERT_EQ(cu.cuMemsetD32(a, 3, 1), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphLaunch(exec, on), CUDA_SUCCESS);
  EXPECT_EQ(value_at(a), 2U);
  EXPECT_EQ(cu.cuGraphExecDestroy(exec), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuGraphLaunch(exec, on), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(Graphs, KeepTheArgumentsOfTheirKernels) {
  const CUstream on = stream();
  const CUevent before = event();
  const CUevent after = event();
  begin(on);
  std::uint64_t nanoseconds = 1000000;
  ASSERT_EQ(launch(function("spin"), 1, 1, on, {&nanoseconds}), CUDA_SUCCESS);
  nanoseconds = 50000000;  // too late
  CUgraphExec exec = finish(on);
  ASSERT_EQ(cu.cuEventRecord(before, on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphLaunch(exec, on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(after, on), CUDA_SUCCESS);
  EXPECT_NEAR(elapsed(before, after), 1e-3, 0.1e-3);
}

TEST_F(Graphs, CostLessThanLaunches) {
  use("device a100-80gb\ncost launch 4us\ncost kernel 2us\ncost node 1us\ncost graph_launch 8us");
  start();
  const CUstream on = stream();
  const CUevent before = event();
  const CUevent after = event();
  begin(on);
  for (int i = 0; i < 100; ++i) ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  CUgraphExec exec = finish(on);
  ASSERT_EQ(cu.cuEventRecord(before, on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphLaunch(exec, on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuEventRecord(after, on), CUDA_SUCCESS);
  EXPECT_NEAR(elapsed(before, after), 100e-6, 15e-6);
}

TEST_F(Graphs, CountTheirNodes) {
  const CUstream on = stream();
  begin(on);
  for (int i = 0; i < 7; ++i) ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  CUgraph graph = nullptr;
  ASSERT_EQ(cu.cuStreamEndCapture(on, &graph), CUDA_SUCCESS);
  std::size_t nodes = 0;
  ASSERT_EQ(cu.cuGraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
  EXPECT_EQ(nodes, 7U);
}

TEST_F(Graphs, AreSpoiltByWaiting) {
  const CUstream on = stream();
  begin(on);
  ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(on), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(launch_empty(on), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(end(on), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  EXPECT_EQ(launch_empty(on), CUDA_SUCCESS) << "the stream is a stream again";
  EXPECT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
}

TEST_F(Graphs, AreSpoiltByWhatMightWait) {
  const CUstream on = stream();
  CUdeviceptr pointer = 0;
  begin(on);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(on), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(on);
  EXPECT_EQ(cu.cuMemAlloc(&pointer, 64), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  EXPECT_EQ(end(on), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(on);
  EXPECT_EQ(launch_empty(nullptr), CUDA_ERROR_STREAM_CAPTURE_IMPLICIT);
  EXPECT_EQ(end(on), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  begin(on, CU_STREAM_CAPTURE_MODE_RELAXED);
  EXPECT_EQ(cu.cuMemAlloc(&pointer, 64), CUDA_SUCCESS);
  EXPECT_EQ(end(on), CUDA_SUCCESS);
}

TEST_F(Graphs, HaveEventsThatNobodyCanAsk) {
  const CUstream on = stream();
  const CUevent inside = event();
  begin(on);
  ASSERT_EQ(cu.cuEventRecord(inside, on), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuEventQuery(inside), CUDA_ERROR_CAPTURED_EVENT);
  EXPECT_EQ(end(on), CUDA_SUCCESS);
}

TEST_F(Graphs, BeginOnceAndOnAStreamOfTheirOwn) {
  const CUstream on = stream();
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  ASSERT_EQ(cu.cuStreamIsCapturing(on, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_NONE);
  EXPECT_EQ(end(on), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(cu.cuStreamBeginCapture(nullptr, CU_STREAM_CAPTURE_MODE_GLOBAL),
            CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  begin(on);
  ASSERT_EQ(cu.cuStreamIsCapturing(on, &status), CUDA_SUCCESS);
  EXPECT_EQ(status, CU_STREAM_CAPTURE_STATUS_ACTIVE);
  EXPECT_EQ(cu.cuStreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_GLOBAL), CUDA_ERROR_ILLEGAL_STATE);
  EXPECT_EQ(end(on), CUDA_SUCCESS);
}

TEST_F(Graphs, FailWhereTheirKernelsDo) {
  start("device a100-80gb\nfault kernel 4 illegal_address");
  const CUstream on = stream();
  begin(on);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(launch_empty(on), CUDA_SUCCESS);
  CUgraphExec exec = finish(on);
  ASSERT_EQ(cu.cuGraphLaunch(exec, on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuGraphLaunch(exec, on), CUDA_SUCCESS);
  EXPECT_EQ(cu.cuStreamSynchronize(on), CUDA_ERROR_ILLEGAL_ADDRESS);
}

}  // namespace
}  // namespace fakegpu
