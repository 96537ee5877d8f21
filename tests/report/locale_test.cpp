// Commas for points and dots between thousands: no locale changes a report, its table or how it is
// read.
#include <gtest/gtest.h>

#include <clocale>
#include <locale>
#include <string>

#include "report/explanation_text.hpp"
#include "report/format.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "report/table.hpp"
#include "sample_reports.hpp"

namespace roofline {
namespace {

class CommaPunctuation : public std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

std::string everything() {
  const Report report = test::sample_report();
  const std::string text = report::to_json(report);
  return text + report::to_json(report::read_report(text, "report.json")) +
         report::render_table(report) + report::render_explanation(report.points[5]) +
         report::format(second(1.25)) + report::format_exact(1234567);
}

class Locale : public ::testing::Test {
 protected:
  void TearDown() override {
    std::setlocale(LC_ALL, "C");
    std::locale::global(std::locale::classic());
  }
};

TEST_F(Locale, AGlobalLocaleOfTheStreamsChangesNothing) {
  const std::string plain = everything();
  std::locale::global(std::locale(std::locale::classic(), new CommaPunctuation));
  EXPECT_EQ(everything(), plain);
}

TEST_F(Locale, ALocaleOfTheCLibraryChangesNothing) {
  const std::string plain = everything();
  const char* found = nullptr;
  for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "es_ES.UTF-8",
                           "pt_BR.UTF-8", "ru_RU.UTF-8"}) {
    found = std::setlocale(LC_ALL, name);
    if (found != nullptr && *std::localeconv()->decimal_point == ',') break;
    found = nullptr;
  }
  if (found == nullptr)
    GTEST_SKIP() << "no locale with a decimal comma is installed (locale-gen de_DE.UTF-8)";
  EXPECT_EQ(everything(), plain);
}

}  // namespace
}  // namespace roofline
