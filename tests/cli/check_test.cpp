// roofline check as it is called: files of assertions, carets, what is said.
#include <gtest/gtest.h>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

const std::string kReport = std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/reports/kinds.json";

test::Run check(const std::string& lines) {
  const TemporaryFolder folder;
  return roofline({"check", kReport, "--assert-file", folder.write("budget.txt", lines)});
}

std::string line_of(const std::string& text, std::size_t number) {
  std::size_t begin = 0;
  for (; number > 0; --number) begin = text.find('\n', begin) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

TEST(Check, ACommentBeginsBeforeAWord) {
  EXPECT_EQ(check("# all of it\nread.bandwidth > 0  # and this\n").status, 0);
  // An id has it within: this one speaks of no point, which is no mistake of writing.
  const test::Run within = check("kernel/bf16/g#2.time <= 1ms\n");
  EXPECT_EQ(within.status, 1);
  EXPECT_NE(within.out.find("FAIL  kernel/bf16/g#2.time <= 1ms"), std::string::npos) << within.out;
}

TEST(Check, TheCaretStandsBelowTheMistakeWhateverLettersStandBefore) {
  const test::Run found = check("stréam.bandwith >= 3GB/s\n");
  EXPECT_EQ(found.status, 2);
  EXPECT_EQ(line_of(found.err, 2), "         ^") << found.err;
}

}  // namespace
}  // namespace roofline::test
