#include "measure/time_share.hpp"

#include <gtest/gtest.h>

namespace roofline::measure {
namespace {

double room(double block, double turns, double lone, double left) {
  return in_second(room_for(second(block), second(turns), second(lone), second(left)));
}

TEST(TimeShare, WhatIsOverIsTheBlocksOwn) {
  EXPECT_DOUBLE_EQ(room(2, 3, 4, 10), 3);
  EXPECT_DOUBLE_EQ(room(2, 0, 0, 10), 10);
}

TEST(TimeShare, WhereTimeIsShortTurnsShareWhatLonePointsLeave) {
  EXPECT_DOUBLE_EQ(room(2, 6, 0, 4), 1) << "half of what each needs";
  EXPECT_DOUBLE_EQ(room(2, 6, 4, 8), 1) << "4 of 8 are the lone ones'";
  EXPECT_DOUBLE_EQ(room(2, 6, 12, 10), 0.5) << "the lone ones alone need 12; half of 10 x 8 / 20";
}

TEST(TimeShare, NobodyGetsMoreThanThereIs) {
  EXPECT_DOUBLE_EQ(room(2, 6, 1, 0), 0);
  EXPECT_DOUBLE_EQ(room(2, 6, 1, -3), 0);
  EXPECT_DOUBLE_EQ(room(0, 0, 0, 5), 5);
}

}  // namespace
}  // namespace roofline::measure
