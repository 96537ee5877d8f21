#include "roofline/printable.hpp"

#include <gtest/gtest.h>

namespace roofline {
namespace {

TEST(Printable, ControlCharactersCannotSteerATerminal) {
  EXPECT_EQ(printable("a\x1b[31mb\nc\td\x7f"), "a [31mb c d ");
  EXPECT_EQ(printable("x\u009b31m"), "x  31m");
  EXPECT_EQ(printable(std::string_view("\0\x1f", 2), '?'), "??");
  EXPECT_EQ(printable("a\u202etxt\u202c \u2066b\u2069\u2028c\u200f", '?'),
            "a???txt??? ???b??????c???");
  EXPECT_EQ(printable("\u0080\u0085\u009f", '?'), "??????");
}

TEST(Printable, EverythingElseStays) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable(" ~"), " ~");
  EXPECT_EQ(printable("gr\u00fc\u00df"), "gr\u00fc\u00df");
  EXPECT_EQ(printable("\u2013 \u2026 \u2190 \u2065"), "\u2013 \u2026 \u2190 \u2065");
  EXPECT_EQ(printable("a\xE2\x80"), "a\xE2\x80");
  EXPECT_EQ(printable("\u00a0\u00bf\u20ac"), "\u00a0\u00bf\u20ac");
  // Half a character at the end, and bytes that belong to no character.
  EXPECT_EQ(printable("a\xC2"), "a\xC2");
  EXPECT_EQ(printable("\x80\x9f\xff", '?'), "\x80\x9f\xff");
  EXPECT_EQ(printable("\xC2\n", '?'), "\xC2?");
}

}  // namespace
}  // namespace roofline
