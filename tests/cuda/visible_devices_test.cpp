// CUDA_VISIBLE_DEVICES by the rules of the CUDA programming guide (environment variables).
#include "backend/cuda/visible_devices.hpp"

#include <gtest/gtest.h>

namespace roofline::cuda {
namespace {

using Entries = std::vector<std::string>;

TEST(VisibleDevices, NumbersAndUuidsInOrder) {
  EXPECT_EQ(parse_visible_devices("1,0").entries, (Entries{"1", "0"}));
  EXPECT_EQ(parse_visible_devices(" 2 , GPU-4f1c").entries, (Entries{"2", "GPU-4f1c"}));
  EXPECT_EQ(parse_visible_devices("MIG-4f1c/1/0").entries, (Entries{"MIG-4f1c/1/0"}));
  EXPECT_EQ(parse_visible_devices("3").ended_by, "");
}

TEST(VisibleDevices, NothingCountsAfterTheFirstFault) {
  for (const char* const text : {"0,-1,1", "0,,1", "0,x,1", "0,1x,2", "0,0,1", "0,GPU-,1"}) {
    const VisibleDevices visible = parse_visible_devices(text);
    EXPECT_EQ(visible.entries, Entries{"0"}) << text;
    EXPECT_NE(visible.ended_by, "") << text;
  }
}

TEST(VisibleDevices, EmptyAndMinusOneHideAll) {
  for (const char* const text : {"", "-1", "none", ",0"}) {
    const VisibleDevices visible = parse_visible_devices(text);
    EXPECT_TRUE(visible.entries.empty()) << text;
    EXPECT_NE(describe(visible).find("hides every GPU"), std::string::npos) << text;
  }
}

TEST(VisibleDevices, DescribedWithWhatEndedIt) {
  EXPECT_EQ(describe(parse_visible_devices("1,0")),
            "CUDA_VISIBLE_DEVICES is '1,0' and shows 2 devices in this order");
  EXPECT_NE(describe(parse_visible_devices("1,bad,0")).find("stops reading it at 'bad'"),
            std::string::npos);
}

}  // namespace
}  // namespace roofline::cuda
