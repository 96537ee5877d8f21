#include "roofline/quantity_text.hpp"

#include <clocale>
#include <map>

#include "support.hpp"

namespace roofline {
namespace {

using test::contains;
using test::refusal;

std::string refused_bandwidth(const std::string& text) {
  return refusal([&] { static_cast<void>(parse_bandwidth(text, "--bandwidth")); });
}

TEST(QuantityText, Bandwidths) {
  const std::map<std::string, double> texts{{"2039GB/s", 2.039e12},
                                            {"2.039TB/s", 2.039e12},
                                            {"2039 GB/s", 2.039e12},
                                            {"  8TB/s\t", 8e12},
                                            {"1GiB/s", 1073741824.0},
                                            {"1.5e3MB/s", 1.5e9},
                                            {"7B/s", 7},
                                            {"3kB/s", 3e3},
                                            {".5PB/s", 5e14},
                                            {"1TiB/s", 1099511627776.0}};
  for (const auto& [text, expected] : texts) {
    EXPECT_DOUBLE_EQ(in_byte_per_s(parse_bandwidth(text, "--bandwidth")), expected) << text;
  }
}

TEST(QuantityText, Performances) {
  const std::map<std::string, double> texts{{"312TFLOP/s", 3.12e14},    {"312 TFLOPS", 3.12e14},
                                            {"1.979PFLOP/s", 1.979e15}, {"624TOP/s", 6.24e14},
                                            {"147GFLOPs/s", 1.47e11},   {"1EFLOP/s", 1e18},
                                            {"2Gflop/s", 2e9},          {"624TOPS", 6.24e14}};
  for (const auto& [text, expected] : texts) {
    EXPECT_DOUBLE_EQ(in_flop_per_s(parse_performance(text, "--peak-flops")), expected) << text;
  }
}

TEST(QuantityText, TimesClocksAndIntensities) {
  const std::map<std::string, double> times{{"1ms", 1e-3},      {"1.5 us", 1.5e-6}, {"20ns", 2e-8},
                                            {"2min", 120},      {"1h", 3600},       {"0.25s", 0.25},
                                            {"3\u00B5s", 3e-6}, {"3\u03BCs", 3e-6}};
  for (const auto& [text, expected] : times) {
    EXPECT_DOUBLE_EQ(in_second(parse_seconds(text, "--time")), expected) << text;
  }
  EXPECT_DOUBLE_EQ(in_hertz(parse_frequency("1410MHz", "--clock")), 1.41e9);
  EXPECT_DOUBLE_EQ(in_flop_per_byte(parse_intensity("153", "--intensity")), 153);
  EXPECT_DOUBLE_EQ(in_flop_per_byte(parse_intensity("0.5 FLOP/byte", "--intensity")), 0.5);
}

TEST(QuantityText, EveryRefusalNamesTheOptionTheTextAndAForm) {
  const char* texts[] = {"",           " ",           "abc",         "GB/s",      "-5GB/s",
                         "- 5GB/s",    "+5GB/s",      "nan",         "NaNGB/s",   "inf",
                         "infGB/s",    "-inf",        "INFINITY",    "1e400GB/s", "1e-400GB/s",
                         "2,5GB/s",    "2.039,0TB/s", "1,555GB/s",   "2039",      "2039G",
                         "2039GB",     "2039GBps",    "0x10GB/s",    "1.2.3GB/s", "1e5e5GB/s",
                         "12 000GB/s", "5GB/s5",      "5 gigabytes", "5%",        "\u22125GB/s",
                         "5GB/s\n"};
  for (const char* text : texts) {
    const std::string sentence = refused_bandwidth(text);
    EXPECT_TRUE(sentence.rfind("--bandwidth: '", 0) == 0) << sentence;
    EXPECT_TRUE(contains(sentence, "2039GB/s")) << sentence;
    EXPECT_EQ(sentence.find('\n'), std::string::npos) << sentence;
  }
}

TEST(QuantityText, TheSentenceSaysWhatIsWrong) {
  const std::map<std::string, std::string> reasons{{"", "is empty"},
                                                   {"-5GB/s", "is negative"},
                                                   {"nanGB/s", "not a finite"},
                                                   {"infGB/s", "not a finite"},
                                                   {"1e400GB/s", "out of range"},
                                                   {"2,5GB/s", "comma"},
                                                   {"2039", "needs a unit"},
                                                   {"2039GB", "unknown unit 'GB'"},
                                                   {"xyz", "does not start with a number"},
                                                   {"0GB/s", "is zero"}};
  for (const auto& [text, reason] : reasons) {
    EXPECT_TRUE(contains(refused_bandwidth(text), reason)) << refused_bandwidth(text);
  }
}

TEST(QuantityText, BitsAreNotBytes) {
  for (const char* text : {"400Gb/s", "400Gbit/s", "400Gbps", "400 Gbits/s", "10gb/s"}) {
    EXPECT_TRUE(contains(refused_bandwidth(text), "bits per second")) << text;
  }
  const std::string sentence =
      refusal([] { static_cast<void>(parse_count("80Gb", "B", "--read")); });
  EXPECT_TRUE(contains(sentence, "bits")) << sentence;
}

TEST(QuantityText, NothingThatARatioWouldTurnIntoInfinity) {
  for (const char* text :
       {"1e30GB/s", "1e300GB/s", "1e308TB/s", "1e-31B/s", "1e-310B/s", "4e-324B/s"}) {
    EXPECT_TRUE(contains(refused_bandwidth(text), "out of range")) << text;
  }
  for (const char* text : {"1e308h", "1e31s", "1e-300s"}) {
    EXPECT_TRUE(contains(refusal([&] { static_cast<void>(parse_seconds(text, "--time")); }),
                         "out of range"))
        << text;
  }
  EXPECT_THROW(static_cast<void>(parse_intensity("1e31", "--intensity")), InputError);
  EXPECT_THROW(static_cast<void>(parse_performance("1e300TFLOP/s", "--achieved")), InputError);
  EXPECT_THROW(static_cast<void>(parse_number("1e31", "--tolerance")), InputError);
}

TEST(QuantityText, ZeroIsANumberAndACountButNoRate) {
  EXPECT_EQ(parse_number("0", "--beta"), 0.0);
  EXPECT_EQ(parse_count("0", "FLOP", "--flop").value(), 0U);
  EXPECT_EQ(parse_count("0.000GB", "B", "--read").value(), 0U);
  EXPECT_THROW(static_cast<void>(parse_performance("0TFLOP/s", "--achieved")), InputError);
  EXPECT_THROW(static_cast<void>(parse_seconds("0ms", "--time")), InputError);
  EXPECT_THROW(static_cast<void>(parse_intensity("0", "--intensity")), InputError);
}

TEST(QuantityText, WrongKindOfUnit) {
  EXPECT_THROW(static_cast<void>(parse_performance("312TB/s", "--achieved")), InputError);
  EXPECT_THROW(static_cast<void>(parse_performance("312TFLOP", "--achieved")), InputError);
  EXPECT_THROW(static_cast<void>(parse_performance("312T", "--achieved")), InputError);
  EXPECT_THROW(static_cast<void>(parse_frequency("1410", "--clock")), InputError);
  EXPECT_THROW(static_cast<void>(parse_frequency("1410M", "--clock")), InputError);
  EXPECT_THROW(static_cast<void>(parse_count("12G", "FLOP", "--flop")), InputError);
  EXPECT_THROW(static_cast<void>(parse_seconds("5", "--time")), InputError);
  EXPECT_THROW(static_cast<void>(parse_seconds("5GB", "--time")), InputError);
  EXPECT_THROW(static_cast<void>(parse_number("5%", "--tolerance")), InputError);
  EXPECT_THROW(static_cast<void>(parse_number("5,0", "--tolerance")), InputError);
  EXPECT_THROW(static_cast<void>(parse_intensity("5B", "--intensity")), InputError);
}

TEST(QuantityText, HugeInputIsQuotedShortAndWithoutControlCharacters) {
  const std::string sentence = refused_bandwidth("\x1b[2J" + std::string(100'000, '9'));
  EXPECT_LT(sentence.size(), 200U);
  EXPECT_EQ(sentence.find('\x1b'), std::string::npos);
  EXPECT_TRUE(contains(sentence, "...'")) << sentence;
  // A cut never leaves half a character.
  std::string accents = "x";
  for (int i = 0; i < 100; ++i) accents += "\u00E9";
  EXPECT_TRUE(contains(refused_bandwidth(accents), "\u00E9...'"));
}

TEST(QuantityText, CountsAreExact) {
  const std::map<std::string, std::uint64_t> texts{
      {"1200", 1200},
      {"2400FLOP", 2400},
      {"1.5e12", 1'500'000'000'000},
      {"9007199254740993", 9'007'199'254'740'993},
      {"9007199254740993.0", 9'007'199'254'740'993},
      {"9007199.254740993GFLOP", 9'007'199'254'740'993},
      {"18446744073709551615", 18'446'744'073'709'551'615U},
      {"18.446744073709551615e18", 18'446'744'073'709'551'615U},
      {"1e19", 10'000'000'000'000'000'000U},
      {"0.1GFLOP", 100'000'000},
      {"4.35 TFLOP", 4'350'000'000'000},
      {"1.005kFLOP", 1005},
      {"2e-3kFLOP", 2},
      {"000012", 12},
      {"3Gflop", 3'000'000'000},
      {"1e+3", 1000}};
  for (const auto& [text, expected] : texts) {
    EXPECT_EQ(parse_count(text, "FLOP", "--flop").value(), expected) << text;
  }
  EXPECT_EQ(parse_count("16GiB", "B", "--read").value(), 17'179'869'184U);
  EXPECT_EQ(parse_count("1.5KiB", "B", "--read").value(), 1536U);
  EXPECT_EQ(parse_count("80GB", "B", "--read").value(), 80'000'000'000U);
}

TEST(QuantityText, EveryHundredthOfATerabyteIsWhole) {
  for (std::uint64_t hundredths = 1; hundredths < 3000; ++hundredths) {
    const std::uint64_t whole = hundredths / 100;
    const std::uint64_t rest = hundredths % 100;
    const std::string text =
        std::to_string(whole) + (rest < 10 ? ".0" : ".") + std::to_string(rest) + "TB";
    ASSERT_EQ(parse_count(text, "B", "--read").value(), hundredths * 10'000'000'000U) << text;
  }
}

TEST(QuantityText, CountsThatAreNone) {
  const std::map<std::string, std::string> reasons{
      {"1.5", "whole"},           {"0.5B", "whole"},
      {"1e-1", "whole"},          {"9007199254740993.5", "whole"},
      {"1e30", "64 bits"},        {"18446744073709551616", "64 bits"},
      {"16777216TiB", "64 bits"}, {"18446744073709551615.5", "64 bits"},
      {"-1", "negative"},         {"1,200", "comma"},
      {"nan", "finite"},          {"12GB/s", "unknown unit"},
      {"12G", "unknown unit"},    {"", "empty"},
      {"0x10", "unknown unit"}};
  for (const auto& [text, reason] : reasons) {
    const std::string sentence =
        refusal([&, &count = text] { static_cast<void>(parse_count(count, "B", "--read")); });
    EXPECT_TRUE(contains(sentence, reason)) << sentence;
    EXPECT_TRUE(contains(sentence, "--read")) << sentence;
  }
}

TEST(QuantityText, TheLocaleDoesNotMatter) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  // Where none of these is installed the test still holds, in the C locale.
  for (const char* locale : {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8"}) {
    if (std::setlocale(LC_ALL, locale) != nullptr) break;
  }
  EXPECT_DOUBLE_EQ(in_byte_per_s(parse_bandwidth("2.5GB/s", "--bandwidth")), 2.5e9);
  EXPECT_THROW(static_cast<void>(parse_bandwidth("2,5GB/s", "--bandwidth")), InputError);
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace roofline
