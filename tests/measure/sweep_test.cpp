#include "measure/sweep.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "fake_backend.hpp"
#include "roofline/point_id.hpp"

namespace roofline::measure {
namespace {

using test::FakeBackend;

struct Swept {
  std::vector<Record> records;
  RoofBook book;
  SweepEnd end{};
};

Swept sweep(FakeBackend& backend, const std::vector<Workload>& workloads,
            const StopRequested& stop = {}, const SweepSettings& settings = {}) {
  Swept out;
  const auto device = backend.devices().front();
  auto points = plan_sweep(backend, device, workloads, {}, out.book);
  out.end = run_sweep(backend, device, std::move(points), settings, out.book,
                      {.running = {},
                       .finished = [&](const Record& r, Seconds) { out.records.push_back(r); },
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
  ASSERT_EQ(out.end, SweepEnd::completed);
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
  ASSERT_EQ(out.end, SweepEnd::completed);
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
  bool gemm_began = false;
  const Swept out = sweep(backend, {kRead, kCopy, kSquare}, [&] {
    gemm_began = gemm_began || std::count(backend.log.begin(), backend.log.end(), "time gemm") > 0;
    return gemm_began;
  });
  EXPECT_EQ(out.end, SweepEnd::interrupted);
  ASSERT_EQ(out.records.size(), 2U) << "both streams; the product had no sample yet";
  for (const Record& record : out.records) EXPECT_EQ(kind_name(record.workload), "stream");
}

TEST(Sweep, APointStoppedWithEnoughSamplesIsKeptAndSaysSo) {
  FakeBackend backend;
  // Noise keeps it from converging.
  backend.behaviour.slowness = [](std::size_t call) {
    return 1.0 + 0.2 * static_cast<double>(call % 5);
  };
  const Swept out = sweep(backend, {kSquare}, [&] { return backend.timed_calls > 25; });
  EXPECT_EQ(out.end, SweepEnd::interrupted);
  ASSERT_EQ(out.records.size(), 1U);
  const auto& measured = std::get<Measured>(out.records.front().outcome);
  EXPECT_EQ(measured.end, MeasurementEnd::interrupted);
  EXPECT_GE(measured.samples.size(), 3U);
  EXPECT_FALSE(trusted(measured.end));
}

/// How often another shape is timed next.
std::size_t changes(const std::vector<std::string>& order) {
  std::size_t out = 0;
  for (std::size_t i = 1; i < order.size(); ++i) out += order[i] != order[i - 1] ? 1U : 0U;
  return out;
}

std::vector<Workload> four_products() {
  std::vector<Workload> out;
  for (const std::uint64_t n : {256U, 512U, 768U, 1024U})
    out.emplace_back(Gemm{.m = n, .n = n, .k = n, .input = DType::fp32});
  return out;
}

TEST(Sweep, PointsTakeTurnsInASeededOrder) {
  std::vector<std::vector<std::string>> orders;
  for (const std::uint64_t seed : {1U, 1U, 2U}) {
    FakeBackend backend;
    SweepSettings settings;
    settings.seed = seed;
    const Swept out = sweep(backend, four_products(), {}, settings);
    EXPECT_EQ(out.end, SweepEnd::completed);
    EXPECT_EQ(out.records.size(), 4U);
    // One after the other there would be three changes; three turns each make many more.
    EXPECT_GE(changes(backend.order), 4U + 2U * 3U);
    orders.push_back(backend.order);
  }
  EXPECT_EQ(orders[0], orders[1]);
  EXPECT_NE(orders[0], orders[2]);
}

TEST(Sweep, ASlowDriftFallsOnAllPointsAlike) {
  // Everything slows down steadily. Each of these points takes more than 0.7 s, so that one after
  // the other the last would look slower than the first by 0.15 / s x 2.1 s, a quarter or more.
  FakeBackend backend;
  backend.drift_per_s = 0.15;
  backend.behaviour.slowness = [](std::size_t call) {
    return 1.0 + 0.05 * static_cast<double>(call % 5);
  };
  std::vector<Workload> same_cost;
  for (const std::uint64_t n : {256U, 512U, 1024U, 2048U})
    same_cost.emplace_back(Gemm{.m = n, .n = 1048576 / n, .k = 1024, .input = DType::fp32});
  const Swept out = sweep(backend, same_cost);
  ASSERT_EQ(out.records.size(), 4U);
  double low = 1e9;
  double high = 0;
  for (const Record& record : out.records) {
    const double time = in_second(std::get<Measured>(record.outcome).time_median);
    low = std::min(low, time);
    high = std::max(high, time);
  }
  EXPECT_GT(in_second(backend.clock), 4 * 0.7);
  EXPECT_LT(high / low, 1.1);
}

TEST(Sweep, OnlySoManyPointsArePreparedAsMemoryHolds) {
  FakeBackend backend;
  // The largest product takes 12.6 MB, the others 7.1, 3.1 and 0.8.
  backend.memory = byte(14e6);
  const Swept out = sweep(backend, four_products());
  EXPECT_EQ(out.records.size(), 4U);
  // The largest one waits until the others are done.
  const auto is_prepare = [](const std::string& entry) { return entry == "prepare gemm"; };
  const auto last = std::find_if(backend.log.rbegin(), backend.log.rend(), is_prepare);
  const auto timed_before = std::count(last, backend.log.rend(), "time gemm");
  EXPECT_GT(timed_before, 0);
  backend.memory = byte(1);
  backend.log.clear();
  EXPECT_EQ(sweep(backend, four_products()).records.size(), 4U) << "one at a time at the least";
}

TEST(Sweep, ABudgetShortensSamplingThenSkipsPoints) {
  FakeBackend backend;
  backend.behaviour.slowness = [](std::size_t call) {
    return 1.0 + 0.2 * static_cast<double>(call % 5);
  };
  SweepSettings settings;
  settings.budget = second(2);
  const Swept shortened = sweep(backend, four_products(), {}, settings);
  EXPECT_EQ(shortened.end, SweepEnd::completed);
  EXPECT_EQ(shortened.records.size(), 4U);
  EXPECT_LT(in_second(backend.clock), 2.2);
  for (const Record& record : shortened.records)
    EXPECT_TRUE(std::holds_alternative<Measured>(record.outcome));

  FakeBackend slow;
  slow.behaviour.overhead_s = 1;
  settings.budget = second(7);
  const Swept cut = sweep(slow, four_products(), {}, settings);
  EXPECT_EQ(cut.end, SweepEnd::budget_spent);
  ASSERT_EQ(cut.records.size(), 4U) << "a point without time is a record that says so";
  std::size_t skipped = 0;
  for (const Record& record : cut.records) {
    const auto* reason = std::get_if<Skipped>(&record.outcome);
    if (reason == nullptr) continue;
    ++skipped;
    EXPECT_NE(reason->reason.find("budget"), std::string::npos) << reason->reason;
  }
  EXPECT_GE(skipped, 1U);
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

const std::string& failure(const Record& record) { return std::get<Failed>(record.outcome).reason; }

TEST(Sweep, ALostDeviceEndsItsPointsAndKeepsWhatWasFinished) {
  for (const std::size_t calls : {0U, 4U}) {
    FakeBackend backend;
    // Between chains, which are of the same block, and after the roofs, which are not.
    backend.by_kind["elementwise"].time_error = "cuEventQuery: device lost";
    backend.by_kind["elementwise"].lost = true;
    backend.by_kind["elementwise"].calls_before = calls;
    const Elementwise chain{.elements = 1 << 20, .dtype = DType::fp32};
    const Swept out = sweep(backend, {kRead, kPeak, kSquare, chain, kDecode});
    EXPECT_EQ(out.end, SweepEnd::device_lost);
    ASSERT_EQ(out.records.size(), 5U) << "every point has its outcome";
    EXPECT_TRUE(std::holds_alternative<Measured>(find(out, "stream/").outcome));
    EXPECT_TRUE(std::holds_alternative<Measured>(find(out, "peak/").outcome));
    EXPECT_EQ(failure(find(out, "elementwise/")), "cuEventQuery: device lost");
    std::size_t lost = 0;
    for (const char* kind : {"gemm/", "matvec/"}) {
      const Record& other = find(out, kind);
      if (std::holds_alternative<Measured>(other.outcome)) continue;
      ++lost;
      EXPECT_NE(failure(other).find("lost during elementwise/fp32/"), std::string::npos);
    }
    EXPECT_GE(lost, calls == 0 ? 0U : 1U);
  }
}

TEST(Sweep, NothingIsPreparedOnALostDevice) {
  FakeBackend backend;
  backend.by_kind["stream"].prepare_error = "cuMemAlloc: device lost";
  backend.by_kind["stream"].lost = true;
  backend.by_kind["peak"].unsupported = "no such units";
  const Swept out = sweep(backend, {kRead, kPeak, kSquare, kDecode});
  EXPECT_EQ(out.end, SweepEnd::device_lost);
  ASSERT_EQ(out.records.size(), 4U);
  EXPECT_EQ(backend.log, std::vector<std::string>{"prepare stream"});
  EXPECT_TRUE(std::holds_alternative<Skipped>(find(out, "peak/").outcome))
      << "what could never run did not fail";
  EXPECT_EQ(failure(find(out, "gemm/")), "the device was lost during stream/fp64/read");
}

}  // namespace
}  // namespace roofline::measure
