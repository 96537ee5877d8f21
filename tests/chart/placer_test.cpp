#include "chart/placer.hpp"

#include <gtest/gtest.h>

namespace roofline::chart {
namespace {

TEST(Placer, WhatIsTakenIsNotFree) {
  Placer placer({0, 0, 100, 50}, 10);
  EXPECT_TRUE(placer.is_free({10, 10, 30, 20}));
  placer.block({10, 10, 30, 20});
  EXPECT_FALSE(placer.is_free({29, 19, 40, 30}));
  EXPECT_TRUE(placer.is_free({30, 20, 40, 30})) << "touching is not overlapping";
  EXPECT_FALSE(placer.is_free({0, 0, 100, 50})) << "a large box finds a small one";
}

TEST(Placer, NothingLeavesTheBounds) {
  const Placer placer({0, 0, 100, 50}, 10);
  EXPECT_FALSE(placer.is_free({-1, 0, 10, 10}));
  EXPECT_FALSE(placer.is_free({95, 0, 101, 10}));
  EXPECT_FALSE(placer.is_free({0, 45, 10, 51}));
}

TEST(Placer, LinesAreSeenUnlessTheyAreOnesOwn) {
  Placer placer({0, 0, 100, 100}, 10);
  const Position from{0, 100};
  placer.add_line(from, {100, 0});
  EXPECT_TRUE(placer.on_line({45, 45, 55, 55}));
  EXPECT_FALSE(placer.on_line({60, 60, 90, 90}));
  EXPECT_FALSE(placer.on_line({45, 45, 55, 55}, &from));
}

TEST(Placer, ALineThatEndsBeforeTheBoxDoesNotCrossIt) {
  EXPECT_FALSE(crosses({50, 0, 60, 10}, {0, 5}, {40, 5}));
  EXPECT_TRUE(crosses({50, 0, 60, 10}, {0, 5}, {55, 5}));
  EXPECT_TRUE(crosses({50, 0, 60, 10}, {55, 3}, {56, 4})) << "all of it inside";
}

TEST(Placer, ACrowdLeavesNoRoom) {
  Placer placer({0, 0, 1000, 1000}, 10);
  for (int i = 0; i < 100'000; ++i) placer.block({100, 100, 101, 101});
  EXPECT_FALSE(placer.is_free({105, 105, 108, 108})) << "the cell is full";
  EXPECT_TRUE(placer.is_free({200, 200, 210, 210}));
}

}  // namespace
}  // namespace roofline::chart
