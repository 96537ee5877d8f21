// Checks that the table of cases (tests/cases.csv) answers every known case: with a test that
// exists, with the later work that takes it, or with the reason why it does not apply. Works on
// text alone; it knows neither files nor the tool under test.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cases {

using CsvRecord = std::vector<std::string>;

struct Csv {
  std::vector<CsvRecord> records;
  std::vector<std::string> errors;  // one sentence each, naming the record; empty if well formed
};

// RFC 4180: fields may be quoted, a quote inside is doubled, quoted fields may hold commas and line
// ends; LF and CRLF both end a record, and the last end may be missing.
Csv parse_csv(std::string_view text);

// Ids of a list that has `id<TAB>description` per line; empty lines and those starting with # are
// comments. A line without both parts is an error; doubles are kept.
struct IdList {
  std::vector<std::string> ids;
  std::vector<std::string> errors;
};
IdList parse_ids(std::string_view text);

// `Suite.Name` of every TEST, TEST_F, TEST_P, TYPED_TEST and TYPED_TEST_P of a C++ source. What
// stands in comments or in literals is no test.
std::set<std::string> test_names(std::string_view source);

// Every fault of the table, one sentence each, empty when there is none.
std::vector<std::string> audit(const IdList& ids, const Csv& table,
                               const std::set<std::string>& tests);

}  // namespace cases
