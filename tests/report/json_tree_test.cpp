// The quick parser: it agrees with nlohmann/json in all that it takes, and takes all that reports
// hold.
#include "report/json_tree.hpp"

#include <gtest/gtest.h>

#include <random>

#include "report/json_writer.hpp"
#include "sample_reports.hpp"
#include "support/json_agreement.hpp"

namespace roofline {
namespace {

using report::JsonTree;
using test::Outcome;
using test::parse_twice;

TEST(JsonTree, TakesWhatReportsHold) {
  const char* texts[] = {
      "null",
      " [true, false]\n",
      "{}",
      "[]",
      R"({"a": {"b": [1, 2.5, -3, -0, -0.0, 1e5, 1E+05, 1e-05, 0.1]}, "c": ""})",
      "[18446744073709551615, 18446744073709551616, 9223372036854775807, -9223372036854775808]",
      "[-9223372036854775809, 999999999999999999, 1000000000000000000, 123456789012345678901234]",
      "[1e99, 1e-99, 0.30000000000000004, 5e-1, 131831176349.65547, 1.45698978129772e-05]",
      R"(["\"\\\/\b\f\n\r\t", "\u0041\u00e9\u20ac\u0000", "é€😀", "0123456789abcdef\n"])",
      "\t[\r\n1 ,\t2 ]  ",
      R"({"0123456789": 1, "0123456788": 2, "": 3})",
  };
  for (const char* text : texts) EXPECT_EQ(parse_twice(text), Outcome::agree) << text;
  EXPECT_EQ(parse_twice(report::to_json(test::sample_report())), Outcome::agree);
}

/// Arbitrary JSON of all kinds of value, short of what is seldom seen.
class AnyJson {
 public:
  explicit AnyJson(std::uint64_t seed) : dice_(seed) {}

  std::string value(int depth = 0) {
    switch (below(depth < 5 ? 9 : 6)) {
      case 0:
        return pick({"null", "true", "false"});
      case 1:
        return number();
      case 2:
        return whole();
      case 3:
      case 4:
      case 5:
        return text(below(30));
      case 6:
        return list(depth);
      default:
        return object(depth);
    }
  }

  std::size_t below(std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(dice_);
  }
  std::string pick(std::initializer_list<const char*> from) {
    return from.begin()[below(from.size())];
  }

 private:
  std::string digits(std::size_t count) {
    std::string out;
    while (out.size() < count) out += static_cast<char>('0' + below(10));
    return out;
  }
  std::string whole() {
    const std::string magnitude =
        std::string(1, static_cast<char>('1' + below(9))) + digits(below(25));
    return pick({"", "-"}) + (below(8) == 0 ? "0" : magnitude);
  }
  std::string number() {
    std::string out = whole();
    if (below(3) != 0) out += "." + digits(1 + below(20));
    if (below(2) == 0) out += pick({"e", "E", "e+", "e-", "E-"}) + digits(1 + below(2));
    return out;
  }
  std::string text(std::size_t length) {
    std::string out = "\"";
    while (length-- != 0) {
      out += below(4) != 0 ? std::string(1, static_cast<char>('a' + below(26)))
                           : pick({"\\n", "\\\"", "\\\\", "\\/", "\\u00e9", "\\u20AC", "\\u0000",
                                   "é", "€", "😀", " ", "\x7f", "{", "]", ",", ":", "~", "/"});
    }
    return out + '"';
  }
  std::string blank() { return pick({"", "", " ", "\n        ", "\t", "\r\n  "}); }
  std::string list(int depth) {
    std::string out = "[" + blank();
    for (std::size_t i = 0, size = below(6); i < size; ++i)
      out += (i == 0 ? "" : ",") + blank() + value(depth + 1) + blank();
    return out + "]";
  }
  std::string object(int depth) {
    std::string out = "{" + blank();
    for (std::size_t i = 0, size = below(14); i < size; ++i) {
      // No key twice: each has its number at one of its ends.
      std::string key = text(below(12));
      key.insert(below(2) == 0 ? 1 : key.size() - 1, "#" + std::to_string(i) + "#");
      out += (i == 0 ? "" : ",") + blank() + key + blank() + ":" + blank() + value(depth + 1) +
             blank();
    }
    return out + "}";
  }

  std::mt19937_64 dice_;
};

TEST(JsonTree, ArbitraryTextsAreTakenAndTheSame) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const std::string text = AnyJson(seed).value();
    ASSERT_EQ(parse_twice(text), Outcome::agree) << text;
  }
}

