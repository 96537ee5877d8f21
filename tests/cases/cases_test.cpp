#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

#include "case_audit.hpp"

namespace {

using cases::audit;
using cases::parse_csv;
using cases::parse_ids;
using cases::test_names;
using Names = std::set<std::string>;
using Faults = std::vector<std::string>;

const std::filesystem::path tests_dir = std::filesystem::path(ROOFLINE_SOURCE_DIR) / "tests";

std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

Names all_test_names() {
  Names names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(tests_dir)) {
    if (entry.path().extension() == ".cpp") names.merge(test_names(read_file(entry.path())));
  }
  return names;
}

// One case, one row and one test, so that each fault can be shown alone.
Faults faults_of(const std::string& rows) {
  const auto ids = parse_ids("# comment\nA1\tfirst\nA2\tsecond\n");
  return audit(ids, parse_csv("id,status,where,note\n" + rows), {"Suite.Name", "Suite.Other"});
}

const std::string good = "A2,later,charts,\n";

TEST(Cases, EveryKnownCaseIsAnswered) {
  const auto ids = parse_ids(read_file(tests_dir / "data" / "case_ids.txt"));
  const auto table = parse_csv(read_file(tests_dir / "cases.csv"));
  EXPECT_FALSE(ids.ids.empty());
  for (const std::string& fault : audit(ids, table, all_test_names())) ADD_FAILURE() << fault;
}

TEST(Cases, FindsItsOwnTests) { EXPECT_EQ(all_test_names().count("Cases.FindsItsOwnTests"), 1U); }

TEST(CaseAudit, AcceptsEachOfTheThreeAnswers) {
  EXPECT_EQ(faults_of("A1,test,Suite.Name,\n" + good), Faults{});
  EXPECT_EQ(faults_of("A1,test, Suite.Name ; Suite.Other,a note\n" + good), Faults{});
  EXPECT_EQ(faults_of("A1,not applicable,,no such device\n" + good), Faults{});
}

TEST(CaseAudit, ReportsMissingUnknownAndDoubleIds) {
  EXPECT_EQ(faults_of(good), Faults{"A1: has no row"});
  EXPECT_EQ(faults_of("A1,later,x,\nA3,later,x,\n" + good), Faults{"A3: not in the list of ids"});
  EXPECT_EQ(faults_of("A1,later,x,\nA1,later,x,\n" + good), Faults{"A1: has two rows"});
  EXPECT_EQ(audit(parse_ids("A\ta\nA\tb\n"), parse_csv("id,status,where,note\nA,later,x,\n"), {}),
            Faults{"A: stands twice in the list of ids"});
}

TEST(CaseAudit, ReportsTestsThatDoNotExist) {
  EXPECT_EQ(faults_of("A1,test,Suite.Nmae,\n" + good),
            Faults{"A1: no test is called \"Suite.Nmae\""});
  EXPECT_EQ(faults_of("A1,test,Suite.Name;Gone.Too,\n" + good),
            Faults{"A1: no test is called \"Gone.Too\""});
  EXPECT_EQ(faults_of("A1,test,Suite.Name;,\n" + good).size(), 1U);
  EXPECT_EQ(faults_of("A1,test,,\n" + good).size(), 1U);
  EXPECT_EQ(audit(parse_ids("A\ta"), parse_csv("id,status,where,note\nA,test,S.DISABLED_N,\n"),
                  {"S.DISABLED_N"}),
            Faults{"A: the test \"S.DISABLED_N\" is disabled"});
}

TEST(CaseAudit, ReportsUnknownStatusAndEmptyReasons) {
  EXPECT_EQ(faults_of("A1,done,Suite.Name,\n" + good).size(), 1U);
  EXPECT_EQ(faults_of("A1,later, ,a note\n" + good).size(), 1U);
  EXPECT_EQ(faults_of("A1,not applicable,charts,\n" + good).size(), 1U);
}

TEST(CaseAudit, ReportsMalformedTables) {
  EXPECT_EQ(faults_of("A1,later,x\n" + good).front(), "record 2 (A1) has 3 fields, not 4");
  EXPECT_EQ(faults_of("A1,later,a, b, c\n" + good).front(), "record 2 (A1) has 5 fields, not 4");
  EXPECT_EQ(faults_of("A1,later,x\"y,\n" + good).size(), 1U);
  EXPECT_FALSE(faults_of(good + "A1,later,\"x,\n").empty());
  EXPECT_FALSE(audit(parse_ids("A\ta\n"), parse_csv(""), {}).empty());
  EXPECT_FALSE(audit(parse_ids("A\ta\n"), parse_csv("A,later,x,\n"), {}).empty());
  EXPECT_EQ(parse_ids("A1 no tab\n").errors.size(), 1U);
  EXPECT_EQ(parse_ids("A1\t \n").errors.size(), 1U);
}

TEST(CaseCsv, FollowsRfc4180) {
  using Records = std::vector<cases::CsvRecord>;
  EXPECT_EQ(parse_csv("a,b\r\nc,d").records, (Records{{"a", "b"}, {"c", "d"}}));
  EXPECT_EQ(parse_csv("\"a,b\",\"say \"\"no\"\"\"\n").records, (Records{{"a,b", "say \"no\""}}));
  EXPECT_EQ(parse_csv("\"two\nlines\",\n").records, (Records{{"two\nlines", ""}}));
  EXPECT_EQ(parse_csv(",\n").records, (Records{{"", ""}}));
  EXPECT_EQ(parse_csv("a,").records, (Records{{"a", ""}}));
  EXPECT_TRUE(parse_csv("").records.empty());
  EXPECT_EQ(parse_csv("\"a\"b\",c\n").errors.size(), 1U);
  EXPECT_EQ(parse_csv("a,\"b").errors, Faults{"record 1 has a quoted field without an end"});
}

TEST(CaseTestNames, AreReadFromTheMacros) {
  EXPECT_EQ(test_names("TEST(A, B) {}\nTEST_F ( C ,\n  D ) {}\nTEST_P(E, F)\nTYPED_TEST(G, H)"),
            (Names{"A.B", "C.D", "E.F", "G.H"}));
  EXPECT_EQ(test_names("#define MY_TEST(A, B)\nBEST(A, B) TEST(A) TEST_SUITE(A, B)"), Names{});
}

TEST(CaseTestNames, IgnoreCommentsAndLiterals) {
  EXPECT_EQ(test_names("// TEST(A, B)\n/* TEST(A, B)\n */ TEST(C, D)"), Names{"C.D"});
  EXPECT_EQ(test_names("f(\"TEST(A, B) \\\" // \"); TEST(C, D)"), Names{"C.D"});
  EXPECT_EQ(test_names("g(R\"x(a \" TEST(A, B) )\" )x\"); TEST(C, D)"), Names{"C.D"});
  EXPECT_EQ(test_names("c = '\"'; n = 1'000; TEST(C, D) s = \"\";"), Names{"C.D"});
}

}  // namespace
