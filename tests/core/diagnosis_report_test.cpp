// The failure modes that only several points together show. Decode steps are the seed's
// Llama-3.1-8B in bf16 on an A100: 2 x 8.03e9 FLOP a token, 16.1 GB of weights, 131 072 B of KV
// cache a token of context, 1.5 TB/s sustained.
#include "diagnosis_support.hpp"

namespace roofline {
namespace {

using test::contains;
using test::ids;
using test::reaching;
using test::report_of;

const Gemm kWide{.m = 4096, .n = 14336, .k = 4096};

constexpr double kParameters = 8.03e9;

struct Step {
  std::uint64_t batch;
  double weight_bytes = 2 * kParameters;
  std::uint64_t context = 4096;
};

Record decode(const Step& step, double of_floor = 0.95) {
  const auto whole = [](double value) { return Count{static_cast<std::uint64_t>(value)}; };
  const Count flops = whole(2 * kParameters * static_cast<double>(step.batch));
  const Count kv{step.batch * step.context * 131072};
  const Count weights = whole(step.weight_bytes);
  const Kernel kernel{.flops = flops, .read_bytes = weights + kv, .dtype = DType::bf16};
  Account cost = account(kernel);
  cost.traffic = {{"weights", Direction::read, weights}, {"kv", Direction::read, kv}};
  const Roofs roofs = test::both(tflop_per_s(312), gb_per_s(1500));
  const double fastest = in_second(*place(cost, roofs).floor);
  return test::timed("decode/B=" + std::to_string(step.batch), kernel, cost, roofs,
                     fastest / of_floor);
}

std::vector<std::string> findings(const Report& report) { return ids(findings_for(report)); }

bool finds(const Report& report, const std::string& id) {
  const auto all = findings(report);
  return std::find(all.begin(), all.end(), id) != all.end();
}

// Batching stops helping around 32 - 64 sequences.

Report batches(std::initializer_list<std::uint64_t> sizes, std::uint64_t context = 4096) {
  Report out;
  for (const std::uint64_t batch : sizes)
    out.points.push_back(decode({.batch = batch, .context = context}));
  return out;
}

TEST(BatchingStopsHelping, AroundThirtyTwoToSixtyFourSequences) {
  const Report report = batches({8, 16, 32, 64, 128});
  EXPECT_EQ(findings(report), std::vector<std::string>{"batching_stops_helping"});
  const Finding found = findings_for(report)[0];
  // 64 x 16.06e9 FLOP / (16.06e9 + 64 x 536.9e6 B) = 20.4 FLOP/byte; 15.5 at 32.
  EXPECT_TRUE(contains(found.evidence, "from decode/B=32 to decode/B=64")) << found.evidence;
  EXPECT_TRUE(contains(found.evidence, "1.32x, to 20.4 FLOP/byte")) << found.evidence;
  EXPECT_TRUE(contains(found.evidence, "kv 34.4 GB")) << found.evidence;
  EXPECT_EQ(found.points, (std::vector<std::string>{"decode/B=32", "decode/B=64", "decode/B=128"}));
  // In whatever order they were measured.
  EXPECT_TRUE(finds(batches({128, 8, 64, 16, 32}), "batching_stops_helping"));
}

TEST(BatchingStopsHelping, NotWhereTheWeightsStillDominate) {
  EXPECT_EQ(findings(batches({1, 2, 4, 8, 16})), std::vector<std::string>{});
  // A context of 512 needs eight times the batch.
  EXPECT_EQ(findings(batches({8, 16, 32, 64, 128}, 512)), std::vector<std::string>{});
  // The rows of one projection share its weights and little else.
  Report rows;
  for (const std::uint64_t t : {1U, 8U, 32U, 64U})
    rows.points.push_back(
        reaching(0.9, Projection{.rows = t, .d_in = 4096, .d_out = 14336}, test::a100()));
  EXPECT_FALSE(finds(rows, "batching_stops_helping"));
}

TEST(BatchingStopsHelping, NotWhereTheKernelIsToBlame) {
  Report report;
  for (const std::uint64_t batch : {32U, 64U})
    report.points.push_back(decode({.batch = batch}, batch == 64 ? 0.5 : 0.95));
  EXPECT_FALSE(finds(report, "batching_stops_helping"));
}

/// 4096 x 32 weights are 262 kB in bf16; each row adds 8192 B read and 64 B written, as much in all
/// at 31.75 rows.
Record narrow_projection(std::uint64_t rows, std::optional<DType> weight = {}) {
  const Projection narrow{.rows = rows, .d_in = 4096, .d_out = 32, .weight = weight};
  Record out = reaching(0.9, narrow, test::a100());
  out.id = "rows=" + std::to_string(rows);
  return out;
}

TEST(BatchingStopsHelping, WhereActivationsOutweighTheWeights) {
  Report report;
  for (const std::uint64_t rows : {8U, 16U, 32U, 64U, 128U})
    report.points.push_back(narrow_projection(rows));
  ASSERT_EQ(findings(report), std::vector<std::string>{"batching_stops_helping"});
  const std::string evidence = findings_for(report)[0].evidence;
  EXPECT_TRUE(contains(evidence, "from rows=32 to rows=64")) << evidence;
  EXPECT_TRUE(contains(evidence, "weights 262 kB of 791 kB, input 524 kB")) << evidence;
  report.points.resize(3);
  EXPECT_EQ(findings(report), std::vector<std::string>{});
}

// Roofline says memory-bound but weight quantisation barely helps.

TEST(QuantisationBarelyHelps, WhereTheCacheDominates) {
  // 64 sequences: 50.4 GB fall to 42.4, a 1.19 times shorter step for half the weights.
  Record narrow = decode({.batch = 64, .weight_bytes = kParameters});
  narrow.id = "int8";
  const Report report = report_of({decode({.batch = 64}), narrow});
  EXPECT_EQ(findings(report), std::vector<std::string>{"quantisation_barely_helps"});
  const Finding found = findings_for(report)[0];
  EXPECT_TRUE(contains(found.evidence, "2x fewer bytes of weights make it 1.19x faster"))
      << found.evidence;
  EXPECT_TRUE(contains(found.evidence, "kv 34.4 GB")) << found.evidence;
  EXPECT_EQ(found.points, (std::vector<std::string>{"decode/B=64", "int8"}));
}

TEST(QuantisationBarelyHelps, WhereAnythingButWeightsDominates) {
  const Report rows = report_of({narrow_projection(512), narrow_projection(512, DType::int8)});
  ASSERT_EQ(findings(rows), std::vector<std::string>{"quantisation_barely_helps"});
  EXPECT_TRUE(contains(findings_for(rows)[0].evidence, "weights 131 kB of 4.36 MB, input 4.19 MB"))
      << findings_for(rows)[0].evidence;
  EXPECT_EQ(findings(report_of({narrow_projection(8), narrow_projection(8, DType::int8)})),
            std::vector<std::string>{});
  // Whatever it is called: here what a collective brings in.
  Record wide = decode({.batch = 64});
  Record narrow = decode({.batch = 64, .weight_bytes = kParameters});
  for (Record* point : {&wide, &narrow}) point->account.traffic[1].tensor = "all-reduce";
  const Report collective = report_of({wide, narrow});
  ASSERT_EQ(findings(collective), std::vector<std::string>{"quantisation_barely_helps"});
  EXPECT_TRUE(contains(findings_for(collective)[0].evidence, "all-reduce 34.4 GB"))
      << findings_for(collective)[0].evidence;
}

TEST(QuantisationBarelyHelps, NotWhereItDoesNorWhereTheBytesFellAndTheTimeDidNot) {
  const Step half{.batch = 1, .weight_bytes = kParameters};
  EXPECT_EQ(findings(report_of({decode({.batch = 1}), decode(half)})), std::vector<std::string>{});
  // All bytes fell 1.94 times, the time by a tenth: dequantisation, which is another mode.
  EXPECT_FALSE(
      finds(report_of({decode({.batch = 1}), decode(half, 0.55)}), "quantisation_barely_helps"));
  // Other rows are no pair.
  EXPECT_FALSE(
      finds(report_of({decode({.batch = 64}), decode({.batch = 32, .weight_bytes = kParameters})}),
            "quantisation_barely_helps"));
}

// Nearly every kernel classifies as compute-bound.

/// `memory` of `all` kernels at intensity 1, the others at 1000, of which no byte written counts.
Report kernels(int memory, int all) {
  Report out;
  for (int i = 0; i < all; ++i) {
    const Kernel kernel{.flops = Count{1'000'000'000},
                        .read_bytes = Count{i < memory ? 1'000'000'000U : 1'000'000U},
                        .dtype = DType::bf16};
    Record point = reaching(0.8, kernel, test::a100());
    point.id = "kernel/" + std::to_string(i);
    out.points.push_back(std::move(point));
  }
  return out;
}

TEST(NearlyAllComputeBound, SuggestsUndercountedBytes) {
  EXPECT_EQ(findings(kernels(0, 6)), std::vector<std::string>{"nearly_all_compute_bound"});
  const Finding found = findings_for(kernels(1, 10))[0];
  EXPECT_TRUE(contains(found.evidence, "9 of 10 points")) << found.evidence;
  EXPECT_EQ(found.points.size(), 9U);
  EXPECT_TRUE(contains(found.text, "undercounted")) << found.text;
}

TEST(NearlyAllComputeBound, NotOfAMixNorOfLargeProducts) {
  EXPECT_EQ(findings(kernels(2, 10)), std::vector<std::string>{});
  EXPECT_EQ(findings(kernels(0, 4)), std::vector<std::string>{});
  Report products;
  for (const std::uint64_t m : {512U, 1024U, 2048U, 4096U, 8192U})
    products.points.push_back(reaching(0.8, Gemm{.m = m, .n = 14336, .k = 4096}, test::a100()));
  EXPECT_EQ(findings(products), std::vector<std::string>{});
}

TEST(OnlyFriendlySquares, AreADemonstrationOfTheLibrary) {
  Report squares;
  for (const std::uint64_t n : {1024U, 2048U, 4096U, 8192U, 16384U})
    squares.points.push_back(reaching(0.8, Gemm{.m = n, .n = n, .k = n}, test::a100()));
  EXPECT_EQ(findings(squares), std::vector<std::string>{"only_friendly_squares"});
  squares.points.push_back(reaching(0.8, Gemm{.m = 4096, .n = 14336, .k = 4096}, test::a100()));
  EXPECT_EQ(findings(squares), std::vector<std::string>{});
}

TEST(RefutedPredictions, AreCounted) {
  Record refuted = reaching(0.8, kWide, test::a100());
  refuted.prediction.side = Bound::compute;
  refuted.observed = {Bound::memory, Agreement::refuted};
  Record confirmed = refuted;
  confirmed.observed = {Bound::compute, Agreement::confirmed};
  const Report report = report_of({refuted, confirmed});
  EXPECT_EQ(findings(report), std::vector<std::string>{"refuted_predictions"});
  EXPECT_TRUE(contains(findings_for(report)[0].evidence, "1 of 2 predicted sides"));
  EXPECT_EQ(findings(report_of({confirmed})), std::vector<std::string>{});
}

TEST(DisturbedPoints, AreAFindingFromAFifthOfThem) {
  Record clean = reaching(0.8, kWide, test::a100());
  Record contended = clean;
  std::get<Measured>(contended.outcome).end = MeasurementEnd::contended;
  Record throttled = clean;
  std::get<Measured>(throttled.outcome).end = MeasurementEnd::throttled;
  const Report report = report_of({contended, throttled, clean, clean});
  EXPECT_EQ(findings(report), std::vector<std::string>{"disturbed_points"});
  EXPECT_TRUE(contains(findings_for(report)[0].evidence,
                       "2 of 4 measured points (50 %) were disturbed: 1 contended, 1 throttled"));
  EXPECT_EQ(findings(report_of({contended, clean, clean, clean, clean, clean})),
            std::vector<std::string>{});
}

TEST(Diagnose, FillsPointsAndFindingsAnew) {
  Report report = kernels(0, 6);
  report.points.push_back(reaching(0.4, kWide, test::a100()));
  diagnose(report);
  const auto once = ids(report.findings);
  EXPECT_EQ(once, std::vector<std::string>{"nearly_all_compute_bound"});
  EXPECT_FALSE(report.points.back().hypotheses.empty());
  diagnose(report);
  EXPECT_EQ(ids(report.findings), once);
  report.points.clear();
  diagnose(report);
  EXPECT_TRUE(report.findings.empty());
}

}  // namespace
}  // namespace roofline