TEST(JsonTree, AlteredTextsAreTheSameOrLeft) {
  std::size_t taken = 0;
  std::size_t left = 0;
  for (std::uint64_t seed = 0; seed < 10000; ++seed) {
    AnyJson any(seed);
    std::string text = any.value();
    for (std::size_t i = 0, times = 1 + any.below(3); i < times && !text.empty(); ++i) {
      const std::size_t at = any.below(text.size());
      const std::size_t size = any.below(3);
      const std::string other = any.below(3) == 0
                                    ? std::string(1, static_cast<char>(any.below(256)))
                                    : any.pick({"",
                                                "\"",
                                                "\\",
                                                "{",
                                                "}",
                                                "[",
                                                "]",
                                                ",",
                                                ":",
                                                "0",
                                                "-",
                                                ".",
                                                "e",
                                                "e3",
                                                "E+",
                                                "\\u",
                                                "\\ud83d\\ude00",
                                                "\\udc00",
                                                "\"a\":1,",
                                                "null",
                                                " "});
      text.replace(at, size, other);
    }
    const Outcome outcome = parse_twice(text);
    ASSERT_NE(outcome, Outcome::differ) << text;
    ++(outcome == Outcome::agree ? taken : left);
  }
  // Either happens often enough to tell.
  EXPECT_GT(taken, 1000U);
  EXPECT_GT(left, 1000U);
}

TEST(JsonTree, ArbitraryReportsAreTheSame) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    ASSERT_NE(parse_twice(report::to_json(test::random_report(seed))), Outcome::differ) << seed;
}

TEST(JsonTree, LeavesToOthersWhatIsNoJsonOrSeldomSeen) {
  const std::string texts[] = {
      "",
      " ",
      "nul",
      "nulL",
      "true false",
      "[1,]",
      "[,1]",
      "[1 2]",
      "{\"a\"}",
      "{\"a\":}",
      "{\"a\":1,}",
      "{a:1}",
      "{'a':1}",
      "[01]",
      "[-]",
      "[+1]",
      "[1.]",
      "[.5]",
      "[1e]",
      "[1e+]",
      "[0x10]",
      "[NaN]",
      "[-Infinity]",
      "[\"]",
      "[\"\\x\"]",
      "[\"\\u12\"]",
      "[\"\\u12g4\"]",
      "[\"\\ud83d\"]",
      "[\"a\nb\"]",
      "[\"\x7f\xff\"]",
      "[\"\xc0\x80\"]",
      "[\"\xed\xa0\x80\"]",
      "[\"\xf5\x80\x80\x80\"]",
      "[\"\xe2\x82\"]",
      "\xef\xbb\xbf[]",
      "[1e999]",
      "[1e-999]",
      R"({"a": 1, "b": 2, "a": 3})",
      "[" + std::string(400, '1') + "]",
      "[0." + std::string(400, '0') + "1]",
      std::string(65, '[') + std::string(65, ']'),
      std::string("[1]\0", 4),
  };
  for (const std::string& text : texts) EXPECT_EQ(parse_twice(text), Outcome::declined) << text;
  EXPECT_EQ(parse_twice(std::string(64, '[') + std::string(64, ']')), Outcome::agree);
}

TEST(JsonTree, TextsOfEveryLengthAndPlace) {
  // Strings are looked at eight bytes at a time.
  for (std::size_t length = 0; length < 20; ++length) {
    for (std::size_t place = 0; place < length; ++place) {
      for (const char* odd : {"\\n", "é", "\x01", "\xff", "\x1f", " ", "\x7f", "\\u00e9"}) {
        std::string text(length, 'x');
        text.replace(place, 1, odd);
        ASSERT_NE(parse_twice("[\"" + text + "\", 1]"), Outcome::differ) << text;
      }
    }
  }
}

TEST(JsonTree, FindsKeysInAnyOrder) {
  const std::string text = R"({"a": 1, "b": {"x": 2}, "c": [3, {"d": 4}], "e": 5})";
  JsonTree tree;
  std::size_t at = 0;
  ASSERT_TRUE(tree.parse(text, at));
  EXPECT_EQ(at, text.size());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(tree[tree.find(0, "e")].count, 5U);
    EXPECT_EQ(tree[tree.find(0, "a")].count, 1U);
    EXPECT_EQ(tree.find(0, "x"), 0U);
    const std::uint32_t b = tree.find(0, "b");
    EXPECT_EQ(tree[tree.find(b, "x")].count, 2U);
    EXPECT_EQ(tree.pointer_to(tree.find(b, "x")), "/b/x");
  }
  const std::uint32_t c = tree.find(0, "c");
  const std::uint32_t second = tree[c + 1].end;
  EXPECT_EQ(tree.pointer_to(tree.find(second, "d")), "/c/1/d");
  EXPECT_EQ(tree.pointer_to(0), "");
}

TEST(JsonTree, IsFilledAnew) {
  JsonTree tree;
  std::size_t at = 0;
  ASSERT_TRUE(tree.parse(R"({"a": "\n"})", at));
  at = 0;
  ASSERT_TRUE(tree.parse(R"({"b": 1})", at));
  EXPECT_EQ(tree.find(0, "a"), 0U);
  EXPECT_EQ(tree[tree.find(0, "b")].count, 1U);
}

}  // namespace
}  // namespace roofline
