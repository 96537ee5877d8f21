#include "report/json_node.hpp"

#include <algorithm>
#include <cmath>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

/// A report nests seven deep.
constexpr std::size_t kDeepest = 64;

void refuse_deep_nesting(std::string_view text, std::string_view file) {
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) {
        throw InputError(std::string(file) + ": nested more than " + std::to_string(kDeepest) +
                         " deep, which no report is; give a report that roofline wrote");
      }
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
}

[[noreturn]] void fail_to_parse(std::string_view text, std::string_view file, std::size_t byte) {
  const bool at_end = byte >= text.size();
  const std::size_t end = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const std::string_view before = text.substr(0, end);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? end + 1 : end - newline;
  std::string out(file);
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    out += " is empty; give a report that roofline wrote";
  } else if (at_end) {
    out += ": the JSON ends too early, at line " + std::to_string(line) +
           ": the file is truncated; measure again or take a whole copy";
  } else {
    out += ": not JSON at line " + std::to_string(line) + ", column " + std::to_string(column) +
           "; numbers must be plain (no NaN, Infinity or separators) and text in UTF-8";
  }
  throw InputError(out);
}

std::string pointer_escaped(std::string_view key) {
  std::string out;
  for (const char c : key) {
    if (c == '~') {
      out += "~0";
    } else if (c == '/') {
      out += "~1";
    } else {
      out += c;
    }
  }
  return out;
}

/// Keys and texts of a strange file can be of any length and hold anything.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  return printable(text.size() <= kLongest ? text : text.substr(0, kLongest)) +
         (text.size() <= kLongest ? "" : "...");
}

std::string_view type_of(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "text";
  if (value.is_boolean()) return "true or false";
  if (value.is_number()) return "a number";
  return "null";
}

std::string instead_of(std::string_view wanted, const Json& value) {
  return "must be " + std::string(wanted) + ", not " + std::string(type_of(value));
}

}  // namespace

Json parse_json(std::string_view text, std::string_view file) {
  refuse_deep_nesting(text, file);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    fail_to_parse(text, file, error.byte);
  } catch (const Json::exception&) {
    // What is left is a number that no double holds.
    throw InputError(std::string(file) + ": holds a number too large to read (beyond 1.8e308)");
  }
}

void Node::fail_with(std::string_view given, const std::string& what) const {
  fail("is '" + shortened(given) + "', " + what);
}

void Node::fail(const std::string& what) const {
  const std::string where = pointer_.empty() ? "the whole document" : shortened(pointer_);
  throw InputError(std::string(file_) + ": " + where + " " + what);
}

Node Node::child(std::string_view key, const Json& value) const {
  return {value, pointer_ + "/" + pointer_escaped(key), file_};
}

void Node::require_object() const {
  if (!value_->is_object()) fail(instead_of("an object", *value_));
}

Node Node::at(std::string_view key) const {
  require_object();
  const auto found = value_->find(std::string(key));
  if (found == value_->end()) child(key, *value_).fail("is missing");
  Node out = child(key, *found);
  if (found->is_null()) out.fail("must not be null");
  return out;
}

std::optional<Node> Node::find(std::string_view key) const {
  require_object();
  const auto found = value_->find(std::string(key));
  if (found == value_->end() || found->is_null()) return std::nullopt;
  return child(key, *found);
}

std::string Node::text() const {
  if (!value_->is_string()) fail(instead_of("text", *value_));
  return value_->get<std::string>();
}

bool Node::flag() const {
  if (!value_->is_boolean()) fail(instead_of("true or false", *value_));
  return value_->get<bool>();
}

double Node::number() const {
  if (!value_->is_number()) fail(instead_of("a number", *value_));
  return value_->get<double>();
}

double Node::positive() const {
  const double value = number();
  if (!(value > 0)) fail("must be greater than 0");
  return value;
}

std::uint64_t Node::count() const {
  if (value_->is_number_unsigned()) return value_->get<std::uint64_t>();
  if (!value_->is_number()) fail(instead_of("a whole number", *value_));
  // Other programs write 4096 as 4096.0; up to 2^53 that is the same number.
  const double value = value_->get<double>();
  if (value < 0) fail("must not be negative");
  if (value != std::floor(value) || value > 9007199254740992.0) {
    fail("must be a whole number that fits 64 bits");
  }
  return static_cast<std::uint64_t>(value);
}

std::vector<Node> Node::elements() const {
  if (!value_->is_array()) fail(instead_of("a list", *value_));
  std::vector<Node> out;
  out.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) {
    out.push_back(child(std::to_string(i), (*value_)[i]));
  }
  return out;
}

std::vector<std::pair<std::string, Node>> Node::members() const {
  require_object();
  std::vector<std::pair<std::string, Node>> out;
  out.reserve(value_->size());
  for (const auto& entry : value_->items()) {
    out.emplace_back(entry.key(), child(entry.key(), entry.value()));
  }
  return out;
}

std::string Node::text_or_empty(std::string_view key) const {
  const auto node = find(key);
  return node ? node->text() : std::string{};
}

bool Node::flag_or(std::string_view key, bool otherwise) const {
  const auto node = find(key);
  return node ? node->flag() : otherwise;
}

std::optional<double> Node::maybe_number(std::string_view key) const {
  const auto node = find(key);
  if (!node) return std::nullopt;
  return node->number();
}

std::optional<std::uint64_t> Node::maybe_count(std::string_view key) const {
  const auto node = find(key);
  if (!node) return std::nullopt;
  return node->count();
}

}  // namespace roofline::report
