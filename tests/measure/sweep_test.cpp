#include "measure/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fake_backend.hpp"

namespace roofline::measure {
namespace {

using test::FakeBackend;
using test::FakeBehaviour;

struct Swept {
  std::vector<Record> records;
  RoofBook book;
  bool complete = false;
};

Swept sweep(FakeBackend& backend, const std::vector<Workload>& workloads,
            const StopRequested& stop = {}) {
  Swept out;
  const auto device = backend.devices().front();
  auto points = plan_sweep(backend, device, workloads, {}, out.book);
  out.complete = run_sweep(backend, device, std::move(points), {}, out.book,
                           {.started = {},
                            .finished = [&](const Record& r) { out.records.push_back(r); },
                            .stop = stop});
  return out;
}

const Gemm kSquare{.m = 1024, .n = 1024, .k = 1024, .input = DType::fp32};
const Projection kDecode{.rows = 1, .d_in = 4096, .d_out = 4096, .activation = DType::fp32};
const Stream kRead{.kind = StreamKind::read};
const Stream kCopy{.kind = StreamKind::copy};
const PeakProbe kPeak{.dtype = DType::fp32};

const Record& find(const Swept& swept, std::string_view id_part) {
  const auto found = std::find_if(swept.records.begin(), swept.records.end(), [&](const Record& r) {
    return r.id.find(id_part) != std::string::npos;
  });
  if (found == swept.records.end()) throw std::runtime_error("no such record");
  return *found;
}

TEST(Sweep, RoofsComeFirstAndPredictionsBeforeMeasurements) {
  FakeBackend backend;
  const Swept out = sweep(backend, {kSquare, kDecode, kRead, kPeak});
  ASSERT_TRUE(out.complete);
  ASSERT_EQ(out.records.size(), 4U);
  EXPECT_EQ(kind_name(out.records[0].workload), "stream");
  EXPECT_EQ(kind_name(out.records[1].workload), "peak");
  const Record& gemm = find(out, "gemm/");
  // Ridge 1e12 / 1e11 = 10; n/6 = 171 lies right of it, a decode row (0.5 FLOP/byte) left.
  EXPECT_NEAR(in_flop_per_byte(*gemm.prediction.ridge), 10, 1e-9);
  EXPECT_EQ(gemm.prediction.side, Bound::compute);
  EXPECT_EQ(gemm.prediction.ridge_origin, Origin::measured);
  EXPECT_EQ(gemm.observed.agreement, Agreement::confirmed);
  const Record& decode = find(out, "matvec/");
  EXPECT_EQ(decode.prediction.side, Bound::memory);
  EXPECT_EQ(decode.observed.agreement, Agreement::confirmed);
  EXPECT_NEAR(*decode.assessment->of_ceiling, 1, 1e-9);
}

TEST(Sweep, ResultsAreCheckedBeforeTheyAreTimed) {
  FakeBackend backend;
  (void)sweep(backend, {kRead});
  ASSERT_GE(backend.log.size(), 3U);
  EXPECT_EQ(backend.log[0], "prepare stream");
  EXPECT_EQ(backend.log[1], "verify stream");
  EXPECT_EQ(backend.log[2], "time stream");
}

TEST(Sweep, WrongResultsAreNeverTimedAndNeverARoof) {
  FakeBackend backend;
  backend.by_kind["stream"].verification = VerificationState::incorrect;
  const Swept out = sweep(backend, {kRead, kSquare});
  EXPECT_TRUE(std::holds_alternative<Incorrect>(find(out, "stream/").outcome));
  EXPECT_EQ(std::count(backend.log.begin(), backend.log.end(), "time stream"), 0);
  EXPECT_TRUE(out.book.entries().empty());
  EXPECT_TRUE(std::holds_alternative<Measured>(find(out, "gemm/").outcome)) << "the sweep goes on";
}

TEST(Sweep, FailuresAndRefusalsAreOutcomesWithReasons) {
  FakeBackend backend;
  backend.by_kind["gemm"].prepare_error = "no memory for A";
  backend.by_kind["matvec"].unsupported = "no such type here";
  backend.by_kind["peak"].time_error = "device lost";
  const Swept out = sweep(backend, {kSquare, kDecode, kPeak, kCopy});
  ASSERT_TRUE(out.complete);
  EXPECT_EQ(std::get<Failed>(find(out, "gemm/").outcome).reason, "no memory for A");
  EXPECT_EQ(std::get<Skipped>(find(out, "matvec/").outcome).reason, "no such type here");
  EXPECT_EQ(std::get<Failed>(find(out, "peak/").outcome).reason, "device lost");
  EXPECT_TRUE(std::holds_alternative<Measured>(find(out, "stream/").outcome));
}

TEST(Sweep, StreamsAreHeldAgainstTheRoofOfTheirMix) {
  FakeBackend backend;
  const Swept out = sweep(backend, {kRead, kCopy, kDecode});
  EXPECT_EQ(out.book.entries().size(), 2U);
  const Record& decode = find(out, "matvec/");
  ASSERT_TRUE(decode.roofs.memory.has_value());
  EXPECT_NE(decode.roofs.memory->source.find("read"), std::string::npos)
      << "weights are read, not copied";
  EXPECT_TRUE(find(out, "stream/fp64/read").defines_roof);
}

TEST(Sweep, WithoutAPeakThereIsNoSideButStillATime) {
  FakeBackend backend;
  const Swept out = sweep(backend, {kRead, kSquare});
  const Record& gemm = find(out, "gemm/");
  EXPECT_FALSE(gemm.prediction.side.has_value());
  EXPECT_NE(gemm.prediction.reason.find("fp32"), std::string::npos) << gemm.prediction.reason;
  EXPECT_TRUE(gemm.assessment->achieved.has_value());
  EXPECT_FALSE(gemm.assessment->mfu.has_value());
}

TEST(Sweep, ADisturbedStreamIsNoRoof) {
  FakeBackend backend;
  backend.by_kind["stream"].clean = [](std::size_t) { return false; };
  const Swept out = sweep(backend, {kRead, kPeak, kDecode});
  const Record& decode = find(out, "matvec/");
  EXPECT_FALSE(decode.roofs.memory.has_value())
      << "a rate that other work held down would make this one look too good";
  EXPECT_NE(decode.roofs.memory_reason.find("disturbed"), std::string::npos)
      << decode.roofs.memory_reason;
  EXPECT_FALSE(decode.assessment->impossible);
  EXPECT_TRUE(decode.roofs.compute.has_value()) << "the probe was quiet";
}

TEST(Sweep, StopKeepsWhatIsDone) {
  FakeBackend backend;
  const Swept out =
      sweep(backend, {kRead, kCopy, kSquare}, [&] { return backend.timed_calls > 15; });
  EXPECT_FALSE(out.complete);
  ASSERT_GE(out.records.size(), 1U);
  EXPECT_LT(out.records.size(), 3U);
}

TEST(Sweep, TheSamePointTwiceIsMeasuredOnce) {
  FakeBackend backend;
  EXPECT_EQ(sweep(backend, {kRead, kRead, kSquare, kSquare}).records.size(), 2U);
}

TEST(Sweep, IdsTellApartWhatDiffers) {
  Gemm other_output = kSquare;
  other_output.output = DType::bf16;
  Gemm half_sum{.m = 8, .n = 8, .k = 8, .input = DType::fp16, .accumulate = DType::fp16};
  Gemm full_sum = half_sum;
  full_sum.accumulate = DType::fp32;
  Projection dequantised = kDecode;
  dequantised.weight = DType::int8;
  EXPECT_NE(point_id(kSquare), point_id(other_output));
  EXPECT_NE(point_id(half_sum), point_id(full_sum));
  EXPECT_NE(point_id(kDecode), point_id(dequantised));
  EXPECT_EQ(point_id(kSquare), "gemm/fp32/1024x1024x1024");
  EXPECT_EQ(
      point_id(Elementwise{.elements = 0, .ops = 4, .ops_per_kernel = 2, .dtype = DType::fp32}),
      "elementwise/fp32/dram_ops_4_fused_2");
}

}  // namespace
}  // namespace roofline::measure
