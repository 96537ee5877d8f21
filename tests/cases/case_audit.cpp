#include "case_audit.hpp"

#include <cstddef>
#include <utility>

namespace cases {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_word(char c) {
  return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  for (std::size_t end = text.find(separator); end != std::string_view::npos;
       end = text.find(separator, begin)) {
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

// Reads one field that starts at `at` and leaves `at` on the separator after it.
std::string read_field(std::string_view text, std::size_t& at, std::string& fault) {
  std::string field;
  if (at < text.size() && text[at] == '"') {
    for (++at;; ++at) {
      if (at >= text.size()) {
        fault = "has a quoted field without an end";
        return field;
      }
      if (text[at] != '"') {
        field += text[at];
      } else if (at + 1 < text.size() && text[at + 1] == '"') {
        field += '"';
        ++at;
      } else {
        ++at;
        break;
      }
    }
  }
  for (; at < text.size() && text[at] != ',' && text[at] != '\n'; ++at) {
    const bool line_end = text[at] == '\r' && (at + 1 == text.size() || text[at + 1] == '\n');
    if (line_end) continue;
    if (text[at] == '"') fault = "has a quote inside an unquoted field";
    field += text[at];
  }
  return field;
}

// Index just past a string literal whose opening quote is at `at`; raw if an R stands before it.
std::size_t end_of_string(std::string_view source, std::size_t at) {
  if (at > 0 && source[at - 1] == 'R') {
    const std::size_t open = source.find('(', at);
    if (open == std::string_view::npos) return source.size();
    const std::string close = ")" + std::string(source.substr(at + 1, open - at - 1)) + "\"";
    const std::size_t end = source.find(close, open);
    return end == std::string_view::npos ? source.size() : end + close.size();
  }
  for (++at; at < source.size() && source[at] != '"' && source[at] != '\n'; ++at) {
    if (source[at] == '\\') ++at;
  }
  return at < source.size() ? at + 1 : source.size();
}

// Index just past a character literal at `at`, or past the quote alone where it separates digits.
std::size_t end_of_character(std::string_view source, std::size_t at) {
  if (at > 0 && is_digit(source[at - 1])) return at + 1;
  for (++at; at < source.size() && source[at] != '\'' && source[at] != '\n'; ++at) {
    if (source[at] == '\\') ++at;
  }
  return at < source.size() ? at + 1 : source.size();
}

std::size_t end_of_comment(std::string_view source, std::size_t at) {
  const bool line = source[at + 1] == '/';
  const std::size_t end = source.find(line ? "\n" : "*/", at + 2);
  if (end == std::string_view::npos) return source.size();
  return line ? end : end + 2;
}

std::string without_comments_and_literals(std::string_view source) {
  std::string code;
  code.reserve(source.size());
  for (std::size_t at = 0; at < source.size();) {
    const char c = source[at];
    const char next = at + 1 < source.size() ? source[at + 1] : '\0';
    std::size_t end = at;
    if (c == '/' && (next == '/' || next == '*')) end = end_of_comment(source, at);
    if (c == '"') end = end_of_string(source, at);
    if (c == '\'') end = end_of_character(source, at);
    if (end == at) {
      code += c;
      ++at;
    } else {
      code += ' ';
      at = end;
    }
  }
  return code;
}

bool is_identifier(std::string_view text) {
  for (const char c : text) {
    if (!is_word(c)) return false;
  }
  return !text.empty() && !is_digit(text.front());
}

void check_tests(const std::string& id, std::string_view where, const std::set<std::string>& tests,
                 std::vector<std::string>& faults) {
  for (const std::string_view part : split(where, ';')) {
    const std::string name(trimmed(part));
    if (name.empty()) {
      faults.push_back(id + ": names no test, or has a semicolon too many");
    } else if (tests.count(name) == 0) {
      faults.push_back(id + ": no test is called \"" + name + "\"");
    } else if (name.find("DISABLED_") != std::string::npos) {
      faults.push_back(id + ": the test \"" + name + "\" is disabled");
    }
  }
}

void check_row(const CsvRecord& row, const std::set<std::string>& tests,
               std::vector<std::string>& faults) {
  const std::string& id = row[0];
  const std::string& status = row[1];
  if (status == "test") {
    check_tests(id, row[2], tests, faults);
  } else if (status == "later") {
    if (trimmed(row[2]).empty()) faults.push_back(id + ": does not say which work takes it");
  } else if (status == "not applicable") {
    if (trimmed(row[3]).empty()) faults.push_back(id + ": does not say why it is excluded");
  } else {
    faults.push_back(id + ": status \"" + status + "\" is none of test, later, not applicable");
  }
}

}  // namespace

Csv parse_csv(std::string_view text) {
  Csv csv;
  for (std::size_t at = 0; at < text.size();) {
    CsvRecord record;
    std::string fault;
    record.push_back(read_field(text, at, fault));
    while (at < text.size() && text[at] == ',') record.push_back(read_field(text, ++at, fault));
    if (at < text.size()) ++at;  // the line end
    if (!fault.empty()) {
      csv.errors.push_back("record " + std::to_string(csv.records.size() + 1) + " " + fault);
    }
    csv.records.push_back(std::move(record));
  }
  return csv;
}

IdList parse_ids(std::string_view text) {
  IdList list;
  for (const std::string_view line : split(text, '\n')) {
    if (trimmed(line).empty() || line.front() == '#') continue;
    const std::size_t tab = line.find('\t');
    const std::string id(line.substr(0, tab));
    if (tab == std::string_view::npos || id.empty() || trimmed(line.substr(tab)).empty()) {
      list.errors.push_back("not an id, tab and description: \"" + std::string(line) + "\"");
    }
    list.ids.push_back(id);
  }
  return list;
}

std::set<std::string> test_names(std::string_view source) {
  static const std::set<std::string_view> macros = {"TEST", "TEST_F", "TEST_P", "TYPED_TEST",
                                                    "TYPED_TEST_P"};
  const std::string code = without_comments_and_literals(source);
  std::set<std::string> names;
  for (std::size_t at = 0; at < code.size();) {
    const std::size_t begin = at;
    while (at < code.size() && is_word(code[at])) ++at;
    const std::string_view word = std::string_view(code).substr(begin, at - begin);
    if (word.empty()) ++at;
    if (macros.count(word) == 0) continue;
    const std::size_t open = code.find_first_not_of(" \t\r\n", at);
    if (open == std::string::npos || code[open] != '(') continue;
    const std::size_t close = code.find(')', open);
    if (close == std::string::npos) break;
    const auto parts = split(std::string_view(code).substr(open + 1, close - open - 1), ',');
    if (parts.size() != 2) continue;
    const std::string_view suite = trimmed(parts[0]);
    const std::string_view name = trimmed(parts[1]);
    if (is_identifier(suite) && is_identifier(name)) {
      names.insert(std::string(suite) + "." + std::string(name));
    }
  }
  return names;
}

std::vector<std::string> audit(const IdList& ids, const Csv& table,
                               const std::set<std::string>& tests) {
  std::vector<std::string> faults = ids.errors;
  faults.insert(faults.end(), table.errors.begin(), table.errors.end());
  std::set<std::string> known;
  for (const std::string& id : ids.ids) {
    if (!known.insert(id).second) faults.push_back(id + ": stands twice in the list of ids");
  }
  if (table.records.empty() || table.records[0] != CsvRecord{"id", "status", "where", "note"}) {
    faults.emplace_back("the first record must be id,status,where,note");
    return faults;
  }
  std::set<std::string> seen;
  for (std::size_t i = 1; i < table.records.size(); ++i) {
    const CsvRecord& row = table.records[i];
    if (row.size() != 4) {
      faults.push_back("record " + std::to_string(i + 1) + " (" + row[0] + ") has " +
                       std::to_string(row.size()) + " fields, not 4");
      continue;
    }
    if (known.count(row[0]) == 0) faults.push_back(row[0] + ": not in the list of ids");
    if (!seen.insert(row[0]).second) faults.push_back(row[0] + ": has two rows");
    check_row(row, tests, faults);
  }
  for (const std::string& id : known) {
    if (seen.count(id) == 0) faults.push_back(id + ": has no row");
  }
  return faults;
}

}  // namespace cases
