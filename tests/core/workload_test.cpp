#include "roofline/workload.hpp"

#include <limits>
#include <set>

#include "support.hpp"

namespace roofline {
namespace {

using test::contains;
using test::refusal;

std::string refused(const Workload& workload) {
  return refusal([&] { validate(workload); });
}

Gemm small_gemm() { return {.m = 2, .n = 3, .k = 4}; }
Projection small_projection() { return {.rows = 2, .d_in = 16, .d_out = 8}; }

TEST(Workload, SizesOfZeroAreRefusedByName) {
  Gemm gemm = small_gemm();
  gemm.m = 0;
  EXPECT_TRUE(contains(refused(gemm), "size m"));
  gemm = small_gemm();
  gemm.n = 0;
  EXPECT_TRUE(contains(refused(gemm), "size n"));
  gemm = small_gemm();
  gemm.k = 0;
  EXPECT_TRUE(contains(refused(gemm), "size k"));
  gemm = small_gemm();
  gemm.batch = 0;
  EXPECT_TRUE(contains(refused(gemm), "batch"));
  Projection projection = small_projection();
  projection.rows = 0;
  EXPECT_TRUE(contains(refused(projection), "rows"));
  projection = small_projection();
  projection.d_in = 0;
  EXPECT_TRUE(contains(refused(projection), "d_in"));
  projection = small_projection();
  projection.d_out = 0;
  EXPECT_TRUE(contains(refused(projection), "d_out"));
  EXPECT_TRUE(contains(refused(Stream{}), "stream elements"));
  EXPECT_TRUE(contains(refused(Elementwise{}), "elements"));
  EXPECT_TRUE(contains(refused(Elementwise{.elements = 1, .ops = 0}), "operations"));
  EXPECT_TRUE(contains(refused(Elementwise{.elements = 1, .ops_per_kernel = 0}), "per kernel"));
  EXPECT_TRUE(contains(refused(Elementwise{.elements = 1, .inputs = 0}), "inputs"));
}

TEST(Workload, Int32IsNeverAnInput) {
  Gemm gemm = small_gemm();
  gemm.input = DType::int32;
  EXPECT_TRUE(contains(refused(gemm), "int32"));
  Projection projection = small_projection();
  projection.activation = DType::int32;
  EXPECT_TRUE(contains(refused(projection), "int8"));
  projection = small_projection();
  projection.weight = DType::int32;
  EXPECT_TRUE(contains(refused(projection), "int32"));
  EXPECT_TRUE(contains(refused(PeakProbe{.dtype = DType::int32}), "int32"));
}

TEST(Workload, ProductsAreSummedInATypeThatHoldsThem) {
  const auto gemm = [](DType input, DType accumulate) {
    Gemm out = small_gemm();
    out.input = input;
    out.accumulate = accumulate;
    return out;
  };
  EXPECT_NO_THROW(validate(gemm(DType::fp16, DType::fp16)));
  EXPECT_NO_THROW(validate(gemm(DType::bf16, DType::fp32)));
  EXPECT_NO_THROW(validate(gemm(DType::fp8_e4m3, DType::fp16)));
  EXPECT_NO_THROW(validate(gemm(DType::fp32, DType::fp64)));
  EXPECT_NO_THROW(validate(gemm(DType::int8, DType::int32)));
  EXPECT_TRUE(contains(refused(gemm(DType::bf16, DType::int32)), "use fp32"));
  EXPECT_TRUE(contains(refused(gemm(DType::int8, DType::fp32)), "use int32"));
  EXPECT_TRUE(contains(refused(gemm(DType::fp64, DType::fp32)), "use fp64"));
  EXPECT_TRUE(contains(refused(gemm(DType::fp32, DType::tf32)), "tf32"));
  EXPECT_TRUE(contains(refused(gemm(DType::fp16, DType::fp8_e4m3)), "fp8_e4m3"));
  EXPECT_TRUE(
      contains(refused(Kernel{
                   .intensity = flop_per_byte(1), .dtype = DType::bf16, .accumulate = DType::int8}),
               "int8"));
}

TEST(Workload, FactorsAreFiniteAndAlphaIsNotZero) {
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
    Gemm gemm = small_gemm();
    gemm.alpha = bad;
    EXPECT_TRUE(contains(refused(gemm), "alpha"));
    gemm = small_gemm();
    gemm.beta = bad;
    EXPECT_TRUE(contains(refused(gemm), "beta"));
  }
  Gemm gemm = small_gemm();
  gemm.alpha = 0;
  EXPECT_TRUE(contains(refused(gemm), "alpha is 0"));
}

TEST(Workload, ScalesFitTheWeights) {
  Projection projection = small_projection();
  projection.scale_group = 16;  // one group: a scale per output channel
  EXPECT_NO_THROW(validate(projection));
  projection.scale_group = 17;
  EXPECT_TRUE(contains(refused(projection), "d_in (16)"));
  projection.scale_group = 8;
  projection.scale_bits = 0;
  EXPECT_TRUE(contains(refused(projection), "bits"));
}

TEST(Workload, AChainReadsAtMostOneInputMoreThanItHasOperations) {
  EXPECT_NO_THROW(validate(Elementwise{.elements = 1, .ops = 1, .inputs = 2}));
  EXPECT_NO_THROW(validate(Elementwise{.elements = 1, .ops = 3, .inputs = 4}));
  EXPECT_TRUE(contains(refused(Elementwise{.elements = 1, .ops = 3, .inputs = 5}), "at most 4"));
}

TEST(Workload, AKernelIsGivenOnceAndDoesSomething) {
  EXPECT_NO_THROW(validate(Kernel{}));  // known by its rate alone
  EXPECT_NO_THROW(validate(Kernel{.intensity = flop_per_byte(0.5)}));
  EXPECT_NO_THROW(validate(Kernel{.flops = Count{0}, .read_bytes = Count{8}}));
  EXPECT_NO_THROW(validate(Kernel{.flops = Count{8}, .read_bytes = Count{0}}));
  EXPECT_TRUE(
      contains(refused(Kernel{.flops = Count{1}, .intensity = flop_per_byte(1)}), "not by both"));
  EXPECT_TRUE(contains(refused(Kernel{.read_bytes = Count{1}, .intensity = flop_per_byte(1)}),
                       "not by both"));
  EXPECT_TRUE(contains(refused(Kernel{.flops = Count{1}}), "bytes"));
  EXPECT_TRUE(contains(refused(Kernel{.write_bytes = Count{1}}), "FLOP count"));
  EXPECT_TRUE(contains(refused(Kernel{.flops = Count{0}, .read_bytes = Count{0}}), "does nothing"));
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(contains(refused(Kernel{.intensity = flop_per_byte(bad)}), "intensity")) << bad;
  }
}

