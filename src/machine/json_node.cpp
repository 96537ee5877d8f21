#include "machine/json_node.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include <roofline/error.hpp>
#include <roofline/printable.hpp>

namespace roofline::machine {

using nlohmann::json;

namespace {

/// Keys come from the file and may hold anything; an error stays one line.
[[noreturn]] void refuse(const std::string& sentence) {
  throw InputError(printable(sentence, '?'));
}

/// What was found, for a sentence. Lists and objects are only named: they can be nested deeper than
/// the stack allows to print.
std::string shown(const json& value) {
  constexpr std::size_t longest = 60;
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  if (value.is_string() && value.get_ref<const std::string&>().size() > longest)
    return "a long text";
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

JsonNode::JsonNode(const json& value, std::string_view file) : value_(&value), file_(file) {}

JsonNode::JsonNode(const json& value, const JsonNode& parent, std::string_view key,
                   std::optional<std::size_t> index)
    : value_(&value), parent_(&parent), file_(parent.file_), key_(key), index_(index) {}

std::string JsonNode::path() const {
  std::string out = parent_ != nullptr ? parent_->path() : std::string();
  if (index_) return out + "[" + std::to_string(*index_) + "]";
  if (!out.empty() && !key_.empty()) out += '.';
  return out.append(key_);
}

void JsonNode::fail(std::string_view expected) const {
  const std::string where = path();
  const std::string found = shown(*value_);
  refuse(std::string(file_) + ": " + (where.empty() ? "the file" : "'" + where + "'") +
         " must be " + std::string(expected) + ", but is " + found);
}

bool JsonNode::has(std::string_view key) const {
  return value_->is_object() && value_->find(key) != value_->end();
}

std::optional<JsonNode> JsonNode::find(std::string_view key) const {
  require_object();
  const auto found = value_->find(key);
  if (found == value_->end()) return std::nullopt;
  return JsonNode(*found, *this, found.key(), std::nullopt);
}

JsonNode JsonNode::at(std::string_view key) const {
  if (auto node = find(key)) return *node;
  const std::string where = path();
  refuse(std::string(file_) + ": key '" + (where.empty() ? "" : where + ".") + std::string(key) +
         "' is missing");
}

std::vector<JsonNode> JsonNode::items() const {
  if (!value_->is_array()) fail("a list");
  std::vector<JsonNode> out;
  out.reserve(value_->size());
  for (std::size_t i = 0; i < value_->size(); ++i) out.push_back({(*value_)[i], *this, {}, i});
  return out;
}

std::vector<std::string> JsonNode::keys() const {
  require_object();
  std::vector<std::string> out;
  for (const auto& member : value_->items()) out.push_back(member.key());
  return out;
}

void JsonNode::allow_only(std::initializer_list<std::string_view> keys) const {
  require_object();
  for (auto member = value_->begin(); member != value_->end(); ++member) {
    if (std::find(keys.begin(), keys.end(), member.key()) != keys.end()) continue;
    std::string known;
    for (const std::string_view key : keys) {
      known.append(known.empty() ? "" : ", ").append(key);
    }
    const std::string where = path();
    refuse(std::string(file_) + ": unknown key '" + (where.empty() ? "" : where + ".") +
           member.key() + "'; known here are " + known);
  }
}

void JsonNode::require_object() const {
  if (!value_->is_object()) fail("an object");
}

bool JsonNode::is_text() const { return value_->is_string(); }

std::string JsonNode::text() const {
  if (!value_->is_string() || value_->get_ref<const std::string&>().empty()) {
    fail("a text that is not empty");
  }
  return value_->get<std::string>();
}

std::vector<std::string> JsonNode::texts() const {
  std::vector<std::string> out;
  for (const JsonNode& item : items()) out.push_back(item.text());
  return out;
}

double JsonNode::above_zero() const {
  // Every quantity of a device has a prefix (TFLOP/s, GB/s, MHz, MiB): nothing real is outside.
  constexpr std::string_view expected = "a number above 0, from 1e-9 to 1e12";
  if (!value_->is_number()) fail(expected);
  const auto number = value_->get<double>();
  if (!(number >= 1e-9 && number <= 1e12)) fail(expected);
  return number;
}

unsigned JsonNode::whole_above_zero() const {
  constexpr std::string_view expected = "a whole number above 0";
  if (!value_->is_number_unsigned()) fail(expected);
  const auto number = value_->get<std::uint64_t>();
  if (number == 0 || number > std::numeric_limits<unsigned>::max()) fail(expected);
  return static_cast<unsigned>(number);
}

std::string JsonNode::scalar_as_text() const {
  if (value_->is_string()) return text();
  if (!value_->is_number()) fail("a number or a text");
  return value_->dump();
}

json parse_document(std::string_view text, std::string_view file) {
  // nlohmann keeps the last of two equal keys without a word; a hand-written file must not depend
  // on that.
  std::vector<std::unordered_set<std::string>> open_objects;
  const auto watch_keys = [&](int /*depth*/, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) open_objects.emplace_back();
    if (event == json::parse_event_t::object_end) open_objects.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open_objects.back().insert(key).second) {
        refuse(std::string(file) + ": key '" + key + "' is there twice in one object");
      }
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch_keys);
  } catch (const json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), error.byte));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    refuse(std::string(file) + ": not valid JSON near line " + std::to_string(line));
  } catch (const json::out_of_range&) {
    refuse(std::string(file) + ": holds a number beyond the range of a double");
  }
}

}  // namespace roofline::machine
