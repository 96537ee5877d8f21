#include <map>

#include "roofline/quantity_text.hpp"
#include "support.hpp"

namespace roofline {
namespace {

using Sizes = std::vector<std::uint64_t>;
using test::contains;
using test::refusal;

TEST(ShapeText, Shapes) {
  EXPECT_EQ(parse_shape("4096x14336x4096", 3, "--gemm"), (Sizes{4096, 14336, 4096}));
  EXPECT_EQ(parse_shape("4096x128256", 2, "--matvec"), (Sizes{4096, 128256}));
  EXPECT_EQ(parse_shape("7", 1, "--elements"), Sizes{7});
  EXPECT_EQ(parse_shape("18446744073709551615x1x1", 3, "--gemm").front(),
            18'446'744'073'709'551'615U);
}

TEST(ShapeText, RefusalsNameTheOptionAndTheTroublePart) {
  const std::map<std::string, std::string> parts{
      {"4096x-1x7", "'-1'"},
      {"0x0x0", "has a 0"},
      {"4096x0x4096", "has a 0"},
      {"4096x4096", "has 2 sizes where 3 are needed"},
      {"4096", "has 1 size where 3"},
      {"", "has 1 size where 3"},
      {"1x2x3x4", "has 4 sizes where 3"},
      {"4096xx4096", "''"},
      {"x4096x4096", "''"},
      {"4096x4096x", "''"},
      {"4096\u00D74096\u00D74096", "letter x"},
      {"4096*4096*4096", "letter x"},
      {"4096X4096X4096", "letter x"},
      {"4096,4096,4096", "letter x"},
      {"4096x 4096x4096", "' 4096'"},
      {"4096x4096x4096 ", "'4096 '"},
      {"4096x4e3x4096", "'4e3'"},
      {"4096x1.5x4096", "'1.5'"},
      {"4096x1,5x4096", "'1,5'"},
      {"4096x+1x4096", "'+1'"},
      {"4096xnanx4096", "'nan'"},
      {"99999999999999999999x1x1", "64 bits"},
      {"1x18446744073709551616x1", "64 bits"},
      {"99999999999999999999ax1x1", "positive whole number"}};
  for (const auto& [text, part] : parts) {
    const std::string sentence =
        refusal([&, &shape = text] { static_cast<void>(parse_shape(shape, 3, "--gemm")); });
    EXPECT_TRUE(sentence.rfind("--gemm: '", 0) == 0) << sentence;
    EXPECT_TRUE(contains(sentence, part)) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos);
  }
}

TEST(ShapeText, TheExampleHasTheRightNumberOfSizes) {
  EXPECT_TRUE(contains(refusal([] { static_cast<void>(parse_shape("1", 3, "--gemm")); }),
                       "4096x14336x4096"));
  EXPECT_TRUE(
      contains(refusal([] { static_cast<void>(parse_shape("1", 2, "--matvec")); }), "4096x14336"));
}

TEST(AxisText, Values) {
  EXPECT_EQ(parse_axis("4096", "--m"), Sizes{4096});
  EXPECT_EQ(parse_axis("1,8,32", "--m"), (Sizes{1, 8, 32}));
  EXPECT_EQ(parse_axis("1:16:x2", "--m"), (Sizes{1, 2, 4, 8, 16}));
  EXPECT_EQ(parse_axis("1:20:x2", "--m"), (Sizes{1, 2, 4, 8, 16}));
  EXPECT_EQ(parse_axis("512:2048:+512", "--m"), (Sizes{512, 1024, 1536, 2048}));
  EXPECT_EQ(parse_axis("512:2047:+512", "--m"), (Sizes{512, 1024, 1536}));
  EXPECT_EQ(parse_axis("3:3:x2", "--m"), Sizes{3});
  EXPECT_EQ(parse_axis("1:8192:x2", "--m").size(), 14U);
}

TEST(AxisText, EndsAtTheLargestNumber) {
  EXPECT_EQ(parse_axis("9223372036854775808:18446744073709551615:x2", "--m"),
            Sizes{9'223'372'036'854'775'808U});
  EXPECT_EQ(parse_axis("18446744073709551615:18446744073709551615:+1", "--m"),
            Sizes{18'446'744'073'709'551'615U});
}

TEST(AxisText, AtMost4096Values) {
  EXPECT_EQ(parse_axis("1:4096:+1", "--m").size(), 4096U);
  EXPECT_TRUE(contains(refusal([] { static_cast<void>(parse_axis("1:4097:+1", "--m")); }), "4096"));
  std::string list = "1";
  for (int i = 0; i < 4095; ++i) list += ",1";
  EXPECT_EQ(parse_axis(list, "--m").size(), 4096U);
  list += ",1";
  EXPECT_TRUE(contains(refusal([&] { static_cast<void>(parse_axis(list, "--m")); }), "4096"));
}

TEST(AxisText, Refusals) {
  const std::map<std::string, std::string> parts{{"", "''"},
                                                 {"0", "has a 0"},
                                                 {"1,0", "has a 0"},
                                                 {"1,,2", "''"},
                                                 {"1,", "''"},
                                                 {"-4", "'-4'"},
                                                 {"8:4:x2", "backwards"},
                                                 {"1:8", "first:last:x2"},
                                                 {"1:8:x2:3", "first:last:x2"},
                                                 {"1:8:2", "step"},
                                                 {"1:8:x", "step"},
                                                 {"1:8:", "step"},
                                                 {"1:8:x1", "x2 or more"},
                                                 {"1:8:+0", "has a 0"},
                                                 {"1:8:x0", "has a 0"},
                                                 {"1:8:x-2", "'-2'"},
                                                 {"a:8:x2", "'a'"},
                                                 {"0:8:x2", "has a 0"},
                                                 {"1.5", "'1.5'"},
                                                 {"1e3", "'1e3'"},
                                                 {"nan", "'nan'"},
                                                 {"1;2", "'1;2'"},
                                                 {"99999999999999999999", "64 bits"}};
  for (const auto& [text, part] : parts) {
    const std::string sentence =
        refusal([&, &axis = text] { static_cast<void>(parse_axis(axis, "--m")); });
    EXPECT_TRUE(sentence.rfind("--m: '", 0) == 0) << sentence;
    EXPECT_TRUE(contains(sentence, part)) << sentence;
  }
}

}  // namespace
}  // namespace roofline
