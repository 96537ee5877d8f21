// A text of separated values (RFC 4180) record by record: fields in quotes may hold separators,
// line ends and doubled quotes; LF and CRLF end a record; a byte order mark is skipped. Knows
// nothing of what the fields mean.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::profile {

/// Of comma, semicolon and tab the one that the first record has most of, outside of quotes; a
/// comma where it has none.
[[nodiscard]] char separator_of(std::string_view text);

class CsvReader {
 public:
  /// Both must outlive the reader. `file` is for complaints.
  CsvReader(std::string_view text, std::string_view file);

  /// The next record that is not an empty line, false at the end. Throws InputError naming file and
  /// line for a quote that is never closed, or that stands within a bare field.
  [[nodiscard]] bool next(std::vector<std::string>& fields);
  /// Where the last record begins, from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] char separator() const { return separator_; }
  /// `kernels.csv, line 3`.
  [[nodiscard]] std::string place() const;

 private:
  void read_quoted(std::string& out);
  void read_bare(std::string& out);
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] bool at_line_end() const;

  std::string_view text_;
  std::string_view file_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;       ///< of the record
  std::size_t next_line_ = 1;  ///< at `at_`
};

}  // namespace roofline::profile
