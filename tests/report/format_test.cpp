// Quantities for people: three significant digits, an SI prefix, GB apart from GiB.
#include "report/format.hpp"

#include <gtest/gtest.h>

namespace roofline::report {
namespace {

TEST(Format, RatesHaveThreeDigitsAndAPrefix) {
  EXPECT_EQ(format(tflop_per_s(312)), "312 TFLOP/s");
  EXPECT_EQ(format(tflop_per_s(1.979)), "1.98 TFLOP/s");
  EXPECT_EQ(format(flop_per_s(71.2e9)), "71.2 GFLOP/s");
  EXPECT_EQ(format(flop_per_s(0)), "0 FLOP/s");
  EXPECT_EQ(format(gb_per_s(2039)), "2.04 TB/s");
  EXPECT_EQ(format(gb_per_s(24.1)), "24.1 GB/s");
  EXPECT_EQ(format(flop_per_s(2.5e18)), "2.50 EFLOP/s");
}

TEST(Format, RoundingUpMovesToTheNextPrefix) {
  EXPECT_EQ(format(flop_per_s(999.4e9)), "999 GFLOP/s");
  EXPECT_EQ(format(flop_per_s(999.6e9)), "1.00 TFLOP/s");
  EXPECT_EQ(format(byte_per_s(99.96e9)), "100 GB/s");
  EXPECT_EQ(format(byte_per_s(9.996e9)), "10.0 GB/s");
}

TEST(Format, TimesGoDownToNanosecondsAndNeverAboveSeconds) {
  EXPECT_EQ(format(second(0.0004405)), "440 us");
  EXPECT_EQ(format(second(0.0079)), "7.90 ms");
  EXPECT_EQ(format(second(48.2)), "48.2 s");
  EXPECT_EQ(format(second(7200)), "7200 s");
  EXPECT_EQ(format(second(3.2e-9)), "3.20 ns");
  EXPECT_EQ(format(second(5e-10)), "0.500 ns");
  EXPECT_EQ(format(second(0.9996)), "1.00 s");
}

TEST(Format, CountsBelowAThousandAreWhole) {
  EXPECT_EQ(format(flop(137438953472)), "137 GFLOP");
  EXPECT_EQ(format(byte(100663296)), "101 MB");
  EXPECT_EQ(format(byte(400)), "400 B");
  EXPECT_EQ(format(byte(1)), "1 B");
  EXPECT_EQ(format(flop(2400)), "2.40 kFLOP");
}

// 80 GB is 80e9 bytes, 80 GiB is 80 * 2^30; 14.96 GiB is the seed's 8.03 billion bf16 weights.
TEST(Format, DecimalAndBinaryUnitsAreNeverMixed) {
  EXPECT_EQ(format(byte(80e9)), "80.0 GB");
  EXPECT_EQ(format_capacity(std::uint64_t{80} << 30), "80 GiB");
  EXPECT_EQ(format_capacity(16060000000U), "15.0 GiB");
  EXPECT_EQ(format_capacity(std::uint64_t{1536} << 10), "1.50 MiB");
  EXPECT_EQ(format_capacity(512), "512 B");
  EXPECT_EQ(format_capacity((std::uint64_t{1} << 30) - 1), "1.00 GiB");
  EXPECT_EQ(format_capacity(18446744073709551615U), "16 EiB");
}

TEST(Format, PlainNumbers) {
  EXPECT_EQ(format(flop_per_byte(153.016)), "153 FLOP/byte");
  EXPECT_EQ(format_number(1365.33), "1365");
  EXPECT_EQ(format_number(7.969), "7.97");
  EXPECT_EQ(format_number(0.6536), "0.654");
  EXPECT_EQ(format_number(0.00654), "0.00654");
  EXPECT_EQ(format_number(0), "0");
  EXPECT_EQ(format_number(1365.33, 5), "1365.3");
  EXPECT_EQ(format_percent(0.6996, 4), "69.96 %");
  EXPECT_EQ(format_number(-12.34), "-12.3");
  EXPECT_EQ(format_number(1e-5), "1.00e-05");
  EXPECT_EQ(format_number(999999), "1.00e+06");
  EXPECT_EQ(format_number(999499), "999499");
}

TEST(Format, TwoFiguresThatAreComparedReadApart) {
  EXPECT_EQ(digits_apart(62.2, 70), 3);
  EXPECT_EQ(digits_apart(69.96, 70), 4);
  EXPECT_EQ(digits_apart(69.9996, 70), 6);
  EXPECT_EQ(digits_apart(70, 70), 3);
}

TEST(Format, PercentNeverHidesWhatIsThere) {
  EXPECT_EQ(format_percent(0.84), "84.0 %");
  EXPECT_EQ(format_percent(1), "100 %");
  EXPECT_EQ(format_percent(0.0065), "0.650 %");
  EXPECT_EQ(format_percent(0), "0 %");
  // What the roundings of equal samples leave is no noise; anything that a clock could tell is.
  EXPECT_EQ(format_percent(1.65e-16), "0 %");
  EXPECT_EQ(format(Cell(-4.4e-16), Unit::share), "0 %");
  EXPECT_EQ(format_percent(1e-12), "1.00e-10 %");
  EXPECT_EQ(format_percent(3.69), "369 %");
}

TEST(Format, ExactCountsKeepAllDigits) {
  EXPECT_EQ(format_exact(0), "0");
  EXPECT_EQ(format_exact(999), "999");
  EXPECT_EQ(format_exact(1000), "1 000");
  EXPECT_EQ(format_exact(137438953472), "137 438 953 472");
  EXPECT_EQ(format_exact(18446744073709551615U), "18 446 744 073 709 551 615");
}

TEST(Format, CellsFollowTheUnitOfTheirColumn) {
  EXPECT_EQ(format(Cell{}, Unit::flop_per_s), "-");
  EXPECT_EQ(format(Cell{0.744}, Unit::share), "74.4 %");
  EXPECT_EQ(format(Cell{8.92}, Unit::factor), "8.92");
  EXPECT_EQ(format(Cell{std::uint64_t{100663296}}, Unit::byte), "101 MB");
  EXPECT_EQ(format(Cell{std::uint64_t{1234567}}, Unit::count), "1 234 567");
  EXPECT_EQ(format(Cell{true}, Unit::flag), "yes");
  EXPECT_EQ(format(Cell{std::string("dram")}, Unit::text), "dram");
}

TEST(Format, APrefixUndoesItself) {
  for (const double value : {1.5e-8, 2e-5, 3e-2, 4.0, 5e4, 6e7, 7e10, 8e13, 9e16, 2e18}) {
    const Unit unit = value < 1 ? Unit::second : Unit::flop_per_s;
    const Scaled scaled = scale(value, unit);
    EXPECT_NEAR(scaled.value * prefix_factor(scaled.prefix) / value, 1, 1e-12) << value;
  }
}

}  // namespace
}  // namespace roofline::report
