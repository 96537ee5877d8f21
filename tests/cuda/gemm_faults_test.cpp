// Products that go wrong: in what this program tells the library, in what the library does, and in
// what it answers.
#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/lt_objects.hpp"
#include "over_fake.hpp"

namespace roofline::cuda {
namespace {

/// The library as it is, for functions that stand in front of it.
LtApi& original() {
  static LtApi api;
  return api;
}
DriverApi& original_driver() {
  static DriverApi api;
  return api;
}

/// A GPU whose cuBLASLt has some functions replaced. Memory has room behind every array, as
/// hardware's pages do, so that what reads beyond the end of one isn't stopped.
class TamperedGpu {
 public:
  explicit TamperedGpu(const CudaOptions& options, void (*tamper)(LtApi&)) {
    auto libraries = std::make_shared<Libraries>(*load_libraries(options));
    original_driver() = libraries->driver;
    libraries->driver.mem_alloc.bind([](CUdeviceptr* address, std::size_t bytes) {
      return original_driver().mem_alloc.result(address, 4 * bytes);
    });
    const auto load = [path = options.libcublaslt, tamper] {
      CublasLtLibrary library = load_cublaslt(path, 13);
      original() = library.api;
      tamper(library.api);
      return library;
    };
    gpu_ = std::make_unique<Gpu>(
        libraries, list_gpus(*libraries).devices.at(0),
        std::make_shared<SharedState>(SharedState{.cublaslt = LazyCublasLt(load)}));
  }

  Verification verify(const Gemm& gemm) {
    const Support answer = support_gemm(gemm, *gpu_);
    return prepare_gemm(std::get<Gemm>(std::get<Workload>(answer)), *gpu_)->verify();
  }

 private:
  std::unique_ptr<Gpu> gpu_;
};

void leave_alone(LtApi& /*api*/) {}

class Seeded : public OverFake {
 protected:
  Seeded() { use("device a100-80gb l2=256KiB memory=400MiB sms=8\n"); }

