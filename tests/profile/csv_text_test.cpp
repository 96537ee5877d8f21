#include "profile/csv_text.hpp"

#include <gtest/gtest.h>

#include "roofline/error.hpp"

namespace roofline::profile {
namespace {

using Records = std::vector<std::vector<std::string>>;

Records all_of(std::string_view text) {
  CsvReader reader(text, "t.csv");
  Records out;
  std::vector<std::string> fields;
  while (reader.next(fields)) out.push_back(fields);
  return out;
}

std::string refusal(std::string_view text) {
  try {
    (void)all_of(text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "not refused";
}

// The definitions of RFC 4180, section 2.
TEST(CsvText, RecordsFieldsAndQuotes) {
  EXPECT_EQ(all_of("aaa,bbb,ccc\r\nzzz,yyy,xxx\r\n"),
            (Records{{"aaa", "bbb", "ccc"}, {"zzz", "yyy", "xxx"}}));
  EXPECT_EQ(all_of("aaa,bbb\nzzz,yyy"), (Records{{"aaa", "bbb"}, {"zzz", "yyy"}}));
  EXPECT_EQ(all_of("\"aaa\",\"b\r\nbb\",\"c,c\"\r\n"), (Records{{"aaa", "b\r\nbb", "c,c"}}));
  EXPECT_EQ(all_of("\"aaa\",\"b\"\"bb\",ccc"), (Records{{"aaa", "b\"bb", "ccc"}}));
  EXPECT_EQ(all_of("a, b ,\n"), (Records{{"a", " b ", ""}}));
  EXPECT_EQ(all_of("\"\",x"), (Records{{"", "x"}}));
}

TEST(CsvText, AMarkAtTheBeginningAndEmptyLinesAreNoFields) {
  EXPECT_EQ(all_of("\xEF\xBB\xBFname,x\n\n\r\n1,2\n\n"), (Records{{"name", "x"}, {"1", "2"}}));
  EXPECT_EQ(all_of(""), Records{});
  EXPECT_EQ(all_of("\n\n"), Records{});
}

TEST(CsvText, TheHeaderSaysWhatSeparates) {
  EXPECT_EQ(separator_of("a,b,c;d\n1;2;3;4"), ',');
  EXPECT_EQ(separator_of("a;b;\"c,d,e,f\"\n"), ';');
  EXPECT_EQ(separator_of("a\tb\tc,d"), '\t');
  EXPECT_EQ(separator_of("alone"), ',');
  EXPECT_EQ(all_of("a;b\n1,5;2"), (Records{{"a", "b"}, {"1,5", "2"}}));
}

TEST(CsvText, LinesAreCountedAsAnEditorDoes) {
  const std::string text = "a,b\n\n\"1\n2\",x\r\ny,z\n";
  CsvReader reader(text, "t.csv");
  std::vector<std::string> fields;
  const std::size_t expected[] = {1, 3, 5};
  for (const std::size_t line : expected) {
    ASSERT_TRUE(reader.next(fields));
    EXPECT_EQ(reader.line(), line);
  }
  EXPECT_EQ(reader.place(), "t.csv, line 5");
}

TEST(CsvText, BrokenQuotesAreRefusedWithTheirLine) {
  EXPECT_EQ(refusal("a,b\n1,\"2\n"),
            "t.csv, line 2: a quoted field is never closed; end it with a quote");
  EXPECT_NE(refusal("a,b\n\"1\"x,2").find("t.csv, line 2: something follows"), std::string::npos);
  EXPECT_NE(refusal("a,b\n1\"x,2").find("t.csv, line 2: a quote stands within"), std::string::npos);
}

}  // namespace
}  // namespace roofline::profile
