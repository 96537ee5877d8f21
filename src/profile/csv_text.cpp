#include "profile/csv_text.hpp"

#include <algorithm>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::profile {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

}  // namespace

char separator_of(std::string_view text) {
  constexpr std::string_view kKnown = ",;\t";
  std::size_t counts[] = {0, 0, 0};
  bool quoted = false;
  for (const char c : without_mark(text)) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    const std::size_t which = kKnown.find(c);
    if (which != std::string_view::npos) ++counts[which];
  }
  const auto* const most = std::max_element(std::begin(counts), std::end(counts));
  return kKnown[static_cast<std::size_t>(most - std::begin(counts))];
}

CsvReader::CsvReader(std::string_view text, std::string_view file)
    : text_(without_mark(text)), file_(file), separator_(separator_of(text)) {}

std::string CsvReader::place() const {
  return printable(file_) + ", line " + std::to_string(line_);
}

bool CsvReader::at_line_end() const {
  if (at_end()) return true;
  if (text_[at_] == '\n') return true;
  return text_[at_] == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n';
}

void CsvReader::read_quoted(std::string& out) {
  ++at_;
  while (true) {
    if (at_end()) {
      throw InputError(place() + ": a quoted field is never closed; end it with a quote");
    }
    const char c = text_[at_++];
    if (c == '\n') ++next_line_;
    if (c != '"') {
      out += c;
      continue;
    }
    if (at_end() || text_[at_] != '"') break;
    out += '"';
    ++at_;
  }
  if (at_line_end() || text_[at_] == separator_) return;
  throw InputError(place() +
                   ": something follows the closing quote of a field; double a quote "
                   "that is part of it");
}

void CsvReader::read_bare(std::string& out) {
  const std::size_t begin = at_;
  while (!at_line_end() && text_[at_] != separator_) {
    if (text_[at_] == '"') {
      throw InputError(place() +
                       ": a quote stands within a field; put the whole field into quotes "
                       "and double it");
    }
    ++at_;
  }
  out = text_.substr(begin, at_ - begin);
}

bool CsvReader::next(std::vector<std::string>& fields) {
  while (!at_end() && at_line_end()) {
    at_ += text_[at_] == '\r' ? 2 : 1;
    ++next_line_;
  }
  fields.clear();
  if (at_end()) return false;
  line_ = next_line_;
  while (true) {
    std::string field;
    if (!at_end() && text_[at_] == '"') {
      read_quoted(field);
    } else {
      read_bare(field);
    }
    fields.push_back(std::move(field));
    if (at_line_end()) break;
    ++at_;  // the separator
  }
  return true;
}

}  // namespace roofline::profile