  void expect_caught(void (*tamper)(LtApi&), const Gemm& gemm, const std::string& what) {
    EXPECT_TRUE(verified(TamperedGpu(options(), leave_alone).verify(gemm))) << what;
    EXPECT_EQ(TamperedGpu(options(), tamper).verify(gemm).state, VerificationState::incorrect)
        << what;
  }
};

const Gemm kSquare{.m = 64, .n = 64, .k = 64};

TEST_F(Seeded, AWrongLeadingDimensionIsCaught) {
  // 64 columns or rows more, in whichever of the three matrices comes first.
  expect_caught(
      [](LtApi& api) {
        api.layout_create.bind([](lt::MatrixLayout* made, lt::DataType type, std::uint64_t rows,
                                  std::uint64_t columns, std::int64_t ld) {
          return original().layout_create.result(made, type, rows, columns, ld + 8);
        });
      },
      kSquare, "every ld");
  expect_caught(
      [](LtApi& api) {
        api.layout_create.bind([](lt::MatrixLayout* made, lt::DataType type, std::uint64_t rows,
                                  std::uint64_t columns, std::int64_t ld) {
          // Of the result alone, which is the only one with 96 columns.
          return original().layout_create.result(made, type, rows, columns,
                                                 columns == 96 && rows == 32 ? ld + 1 : ld);
        });
      },
      {.m = 96, .n = 32, .k = 64}, "the result's ld");
}

TEST_F(Seeded, ADroppedBetaIsCaught) {
  expect_caught(
      [](LtApi& api) {
        api.matmul.bind([](lt::Handle handle, lt::MatmulDesc desc, const void* alpha, const void* a,
                           lt::MatrixLayout a_layout, const void* b, lt::MatrixLayout b_layout,
                           const void* /*beta*/, const void* c, lt::MatrixLayout c_layout, void* d,
                           lt::MatrixLayout d_layout, const lt::Algo* algo, void* workspace,
                           std::size_t bytes, CUstream stream) {
          const float none = 0;
          return original().matmul.result(handle, desc, alpha, a, a_layout, b, b_layout, &none, c,
                                          c_layout, d, d_layout, algo, workspace, bytes, stream);
        });
      },
      {.m = 64, .n = 64, .k = 64, .beta = 0.25}, "beta");
}

template <lt::DescAttribute which>
void swap_transpose(LtApi& api) {
  api.desc_set.bind(
      [](lt::MatmulDesc desc, lt::DescAttribute attribute, const void* value, std::size_t bytes) {
        if (attribute != which) return original().desc_set.result(desc, attribute, value, bytes);
        const auto given = *static_cast<const lt::Operation*>(value);
        const lt::Operation other = given == lt::Operation::n ? lt::Operation::t : lt::Operation::n;
        return original().desc_set.result(desc, attribute, &other, bytes);
      });
}

TEST_F(Seeded, ASwappedTransposeIsCaught) {
  expect_caught(swap_transpose<lt::DescAttribute::transpose_a>, kSquare, "of B");
  expect_caught(swap_transpose<lt::DescAttribute::transpose_b>, kSquare, "of A");
}

TEST_F(Seeded, SwappedOperandsAreCaught) {
  expect_caught(
      [](LtApi& api) {
        api.matmul.bind([](lt::Handle handle, lt::MatmulDesc desc, const void* alpha, const void* a,
                           lt::MatrixLayout a_layout, const void* b, lt::MatrixLayout b_layout,
                           const void* beta, const void* c, lt::MatrixLayout c_layout, void* d,
                           lt::MatrixLayout d_layout, const lt::Algo* algo, void* workspace,
                           std::size_t bytes, CUstream stream) {
          return original().matmul.result(handle, desc, alpha, b, a_layout, a, b_layout, beta, c,
                                          c_layout, d, d_layout, algo, workspace, bytes, stream);
        });
      },
      kSquare, "operands");
}

TEST_F(Seeded, Tf32InPlaceOfFp32IsCaught) {
  expect_caught(
      [](LtApi& api) {
        api.desc_create.bind(
            [](lt::MatmulDesc* made, lt::ComputeType /*compute*/, lt::DataType scale) {
              return original().desc_create.result(made, lt::ComputeType::c_32f_fast_tf32, scale);
            });
      },
      {.m = 64, .n = 64, .k = 512, .input = DType::fp32}, "compute type");
}

/// B103: success is said, and nothing done.
TEST_F(Seeded, B103_AProductThatWasNeverWrittenIsIncorrect) {
  const auto do_nothing = [](LtApi& api) {
    api.matmul.bind([](lt::Handle, lt::MatmulDesc, const void*, const void*, lt::MatrixLayout,
                       const void*, lt::MatrixLayout, const void*, const void*, lt::MatrixLayout,
                       void*, lt::MatrixLayout, const lt::Algo*, void*, std::size_t,
                       CUstream) { return lt::kSuccess; });
  };
  for (const DType type : {DType::bf16, DType::fp64, DType::int8}) {
    const Verification got =
        TamperedGpu(options(), do_nothing).verify({.m = 64, .n = 64, .k = 64, .input = type});
    EXPECT_EQ(got.state, VerificationState::incorrect) << name(type);
    EXPECT_NE(got.detail.find("was not written"), std::string::npos) << got.detail;
  }
}

TEST_F(Seeded, SaturatedResultsAreIncorrect) {
  TamperedGpu gpu(options(), leave_alone);
  const Verification got =
      gpu.verify({.m = 64, .n = 64, .k = 4096, .input = DType::fp16, .alpha = 60'000});
  EXPECT_EQ(got.state, VerificationState::incorrect);
  EXPECT_NE(got.detail.find("too large for fp16"), std::string::npos) << got.detail;
}

/// What was asked of the heuristic, by a function in front of it.
struct Asked {
  CUdeviceptr a_factor = 0;
  CUdeviceptr b_factor = 0;
  int times = 0;
};
Asked& asked() {
  static Asked all;
  return all;
}

void watch_heuristic(LtApi& api) {
  api.heuristic.bind([](lt::Handle handle, lt::MatmulDesc desc, lt::MatrixLayout a,
                        lt::MatrixLayout b, lt::MatrixLayout c, lt::MatrixLayout d,
                        lt::Preference preference, int most, lt::HeuristicResult* results,
                        int* found) {
    std::size_t written = 0;
    ++asked().times;
    (void)original().desc_get.result(desc, lt::DescAttribute::a_scale_pointer, &asked().a_factor,
                                     sizeof(CUdeviceptr), &written);
    (void)original().desc_get.result(desc, lt::DescAttribute::b_scale_pointer, &asked().b_factor,
                                     sizeof(CUdeviceptr), &written);
    return original().heuristic.result(handle, desc, a, b, c, d, preference, most, results, found);
  });
}

TEST_F(Seeded, B104_FactorsAreThereBeforeAlgorithmsAreAskedFor) {
  use("device h200 l2=256KiB memory=400MiB sms=8\n");
  asked() = {};
  TamperedGpu gpu(options(), watch_heuristic);
  EXPECT_TRUE(verified(gpu.verify({.m = 64, .n = 64, .k = 64, .input = DType::fp8_e4m3})));
  EXPECT_NE(asked().a_factor, 0U);
  EXPECT_NE(asked().b_factor, 0U);
}

TEST_F(Seeded, AlgorithmsAreChosenOnceForAllPatternsOfAProduct) {
  asked() = {};
  TamperedGpu gpu(options(), watch_heuristic);
  for (const DataPattern data : {DataPattern::random, DataPattern::zeros}) {
    Gemm g = kSquare;
    g.data = data;
    EXPECT_TRUE(verified(gpu.verify(g)));
  }
  EXPECT_EQ(asked().times, 1);
}

// ---- what the library answers ----

class LtFaults : public OverFake {};

struct Answer {
  const char* name;
  const char* fault;
  const char* call;
  const char* status;
  bool refused;
};

class LtAnswers : public LtFaults, public testing::WithParamInterface<Answer> {};

TEST_P(LtAnswers, EndThePointWithOneSentenceAndTheOthersGoOn) {
  use(std::string(kSmallA100) + GetParam().fault + "\n");
  const auto gpu = backend();
  Point other(*gpu, Stream{.kind = StreamKind::copy, .elements = 4096});
  const std::string why = failure(*gpu, kSquare);
  EXPECT_EQ(why.starts_with("refused: "), GetParam().refused) << why;
  EXPECT_NE(why.find(GetParam().call), std::string::npos) << why;
  EXPECT_NE(why.find(GetParam().status), std::string::npos) << why;
  EXPECT_NE(why.find("; "), std::string::npos) << why;
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
  EXPECT_TRUE(verified(other.run().verify()));
}

INSTANTIATE_TEST_SUITE_P(
    Statuses, LtAnswers,
    testing::Values(Answer{"NotInitialized", "fault cublasLtCreate every not_initialized",
                           "cublasLtCreate", "CUBLAS_STATUS_NOT_INITIALIZED", false},
                    Answer{"AllocFailed", "fault cublasLtCreate every alloc_failed",
                           "cublasLtCreate", "CUBLAS_STATUS_ALLOC_FAILED", false},
                    Answer{"ExecutionFailed", "fault cublasLtMatmul every execution_failed",
                           "cublasLtMatmul", "CUBLAS_STATUS_EXECUTION_FAILED", false},
                    Answer{"InternalError", "fault cublasLtMatmul every internal_error",
                           "cublasLtMatmul", "CUBLAS_STATUS_INTERNAL_ERROR", false},
                    Answer{"NoAlgorithmRuns", "fault cublasLtMatmul every not_supported",
                           "cublasLtMatmul", "CUBLAS_STATUS_NOT_SUPPORTED", true},
                    Answer{"HeuristicNotSupported",
                           "fault cublasLtMatmulAlgoGetHeuristic every not_supported",
                           "cublasLtMatmulAlgoGetHeuristic", "CUBLAS_STATUS_NOT_SUPPORTED", true},
                    Answer{"NoAlgorithm", "cublaslt no_algorithm", "cublasLtMatmulAlgoGetHeuristic",
                           "CUBLAS_STATUS_NOT_SUPPORTED", true}),
    [](const auto& tested) { return std::string(tested.param.name); });

TEST_F(LtFaults, AnAlgorithmThatDoesNotRunIsPassedOver) {
  use(std::string(kSmallA100) + "fault cublasLtMatmul 1 not_supported\n");
  const auto gpu = backend();
  Point point(*gpu, kSquare);
  EXPECT_TRUE(verified(point.run().verify()));
  EXPECT_EQ(fact_of(point.run().facts(), "algo_refused"), FactValue{std::uint64_t{1}});
}

TEST_F(LtFaults, ALaterFailureEndsThePointAlone) {
  use(std::string(kSmallA100) + "fault cublasLtMatmul 400 execution_failed\n");
  const auto gpu = backend();
  std::string why;
  for (std::uint64_t i = 0; i < 40 && why.empty(); ++i)
    why = failure(*gpu, Gemm{.m = 64, .n = 64, .k = 64 + 8 * i});
  EXPECT_NE(why.find("EXECUTION_FAILED"), std::string::npos) << why;
  EXPECT_EQ(failure(*gpu, kSquare), "");
}

}  // namespace
}  // namespace roofline::cuda