TEST(Workload, TypesFollowTheInput) {
  Gemm gemm = small_gemm();
  gemm.input = DType::int8;
  EXPECT_EQ(compute_dtype(gemm), DType::int8);
  EXPECT_EQ(accumulate_dtype(gemm), DType::int32);
  EXPECT_EQ(output_dtype(gemm), DType::int32);
  gemm.output = DType::int8;
  EXPECT_EQ(output_dtype(gemm), DType::int8);
  gemm.input = DType::fp16;
  gemm.accumulate = DType::fp16;
  EXPECT_EQ(accumulate_dtype(gemm), DType::fp16);
  EXPECT_EQ(output_dtype(Stream{.dtype = DType::fp32}), DType::fp32);
}

TEST(Workload, AProjectionWritesWhatItsActivationTypeWrites) {
  Projection projection = small_projection();
  EXPECT_EQ(output_dtype(projection), DType::bf16);
  projection.activation = DType::fp8_e4m3;
  EXPECT_EQ(output_dtype(projection), DType::bf16);
  projection.activation = DType::int8;
  EXPECT_EQ(output_dtype(projection), DType::int32);
  projection.output = DType::bf16;
  EXPECT_EQ(output_dtype(projection), DType::bf16);
  EXPECT_EQ(compute_dtype(projection), DType::int8);
}

TEST(Workload, MatrixProductsUseMatrixUnits) {
  EXPECT_EQ(engine(small_gemm()), Engine::tensor);
  EXPECT_EQ(engine(small_projection()), Engine::tensor);
  EXPECT_EQ(engine(Stream{}), Engine::vector);
  // FMA chains do not reach matrix units: an A100's fp64 peak is held against 9.7, not 19.5.
  EXPECT_EQ(engine(PeakProbe{.dtype = DType::fp64}), Engine::vector);
  EXPECT_EQ(engine(Elementwise{}), Engine::vector);
  EXPECT_EQ(engine(Kernel{.dtype = DType::fp32}), Engine::vector);
  EXPECT_EQ(engine(Kernel{.dtype = DType::fp64}), Engine::vector);
  EXPECT_EQ(engine(Kernel{.dtype = DType::bf16}), Engine::tensor);
  EXPECT_EQ(engine(Kernel{.dtype = DType::bf16, .engine = Engine::vector}), Engine::vector);
}

TEST(Workload, KindNames) {
  EXPECT_EQ(kind_name(Gemm{}), "gemm");
  EXPECT_EQ(kind_name(Projection{}), "matvec");
  EXPECT_EQ(kind_name(Stream{}), "stream");
  EXPECT_EQ(kind_name(Elementwise{}), "elementwise");
  EXPECT_EQ(kind_name(Kernel{}), "kernel");
  EXPECT_EQ(kind_name(PeakProbe{}), "peak");
}

TEST(Workload, StreamKindsAreFoundByTheirNames) {
  for (const StreamKind kind : {StreamKind::read, StreamKind::write, StreamKind::copy,
                                StreamKind::scale, StreamKind::add, StreamKind::triad}) {
    EXPECT_EQ(find_stream_kind(name(kind)), kind);
  }
  EXPECT_FALSE(find_stream_kind("Copy"));
  EXPECT_FALSE(find_stream_kind(""));
}

TEST(Workload, LabelsTellShapesApart) {
  Gemm beta = small_gemm();
  beta.beta = 1;
  Gemm batch = small_gemm();
  batch.batch = 2;
  Gemm left = small_gemm();
  left.transpose_a = true;
  Gemm right = small_gemm();
  right.transpose_b = true;
  const Workload workloads[] = {small_gemm(),
                                beta,
                                batch,
                                left,
                                right,
                                Gemm{.m = 3, .n = 2, .k = 4},
                                small_projection(),
                                Projection{.rows = 3, .d_in = 16, .d_out = 8},
                                Stream{.kind = StreamKind::copy, .elements = 8},
                                Stream{.kind = StreamKind::triad, .elements = 8},
                                Elementwise{.elements = 8, .ops = 2},
                                Elementwise{.elements = 8, .ops = 2, .ops_per_kernel = 2}};
  std::set<std::string> labels;
  for (const Workload& workload : workloads)
    EXPECT_TRUE(labels.insert(shape_label(workload)).second);
  EXPECT_EQ(shape_label(small_gemm()), "2x3x4");
  EXPECT_EQ(shape_label(beta), "2x3x4 beta");
  EXPECT_TRUE(labels.count("T=2 16x8"));
}

}  // namespace
}  // namespace roofline
