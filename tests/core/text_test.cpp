// Text that many share reads like a std::string.
#include "roofline/text.hpp"

#include <gtest/gtest.h>

#include <map>

namespace roofline {
namespace {

TEST(Text, IsSharedByItsCopies) {
  const Text one("a text that is longer than what a string holds in itself");
  const Text other = one;  // NOLINT: the copy is what is tested
  EXPECT_EQ(one.data(), other.data());
  Text changed = one;
  changed += ", and more";
  EXPECT_EQ(one, other);
  EXPECT_EQ(changed, one + ", and more");
  EXPECT_LE(sizeof(Text), 2 * sizeof(void*));
}

TEST(Text, IsEmptyWhereNothingWasGiven) {
  EXPECT_TRUE(Text().empty());
  EXPECT_TRUE(Text("").empty());
  EXPECT_TRUE(Text(std::string()).empty());
  EXPECT_EQ(Text(), "");
  EXPECT_EQ(Text().size(), 0U);
  Text text("x");
  text.clear();
  EXPECT_TRUE(text.empty());
  EXPECT_EQ(std::string(text), "");
}

TEST(Text, StandsWhereAStringDoes) {
  const Text text("overhead");
  const std::string& as_string = text;
  const std::string_view as_view = text;
  EXPECT_EQ(as_string, "overhead");
  EXPECT_EQ(as_view, "overhead");
  EXPECT_EQ("no " + text + '!', "no overhead!");
  EXPECT_EQ(std::string("no ") + text, "no overhead");
  EXPECT_EQ(text + std::string_view(" of a call"), "overhead of a call");
  EXPECT_TRUE(text == std::string("overhead"));
  EXPECT_TRUE("overhead" == text);
  EXPECT_FALSE(text == "over");
  EXPECT_LT(Text("a"), Text("b"));
  EXPECT_TRUE(text.starts_with("over") && text.ends_with("head"));
  EXPECT_EQ(text.find("head"), 4U);
  EXPECT_EQ(text.substr(4), "head");
  std::map<std::string, int> known{{"overhead", 1}};
  EXPECT_EQ(known.count(text), 1U);
  const std::string with_zero("a\0b", 3);
  EXPECT_EQ(Text(with_zero).size(), 3U);
}

}  // namespace
}  // namespace roofline
