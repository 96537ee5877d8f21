// Text in columns and lines.
#include "report/grid.hpp"

#include <gtest/gtest.h>

namespace roofline::report {
namespace {

TEST(Grid, NumbersStandRightAndTextLeft) {
  Grid grid({{"name", "", false}, {"rate", "GB/s", true}});
  grid.add({.mark = "*", .cells = {"a", "1.5"}});
  grid.add({.cells = {"longer", "100"}});
  EXPECT_EQ(grid.text(80, false),
            "   name    rate\n"
            "           GB/s\n"
            "*  a        1.5\n"
            "   longer   100\n");
  EXPECT_EQ(grid.width(), 15U);
}

TEST(Grid, TheRestOfARowRunsOverTheColumns) {
  Grid grid({{"shape", "", false}, {"a", "", true}, {"b", "", true}});
  grid.add({.cells = {"1x1", "2", "3"}});
  grid.add({.cells = {"2x2"}, .rest = "skipped: there is no such type on this machine"});
  EXPECT_EQ(grid.text(36, false),
            "   shape  a  b\n"
            "   1x1    2  3\n"
            "   2x2    skipped: there is no such\n"
            "          type on this machine\n");
}

TEST(Grid, NotesStandBelowTheirRow) {
  Grid grid({{"x", "", false}});
  grid.add({.mark = "!", .cells = {"1"}, .notes = {"above its roof"}});
  EXPECT_EQ(grid.text(80, false), "   x\n!  1\n      above its roof\n");
}

TEST(Grid, ColourChangesNothingButColour) {
  Grid grid({{"x", "unit", true}});
  grid.add({.mark = "!", .cells = {"1"}, .notes = {"why"}, .paint = Paint::red});
  std::string coloured = grid.text(80, true);
  EXPECT_NE(coloured.find("\x1b[31;1m"), std::string::npos);
  for (std::size_t at; (at = coloured.find('\x1b')) != std::string::npos;) {
    coloured.erase(at, coloured.find('m', at) - at + 1);
  }
  EXPECT_EQ(coloured, grid.text(80, false));
}

TEST(Wrap, BreaksAtSpacesAndIndents) {
  EXPECT_EQ(wrap("key  ", "one two three", 12), "key  one two\n     three\n");
  EXPECT_EQ(wrap("", "averyveryverylongword b", 5), "averyveryverylongword\nb\n");
  EXPECT_EQ(wrap("key", "", 80), "key\n");
  EXPECT_EQ(wrap("", unbroken("20.4 GB/s") + " " + unbroken("1.5 GB/s"), 12),
            "20.4 GB/s\n1.5 GB/s\n");
}

TEST(Wrap, CountsCharactersNotBytes) {
  EXPECT_EQ(display_width("gr\u00fc\u00df"), 4U);
  EXPECT_EQ(wrap("", "\u00fc\u00fc\u00fc \u00fc\u00fc", 6), "\u00fc\u00fc\u00fc \u00fc\u00fc\n");
}

}  // namespace
}  // namespace roofline::report
