// A journal gives back every point that was finished, wherever it was cut.
#include "report/journal.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/json_writer.hpp"
#include "roofline/error.hpp"
#include "sample_reports.hpp"

namespace roofline::report {
namespace {

std::string journal_of(const Report& report) {
  std::string out = journal_head(report) + '\n';
  for (const Record& record : report.points) out += journal_line(record) + '\n';
  return out;
}

TEST(Journal, GivesBackThePointsMarkedAsInterrupted) {
  Report wrote = test::sample_report();
  const Report read = read_journal(journal_of(wrote), "r.journal");
  EXPECT_TRUE(read.run.interrupted);
  EXPECT_EQ(read.run.end, RunEnd::interrupted);
  wrote.run.interrupted = true;
  wrote.run.end = RunEnd::interrupted;
  EXPECT_EQ(to_json(read), to_json(wrote));
}

TEST(Journal, ArbitraryPointsComeBack) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Report wrote = test::random_report(seed);
    // Repetitions of one point would become one.
    for (std::size_t i = 0; i < wrote.points.size(); ++i) wrote.points[i].id += std::to_string(i);
    const Report read = read_journal(journal_of(wrote), "r.journal");
    ASSERT_EQ(read.points.size(), wrote.points.size());
    for (std::size_t i = 0; i < read.points.size(); ++i)
      ASSERT_EQ(journal_line(read.points[i]), journal_line(wrote.points[i])) << seed;
  }
}

TEST(Journal, RepetitionsOfAPointBecomeOne) {
  Report wrote = test::sample_report();
  const auto is_measured = [](const Record& record) {
    return std::holds_alternative<Measured>(record.outcome);
  };
  const Record first = *std::find_if(wrote.points.begin(), wrote.points.end(), is_measured);
  const std::size_t samples = std::get<Measured>(first.outcome).samples.size();
  wrote.points.clear();
  for (const std::uint64_t repetition : {1U, 2U, 3U}) {
    wrote.points.push_back(first);
    for (Sample& sample : std::get<Measured>(wrote.points.back().outcome).samples)
      sample.repetition = repetition;
  }
  const Report read = read_journal(journal_of(wrote), "r.journal");
  ASSERT_EQ(read.points.size(), 1U);
  const auto& all = std::get<Measured>(read.points[0].outcome).samples;
  ASSERT_EQ(all.size(), 3 * samples);
  EXPECT_EQ(all.front().repetition, 1U);
  EXPECT_EQ(all.back().repetition, 3U);
}

TEST(Journal, CutAnywhereItHoldsWhatWasFinishedBefore) {
  const std::string text = journal_of(test::sample_report());
  const std::size_t head = text.find('\n') + 1;
  // Every place would take long: a stride that shares no factor with the length of a line.
  for (std::size_t cut = head; cut <= text.size(); cut += 997) {
    const std::string torn = text.substr(0, cut);
    const auto lines = std::count(torn.begin(), torn.end(), '\n');
    ASSERT_EQ(read_journal(torn, "r.journal").points.size(), static_cast<std::size_t>(lines - 1))
        << "cut at " << cut;
  }
}

TEST(Journal, ALastLineThatNeverReachedTheDiskIsLeftOut) {
  const Report wrote = test::sample_report();
  const std::string text = journal_of(wrote);
  // Some file systems leave zeros where a block was not written, with the newline of the next.
  const std::string zeros = text + std::string(100, '\0') + '\n';
  EXPECT_EQ(read_journal(zeros, "r.journal").points.size(), wrote.points.size());
}

TEST(Journal, AFaultInTheMiddleIsNamedByItsLine) {
  std::string text = journal_of(test::sample_report());
  const std::size_t second = text.find('\n') + 1;
  text.insert(text.find('\n', second) + 1, "{\"id\":7}\n");
  try {
    (void)read_journal(text, "r.journal");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("r.journal line 3"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW((void)read_journal("", "r.journal"), InputError);
  EXPECT_THROW((void)read_journal("{\"schema_version\":1,", "r.journal"), InputError);
  EXPECT_THROW((void)read_journal("nonsense\n", "r.journal"), InputError);
}

TEST(Journal, IsToldFromAReport) {
  const Report report = test::sample_report();
  EXPECT_TRUE(is_journal(journal_of(report)));
  EXPECT_TRUE(is_journal(journal_head(report) + '\n'));
  EXPECT_FALSE(is_journal(to_json(report)));
  EXPECT_FALSE(is_journal(to_line(report_json(report)) + '\n')) << "a report on one line";
  EXPECT_FALSE(is_journal(""));
}

}  // namespace
}  // namespace roofline::report
