// Rows to the ridge against a search over whole row counts and against the closed form for plain
// projections.
#include <random>

#include "roofline/placement.hpp"
#include "support.hpp"

namespace roofline {
namespace {

using test::near;

/// The first row count in 1..most whose account lies at or right of the ridge; nothing where there
/// is none.
template <class WithRows>
std::optional<std::uint64_t> by_search(WithRows with_rows, Intensity ridge, std::uint64_t most) {
  for (std::uint64_t rows = 1; rows <= most; ++rows) {
    const Account cost = account(with_rows(rows));
    if (flop(cost.work->as_double()) / byte(total_traffic(cost).as_double()) >= ridge) return rows;
  }
  return std::nullopt;
}

constexpr std::uint64_t kMost = 1000;

void expect_found(const RowsToRidge& found, std::optional<std::uint64_t> searched,
                  const std::string& label) {
  if (searched) {
    ASSERT_TRUE(found.integer) << label << ": " << found.reason;
    EXPECT_EQ(*found.integer, *searched) << label;
    EXPECT_TRUE(found.reason.empty());
    // Packed types round up to a byte per tensor, so that the whole number may lie above the next
    // one.
    EXPECT_LE(*found.rows, static_cast<double>(*searched) * (1 + 1e-9)) << label;
  } else if (found.integer) {
    EXPECT_GT(*found.integer, kMost) << label;
  } else {
    EXPECT_FALSE(found.rows);
    EXPECT_FALSE(found.reason.empty()) << label;
  }
}

constexpr DType kTypes[] = {DType::fp64, DType::fp32, DType::bf16, DType::fp8_e4m3,
                            DType::fp6,  DType::fp4,  DType::int8, DType::int4};

TEST(RowsToRidge, ProjectionsAgreeWithASearch) {
  std::mt19937_64 random(31);
  int solved = 0;
  for (int i = 0; i < 150; ++i) {
    Projection p{.rows = 1 + random() % 9,
                 .d_in = 1 + random() % 3000,
                 .d_out = 1 + random() % 3000,
                 .activation = kTypes[random() % std::size(kTypes)],
                 .weight = kTypes[random() % std::size(kTypes)]};
    if (random() % 2 == 0) p.scale_group = 1 + random() % p.d_in;
    const Intensity ridge = flop_per_byte(1 + static_cast<double>(random() % 40'000) / 100);
    const auto searched = by_search(
        [&](std::uint64_t rows) {
          p.rows = rows;
          return Workload{p};
        },
        ridge, kMost);
    if (searched) ++solved;
    expect_found(rows_to_ridge(p, ridge), searched, shape_label(p));
  }
  EXPECT_GT(solved, 40);
}

TEST(RowsToRidge, GemmsAgreeWithASearch) {
  std::mt19937_64 random(32);
  for (int i = 0; i < 150; ++i) {
    Gemm g{.m = 1 + random() % 9,
           .n = 1 + random() % 3000,
           .k = 1 + random() % 3000,
           .batch = 1 + random() % 3,
           .input = kTypes[random() % std::size(kTypes)],
           .beta = static_cast<double>(random() % 2)};
    if (random() % 3 == 0) g.convert_a_from = kTypes[random() % std::size(kTypes)];
    if (random() % 3 == 0) g.convert_b_from = kTypes[random() % std::size(kTypes)];
    const Intensity ridge = flop_per_byte(1 + static_cast<double>(random() % 30'000) / 100);
    const auto searched = by_search(
        [&](std::uint64_t rows) {
          g.m = rows;
          return Workload{g};
        },
        ridge, kMost);
    expect_found(rows_to_ridge(g, ridge), searched, shape_label(g));
  }
}

TEST(RowsToRidge, ClosedFormForPlainProjections) {
  // M* = r b_w K N / (2 K N - r (b_a K + b_o N)); the rows of Llama-3.1-8B's matrices on an A100
  // (312 over 2039).
  const Intensity ridge = ridge_point(tflop_per_s(312), gb_per_s(2039));
  struct Row {
    std::uint64_t d_in, d_out;
    double rows;
  };
  const Row table[] = {{4096, 6144, 163.2},
                       {4096, 4096, 165.4},
                       {4096, 28672, 159.8},
                       {14336, 4096, 160.7},
                       {4096, 128256, 159.2}};
  for (const Row& row : table) {
    const RowsToRidge found =
        rows_to_ridge(Projection{.rows = 1, .d_in = row.d_in, .d_out = row.d_out}, ridge);
    EXPECT_NEAR(*found.rows, row.rows, 0.05) << row.d_out;
    const double r = 312e12 / 2039e9;
    const auto k = static_cast<double>(row.d_in);
    const auto n = static_cast<double>(row.d_out);
    EXPECT_TRUE(near(*found.rows, r * 2 * k * n / (2 * k * n - r * 2 * (k + n)), 1e-12));
  }
}

TEST(RowsToRidge, FourBitWeightsNeedAQuarterOfTheRows) {
  // 4.25 bits per weight: 42.2 to 43.8 rows for the same matrices with the 0.53 B that 0.53125 is
  // often rounded to.
  const Intensity ridge = ridge_point(tflop_per_s(312), gb_per_s(2039));
  for (const std::uint64_t d_out : {4096U, 6144U, 28672U, 128256U}) {
    const Projection int4{.rows = 1,
                          .d_in = 4096,
                          .d_out = d_out,
                          .weight = DType::int4,
                          .scale_group = 128,
                          .scale_bits = 32};
    EXPECT_GT(*rows_to_ridge(int4, ridge).rows, 42.1);
    EXPECT_LT(*rows_to_ridge(int4, ridge).rows, 43.8 * 0.53125 / 0.53 + 0.05);
  }
}

TEST(RowsToRidge, RowsOfTheWorkloadItselfDoNotMatter) {
  const Intensity ridge = flop_per_byte(153);
  Gemm gemm{.m = 1, .n = 4096, .k = 4096};
  const RowsToRidge one = rows_to_ridge(gemm, ridge);
  gemm.m = 100'000;
  EXPECT_EQ(rows_to_ridge(gemm, ridge).integer, one.integer);
  EXPECT_EQ(rows_to_ridge(gemm, ridge).rows, one.rows);
}

TEST(RowsToRidge, ExactlyOnTheRidgeIsEnough) {
  // 4096-wide bf16: T = 512 lies at 409.6 exactly, T = 2048 at 1024.
  const Projection square{.rows = 1, .d_in = 4096, .d_out = 4096};
  EXPECT_EQ(rows_to_ridge(square, flop_per_byte(409.6)).integer, 512U);
  EXPECT_EQ(rows_to_ridge(square, flop_per_byte(1024)).integer, 2048U);
  EXPECT_EQ(rows_to_ridge(square, flop_per_byte(std::nextafter(1024.0, 2000.0))).integer, 2049U);
}

TEST(RowsToRidge, ARidgeTakenFromAShapeIsReachedByThatShape) {
  // The solution in real numbers may then come out a last digit above the whole number that it is.
  std::mt19937_64 random(33);
  for (int i = 0; i < 3000; ++i) {
    // Few rows as often as many.
    const std::uint64_t most = i % 2 == 0 ? 5 : 5000;
    const Projection p{
        .rows = 1 + random() % most, .d_in = 1 + random() % 9000, .d_out = 1 + random() % 9000};
    const RowsToRidge found = rows_to_ridge(p, *intensity(account(p)));
    ASSERT_EQ(found.integer, p.rows) << shape_label(p);
  }
}

TEST(RowsToRidge, RowsThatAreTooManyToCountExactlyAreStillGiven) {
  const std::uint64_t wide = std::uint64_t{1} << 27;
  const RowsToRidge found =
      rows_to_ridge(Projection{.rows = 1, .d_in = wide, .d_out = wide}, flop_per_byte(1e5));
  ASSERT_TRUE(found.rows && found.integer);
  EXPECT_TRUE(near(*found.rows, 1e5 / (1 - 1e5 * 2 / 134217728.0), 1e-9));
  EXPECT_EQ(*found.integer, static_cast<std::uint64_t>(std::ceil(*found.rows)));
}

TEST(RowsToRidge, NoneWhereTheActivationsAloneAreTooMany) {
  // The limit of a 4096-wide bf16 projection is 2048 FLOP/byte.
  const Projection square{.rows = 1, .d_in = 4096, .d_out = 4096};
  EXPECT_TRUE(rows_to_ridge(square, flop_per_byte(2047)).integer);
  for (const double ridge : {2048.0, 2049.0, 1e9}) {
    const RowsToRidge none = rows_to_ridge(square, flop_per_byte(ridge));
    EXPECT_FALSE(none.rows || none.integer) << ridge;
    EXPECT_TRUE(test::contains(none.reason, "activations")) << none.reason;
  }
}

TEST(RowsToRidge, OneRowIsTheFewest) {
  const RowsToRidge found =
      rows_to_ridge(Projection{.rows = 7, .d_in = 4096, .d_out = 4096}, flop_per_byte(0.1));
  EXPECT_EQ(found.integer, 1U);
  EXPECT_LT(*found.rows, 1.0);
}

TEST(RowsToRidge, WorkloadsWithoutRowsSaySo) {
  for (const Workload& workload :
       {Workload{Stream{.elements = 1}}, Workload{Elementwise{.elements = 1}}, Workload{Kernel{}},
        Workload{PeakProbe{}}}) {
    const RowsToRidge none = rows_to_ridge(workload, flop_per_byte(153));
    EXPECT_FALSE(none.rows || none.integer);
    EXPECT_TRUE(test::contains(none.reason, std::string(kind_name(workload)))) << none.reason;
  }
}

TEST(RowsToRidge, CountsThatLeave64BitsAreAReasonAndNoError) {
  // One row fits; eight rows do not.
  const Projection wide{.rows = 1,
                        .d_in = std::uint64_t{1} << 31,
                        .d_out = std::uint64_t{1} << 31,
                        .weight = DType::int4};
  EXPECT_NO_THROW(static_cast<void>(account(wide)));
  const RowsToRidge none = rows_to_ridge(wide, flop_per_byte(153));
  EXPECT_FALSE(none.integer);
  EXPECT_TRUE(test::contains(none.reason, "64 bits")) << none.reason;
}

TEST(RowsToRidge, AWorkloadThatCannotExistIsRefused) {
  EXPECT_THROW(static_cast<void>(rows_to_ridge(Gemm{.m = 1, .n = 0, .k = 4}, flop_per_byte(1))),
               InputError);
}

}  // namespace
}  // namespace roofline
