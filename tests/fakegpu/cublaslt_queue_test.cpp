// Products in streams and graphs: when they are computed, what goes wrong in them on request, and
// what nobody looks at.
#include <chrono>

#include "cublaslt_fixture.hpp"

namespace fakegpu {
namespace {

class Queue : public CublasLt {
 protected:
  [[nodiscard]] std::uint64_t executed() const { return machine().kernels_executed; }

  /// As long as D is not read.
  void multiply_often(const Prepared& prepared) {
    for (int i = 0; i < 500; ++i) ASSERT_EQ(multiply(prepared), lt::kSuccess);
  }
  void free_all(const Prepared& prepared) {
    for (const PreparedMatrix* const matrix :
         {&prepared.a, &prepared.b, &prepared.c, &prepared.d}) {
      ASSERT_EQ(cu.cuMemFree(matrix->device), CUDA_SUCCESS);
    }
  }
};

TEST_F(Queue, ComputesWhatIsReadAndNothingElse) {
  begin();
  const Prepared prepared = prepare(sized(bf16_product(), 64, 48, 32));
  const std::uint64_t before = executed();
  ASSERT_NO_FATAL_FAILURE(multiply_often(prepared));
  EXPECT_EQ(executed(), before);
  EXPECT_EQ(read(prepared), expected(prepared));
  EXPECT_EQ(executed(), before + 1);
}

TEST_F(Queue, ComputesNothingForMemoryThatIsGivenBack) {
  begin();
  const std::uint64_t before = executed();
  // Operands first, so that a last product is still to be done when they go.
  const Prepared large = prepare([] {
    Product product = sized(bf16_product(), 8192, 8192, 8192);
    product.filled = false;
    return product;
  }());
  ASSERT_NO_FATAL_FAILURE(multiply_often(large));
  ASSERT_NO_FATAL_FAILURE(free_all(large));
  EXPECT_EQ(executed(), before);
  const Prepared other = prepare(bf16_product());
  ASSERT_NO_FATAL_FAILURE(multiply_often(other));
  ASSERT_EQ(cu.cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  EXPECT_EQ(executed(), before);
}

TEST_F(Queue, ComputesNothingInPlaceForMemoryThatIsGivenBack) {
  begin();
  Product product = bf16_product();
  product.beta = 1;
  Prepared prepared = prepare(product);
  ASSERT_EQ(cu.cuMemFree(prepared.c.device), CUDA_SUCCESS);
  prepared.c.device = prepared.d.device;
  const std::uint64_t before = executed();
  ASSERT_NO_FATAL_FAILURE(multiply_often(prepared));
  ASSERT_EQ(cu.cuMemFree(prepared.d.device), CUDA_SUCCESS);
  EXPECT_EQ(executed(), before);
}

TEST_F(Queue, KeepsOperandsThatAreGivenBackTooEarly) {
  begin();
  const Prepared prepared = prepare(sized(bf16_product(), 64, 48, 32));
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  ASSERT_EQ(cu.cuMemFree(prepared.a.device), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuMemFree(prepared.b.device), CUDA_SUCCESS);
  for (int i = 0; i < 10; ++i) (void)allocate(1 << 20);
  EXPECT_EQ(read(prepared), expected(prepared));
}

TEST_F(Queue, MultipliesWhatTheOperandsHeldThen) {
  begin();
  const Prepared prepared = prepare(bf16_product());
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  ASSERT_EQ(cu.cuMemsetD8(prepared.a.device, 0, 128), CUDA_SUCCESS);
  EXPECT_EQ(read(prepared), expected(prepared));
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(read(prepared), std::vector<double>(64, 0.0));
}

TEST_F(Queue, MultipliesProducts) {
  begin();
  const Prepared first = prepare(fp32_product());
  Prepared second = prepare(fp32_product());
  second.a.device = first.d.device;
  second.a.values = expected(first);
  ASSERT_EQ(multiply(first), lt::kSuccess);
  ASSERT_EQ(multiply(second), lt::kSuccess);
  ASSERT_EQ(cu.cuMemsetD8(first.d.device, 0, 256), CUDA_SUCCESS);
  EXPECT_EQ(read(second), expected(second));
}

TEST_F(Queue, KeepsTheArgumentsOfAGraph) {
  begin();
  const CUstream on = stream();
  Product product = bf16_product();
  product.alpha = 2;
  Prepared prepared = prepare(product);
  ASSERT_EQ(multiply(prepared), lt::kSuccess);  // makes the workspace, which no capture may
  ASSERT_EQ(cu.cuMemsetD8(prepared.d.device, 0xff, 128), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamBeginCapture(on, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), CUDA_SUCCESS);
  ASSERT_EQ(multiply(prepared, nullptr, on), lt::kSuccess);
  ASSERT_EQ(multiply(prepared, nullptr, on), lt::kSuccess);
  CUgraph graph = nullptr;
  ASSERT_EQ(cu.cuStreamEndCapture(on, &graph), CUDA_SUCCESS);
  std::size_t nodes = 0;
  ASSERT_EQ(cu.cuGraphGetNodes(graph, nullptr, &nodes), CUDA_SUCCESS);
  EXPECT_EQ(nodes, 2U);
  CUgraphExec exec = nullptr;
  ASSERT_EQ(cu.cuGraphInstantiateWithFlags(&exec, graph, 0), CUDA_SUCCESS);
  EXPECT_NE(read(prepared), expected(prepared)) << "nothing has run yet";
  ASSERT_EQ(lt_api.layout_destroy(prepared.a.layout), lt::kSuccess);
  ASSERT_EQ(lt_api.desc_destroy(prepared.descriptor), lt::kSuccess);
  ASSERT_EQ(cu.cuGraphLaunch(exec, on), CUDA_SUCCESS);
  ASSERT_EQ(cu.cuStreamSynchronize(on), CUDA_SUCCESS);
  EXPECT_EQ(read(prepared), expected(prepared));
}

TEST_F(Queue, RefusesAStreamThatIsNone) {
  begin();
  const Prepared prepared = prepare(bf16_product());
  const CUstream gone = stream();
  ASSERT_EQ(cu.cuStreamDestroy(gone), CUDA_SUCCESS);
  EXPECT_EQ(multiply(prepared, nullptr, gone), lt::kExecutionFailed);
}

struct Word {
  const char* word;
  lt::Status status;
};

class Statuses : public Queue, public testing::WithParamInterface<Word> {};

TEST_P(Statuses, AreReturnedWhereTheScenarioSaysSo) {
  const std::string word = GetParam().word;
  begin("device h100\nfault cublasLtMatmul 2 " + word +
        "\nfault cublasLtMatmulAlgoGetHeuristic 2+ " + word + "\nfault cublasLtCreate 2 " + word);
  const Prepared prepared = prepare(bf16_product());
  EXPECT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(multiply(prepared), GetParam().status);
  EXPECT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(suggest_status(prepared), lt::kSuccess);
  EXPECT_EQ(suggest_status(prepared), GetParam().status);
  EXPECT_EQ(suggest_status(prepared), GetParam().status);
  lt::Handle other = nullptr;
  EXPECT_EQ(lt_api.create(&other), GetParam().status);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS) << "the device is well";
}

INSTANTIATE_TEST_SUITE_P(CublasLt, Statuses,
                         testing::Values(Word{"not_initialized", 1}, Word{"alloc_failed", 3},
                                         Word{"invalid_value", 7}, Word{"arch_mismatch", 8},
                                         Word{"execution_failed", 13}, Word{"internal_error", 14},
                                         Word{"not_supported", 15}, Word{"99", 99}));

class LibraryFaults : public Queue {};

TEST_F(LibraryFaults, MayBeWrongResults) {
  begin("device h100\nfault cublasLtMatmul 2 corrupt");
  const Prepared prepared = prepare(sized(bf16_product(), 32, 32, 32));
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(read(prepared), expected(prepared));
  ASSERT_EQ(multiply(prepared), lt::kSuccess);
  const std::vector<double> wrong = read(prepared);
  const std::vector<double> right = expected(prepared);
  EXPECT_NE(wrong.back(), right.back());
  EXPECT_TRUE(std::equal(wrong.begin(), wrong.end() - 1, right.begin()));
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
}

TEST_F(LibraryFaults, MayBeTheKernels) {
  begin("device h100\nfault kernel:cublasLt_bf16 2 illegal_address\n");
  const Prepared prepared = prepare(bf16_product());
  const Prepared other = prepare(fp32_product());
  EXPECT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_EQ(multiply(other), lt::kSuccess);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_SUCCESS);
  EXPECT_EQ(multiply(prepared), lt::kSuccess) << "seen later";
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_ILLEGAL_ADDRESS);
  EXPECT_EQ(multiply(other), lt::kExecutionFailed);
  EXPECT_EQ(lt_api.create(&handle), lt::kNotInitialized);
  ASSERT_EQ(cu.cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
  start();
  ASSERT_EQ(lt_api.create(&handle), lt::kSuccess);
}

TEST_F(LibraryFaults, MayTakeForEver) {
  begin("device h100\nfault cublasLtMatmul 1 hang:50ms");
  const Prepared prepared = prepare(bf16_product());
  const auto before = std::chrono::steady_clock::now();
  EXPECT_EQ(multiply(prepared), lt::kSuccess);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::milliseconds(50));
  EXPECT_EQ(read(prepared), expected(prepared));
}

TEST_F(LibraryFaults, MayBeTheLossOfTheDevice) {
  begin("device h100\nfault cublasLtMatmul 1 device_lost");
  const Prepared prepared = prepare(bf16_product());
  EXPECT_EQ(multiply(prepared), lt::kExecutionFailed);
  EXPECT_EQ(cu.cuCtxSynchronize(), CUDA_ERROR_DEVICE_UNAVAILABLE);
}

}  // namespace
}  // namespace fakegpu
