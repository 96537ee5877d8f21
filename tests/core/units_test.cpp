#include "roofline/units.hpp"

#include <gtest/gtest.h>

#include <type_traits>

namespace roofline {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};
template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};
template <class A, class B>
using Quotient = decltype(std::declval<A>() / std::declval<B>());
template <class A, class B>
using Product = decltype(std::declval<A>() * std::declval<B>());

// What the units make of each other.
static_assert(std::is_same_v<Quotient<Flops, Bytes>, Intensity>);
static_assert(std::is_same_v<Quotient<Flops, Seconds>, Performance>);
static_assert(std::is_same_v<Quotient<Bytes, Seconds>, Bandwidth>);
static_assert(std::is_same_v<Quotient<Flops, Performance>, Seconds>);
static_assert(std::is_same_v<Quotient<Bytes, Bandwidth>, Seconds>);
static_assert(std::is_same_v<Quotient<Performance, Bandwidth>, Intensity>);
static_assert(std::is_same_v<Quotient<Performance, Intensity>, Bandwidth>);
static_assert(std::is_same_v<Product<Bandwidth, Intensity>, Performance>);
static_assert(std::is_same_v<Product<Intensity, Bandwidth>, Performance>);
static_assert(std::is_same_v<Product<Performance, Seconds>, Flops>);
static_assert(std::is_same_v<Quotient<Performance, Performance>, double>);
static_assert(std::is_same_v<Product<Frequency, Seconds>, double>);

// The wrong way round, and what makes no sense.
static_assert(!std::is_convertible_v<Quotient<Bytes, Flops>, Intensity>);
static_assert(!std::is_convertible_v<Quotient<Bandwidth, Performance>, Intensity>);
static_assert(!std::is_convertible_v<Product<Bandwidth, Bandwidth>, Performance>);
static_assert(!Addable<Flops, Bytes>);
static_assert(!Addable<Seconds, double>);
static_assert(!Addable<Performance, Bandwidth>);
static_assert(!Comparable<Performance, Bandwidth>);
static_assert(!Comparable<Seconds, double>);
static_assert(!std::is_assignable_v<Performance&, Bandwidth>);

// A raw double neither gets in nor out by itself.
static_assert(!std::is_convertible_v<double, Performance>);
static_assert(!std::is_constructible_v<Performance, double>);
static_assert(!std::is_convertible_v<Performance, double>);
static_assert(!std::is_constructible_v<double, Performance>);

static_assert(Addable<Seconds, Seconds>);
static_assert(Comparable<Intensity, Intensity>);

TEST(Units, NamedCallsScaleByPowersOfThousand) {
  EXPECT_DOUBLE_EQ(tflop_per_s(312).si(), 3.12e14);
  EXPECT_DOUBLE_EQ(gb_per_s(2039).si(), 2.039e12);
  EXPECT_DOUBLE_EQ(in_tflop_per_s(flop_per_s(1.5e12)), 1.5);
  EXPECT_DOUBLE_EQ(in_gb_per_s(byte_per_s(2.5e9)), 2.5);
}

TEST(Units, RatiosAndProductsCarryTheirValues) {
  EXPECT_DOUBLE_EQ(in_flop_per_byte(flop(600) / byte(200)), 3.0);
  EXPECT_DOUBLE_EQ(in_flop_per_s(gb_per_s(2) * flop_per_byte(10)), 2e10);
  EXPECT_DOUBLE_EQ(in_second(byte(1e9) / gb_per_s(2)), 0.5);
  EXPECT_DOUBLE_EQ(second(3) / second(2), 1.5);
  EXPECT_DOUBLE_EQ(hertz(2) * second(3), 6.0);
}

TEST(Units, SumsDifferencesAndFactors) {
  EXPECT_DOUBLE_EQ(in_second(second(1) + second(2)), 3.0);
  EXPECT_DOUBLE_EQ(in_second(second(5) - second(2)), 3.0);
  EXPECT_DOUBLE_EQ(in_second(2 * second(3)), 6.0);
  EXPECT_DOUBLE_EQ(in_second(second(3) * 2), 6.0);
  EXPECT_DOUBLE_EQ(in_second(second(6) / 4), 1.5);
}

TEST(Units, ComparedByValue) {
  EXPECT_LT(second(1), second(2));
  EXPECT_EQ(flop_per_s(1e12), tflop_per_s(1));
  EXPECT_EQ(Seconds{}, second(0));
}

}  // namespace
}  // namespace roofline
