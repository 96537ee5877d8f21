#include "report/json_node.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

void refuse_deep_nesting(std::string_view text, std::string_view file, std::size_t deepest) {
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
      if (++depth > deepest) {
        throw InputError(std::string(file) + ": nested more than " +
                         std::to_string(JsonTree::kDeepest) +
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

/// Keys and texts of a strange file can be of any length and hold anything.
std::string shortened(std::string_view text) {
  constexpr std::size_t kLongest = 100;
  return printable(text.size() <= kLongest ? text : text.substr(0, kLongest)) +
         (text.size() <= kLongest ? "" : "...");
}

std::string_view type_of(const JsonValue& value) {
  switch (value.kind) {
    case JsonValue::Kind::object:
      return "an object";
    case JsonValue::Kind::list:
      return "a list";
    case JsonValue::Kind::text:
      return "text";
    case JsonValue::Kind::flag:
      return "true or false";
    case JsonValue::Kind::null:
      return "null";
    default:
      return "a number";
  }
}

/// Remembers where a text stops being JSON, and nothing else of it.
class Syntax : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t byte, const std::string&, const Json::exception& error) override {
    byte_ = byte;
    too_large_ = dynamic_cast<const Json::out_of_range*>(&error) != nullptr;
    return false;
  }

  [[nodiscard]] std::size_t byte() const { return byte_; }
  [[nodiscard]] bool too_large() const { return too_large_; }

 private:
  std::size_t byte_ = 0;
  bool too_large_ = false;
};

}  // namespace

void check_json(std::string_view text, std::string_view file, std::size_t depth) {
  refuse_deep_nesting(text, file, JsonTree::kDeepest - depth);
  Syntax syntax;
  if (Json::sax_parse(text, &syntax)) return;
  if (!syntax.too_large()) fail_to_parse(text, file, syntax.byte());
  throw InputError(std::string(file) + ": holds a number too large to read (beyond 1.8e308)");
}

void parse_json(std::string_view text, std::string_view file, JsonTree& out, std::size_t depth) {
  std::size_t at = 0;
  if (out.parse(text, at, depth) && at == text.size()) return;
  check_json(text, file, depth);
  out.assign(Json::parse(text));
}

void Node::fail_with(std::string_view given, const std::string& what) const {
  fail("is '" + shortened(given) + "', " + what);
}

void Node::fail(const std::string& what) const { fail_at(tree_->pointer_to(index_), what); }

void Node::fail_at(const std::string& pointer, const std::string& what) const {
  const std::string whole = name_->pointer + pointer;
  throw InputError(std::string(name_->file) + ": " +
                   (whole.empty() ? "the whole document" : shortened(whole)) + " " + what);
}

void Node::fail_for_want_of(std::string_view wanted) const {
  fail("must be " + std::string(wanted) + ", not " + std::string(type_of(raw())));
}

Node Node::at(std::string_view key) const {
  require(JsonValue::Kind::object, "an object");
  const std::uint32_t found = tree_->find(index_, key);
  if (found == 0) fail_at(tree_->pointer_to(index_) + "/" + escaped_for_pointer(key), "is missing");
  const Node out = sibling(found);
  if (out.raw().kind == JsonValue::Kind::null) out.fail("must not be null");
  return out;
}

std::optional<Node> Node::find(std::string_view key) const {
  require(JsonValue::Kind::object, "an object");
  const std::uint32_t found = tree_->find(index_, key);
  if (found == 0 || (*tree_)[found].kind == JsonValue::Kind::null) return std::nullopt;
  return sibling(found);
}

std::string_view Node::view() const {
  require(JsonValue::Kind::text, "text");
  return raw().view();
}

Text Node::shared_text() const { return shared(view()); }

bool Node::flag() const {
  require(JsonValue::Kind::flag, "true or false");
  return raw().flag;
}

double Node::number() const {
  if (!raw().is_number()) fail_for_want_of("a number");
  return raw().as_number();
}

double Node::positive() const {
  const double value = number();
  if (!(value > 0)) fail("must be greater than 0");
  return value;
}

std::uint64_t Node::count() const {
  if (raw().kind == JsonValue::Kind::count) return raw().count;
  if (!raw().is_number()) fail_for_want_of("a whole number");
  // Other programs write 4096 as 4096.0; up to 2^53 that is the same number.
  const double value = raw().as_number();
  if (value < 0) fail("must not be negative");
  if (value != std::floor(value) || value > 9007199254740992.0) {
    fail("must be a whole number that fits 64 bits");
  }
  return static_cast<std::uint64_t>(value);
}

Node::Elements Node::elements() const {
  require(JsonValue::Kind::list, "a list");
  return Elements(*this);
}

Node::Members Node::members() const {
  require(JsonValue::Kind::object, "an object");
  return Members(*this);
}

std::string Node::text_or_empty(std::string_view key) const {
  const auto node = find(key);
  return node ? node->text() : std::string{};
}

Text Node::shared_or_empty(std::string_view key) const {
  const auto node = find(key);
  return node ? node->shared_text() : Text{};
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
