#include "model/config_node.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::model {

using nlohmann::json;

namespace {

/// Real configurations nest five deep and have less than a megabyte.
constexpr int kDeepest = 32;
constexpr std::size_t kLongestFile = std::size_t{16} << 20U;
constexpr std::size_t kLongestShown = 60;

std::string shortened(std::string_view text) {
  if (text.size() <= kLongestShown) return std::string(text);
  return std::string(text.substr(0, kLongestShown)) + "...";
}

[[noreturn]] void say(std::string_view file, const std::string& sentence) {
  throw InputError(printable(std::string(file) + ": " + sentence, '?'));
}

/// What was found, for a sentence.
std::string shown(const json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list";
  return shortened(value.dump(-1, ' ', false, json::error_handler_t::replace));
}

bool says_nothing(const json& value) {
  if (value.is_boolean()) return !value.get<bool>();
  if (value.is_number()) return value.get<double>() == 0.0;
  return value.is_null() || value.empty() ||
         (value.is_string() && value.get_ref<const std::string&>().empty());
}

}  // namespace

ConfigNode::ConfigNode(const json& object, std::string path, std::string_view file)
    : value_(&object), path_(std::move(path)), file_(file) {
  if (!object.is_object()) {
    say(file_, (path_.empty() ? "the file" : "'" + path_ + "'") + " must be an object, but is " +
                   shown(object));
  }
}

std::string ConfigNode::path_of(std::string_view key) const {
  return (path_.empty() ? "" : path_ + ".") + shortened(key);
}

void ConfigNode::refuse(const std::string& sentence) const { say(file_, sentence); }

void ConfigNode::refuse(std::string_view key, const std::string& sentence) const {
  say(file_, "'" + path_of(key) + "' " + sentence);
}

void ConfigNode::fail(std::string_view key, std::string_view expected, const json& found) const {
  refuse(key, "must be " + std::string(expected) + ", but is " + shown(found));
}

const json* ConfigNode::find(std::string_view key) const {
  const auto found = value_->find(key);
  if (found == value_->end()) return nullptr;
  pass(key);
  return found->is_null() ? nullptr : &*found;
}

bool ConfigNode::has(std::string_view key) const {
  const auto found = value_->find(key);
  return found != value_->end() && !found->is_null();
}

std::uint64_t ConfigNode::whole(std::string_view key, const json& value) const {
  if (!value.is_number_unsigned()) fail(key, "a whole number of at least 0", value);
  const auto out = value.get<std::uint64_t>();
  if (out > kLargestSize)
    fail(key, "at most " + std::to_string(kLargestSize) + ", beyond which no model is", value);
  return out;
}

std::optional<std::uint64_t> ConfigNode::size(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return whole(key, *value);
}

std::optional<std::uint64_t> ConfigNode::size(std::span<const std::string_view> keys) const {
  std::optional<std::uint64_t> out;
  std::string_view from;
  for (const std::string_view key : keys) {
    const auto one = size(key);
    if (!one) continue;
    if (out && *out != *one) {
      refuse(from, "is " + std::to_string(*out) + " and '" + path_of(key) + "' is " +
                       std::to_string(*one) + ", but they mean the same; keep the right one");
    }
    if (!out) from = key;
    out = one;
  }
  return out;
}

std::uint64_t ConfigNode::needed_size(std::span<const std::string_view> keys) const {
  const auto out = size(keys);
  if (!out) refuse(keys.front(), "is missing or null; the model cannot be counted without it");
  if (*out == 0) refuse(keys.front(), "must be a whole number above 0, but is 0");
  return *out;
}

std::optional<bool> ConfigNode::flag(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_boolean()) fail(key, "true or false", *value);
  return value->get<bool>();
}

std::optional<double> ConfigNode::number(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_number()) fail(key, "a number", *value);
  return value->get<double>();
}

std::optional<std::string> ConfigNode::text(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_string()) fail(key, "a text", *value);
  return value->get<std::string>();
}

std::optional<std::vector<std::string>> ConfigNode::texts(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) fail(key, "a list of texts", *value);
  std::vector<std::string> out;
  for (const json& item : *value) {
    if (!item.is_string()) fail(key, "a list of texts", *value);
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::optional<std::vector<std::uint64_t>> ConfigNode::sizes(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  if (!value->is_array()) fail(key, "a list of whole numbers", *value);
  std::vector<std::uint64_t> out;
  for (const json& item : *value) out.push_back(whole(key, item));
  return out;
}

std::optional<ConfigNode> ConfigNode::object(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return std::nullopt;
  return ConfigNode(*value, path_of(key), file_);
}

std::vector<ConfigNode> ConfigNode::objects(std::string_view key) const {
  const json* value = find(key);
  if (value == nullptr) return {};
  if (!value->is_array()) fail(key, "a list of objects", *value);
  std::vector<ConfigNode> out;
  for (std::size_t i = 0; i < value->size(); ++i)
    out.emplace_back((*value)[i], path_of(key) + "[" + std::to_string(i) + "]", file_);
  return out;
}

std::vector<std::string> ConfigNode::keys() const {
  std::vector<std::string> out;
  for (const auto& member : value_->items()) out.push_back(member.key());
  return out;
}

std::vector<std::string> ConfigNode::unread() const {
  std::vector<std::string> out;
  for (auto member = value_->begin(); member != value_->end(); ++member) {
    if (!read_.contains(member.key()) && !says_nothing(member.value())) out.push_back(member.key());
  }
  return out;
}

std::string in_quotes(std::string_view text) { return "'" + printable(shortened(text), '?') + "'"; }

json parse_config(std::string_view text, std::string_view file) {
  if (text.size() > kLongestFile)
    say(file, "has " + std::to_string(text.size()) +
                  " bytes, which no configuration has; give a "
                  "config.json, not a file of weights");
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    say(file, "is empty; give the model's config.json");
  // The library keeps the last of two equal keys without a word.
  std::vector<std::set<std::string>> open;
  const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
    const bool opens =
        event == json::parse_event_t::object_start || event == json::parse_event_t::array_start;
    if (opens && depth >= kDeepest)
      say(file,
          "is nested more than " + std::to_string(kDeepest) + " deep, which no config.json is");
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!open.back().insert(key).second)
        say(file, "key '" + shortened(key) + "' is there twice in one object; keep the right one");
    }
    return true;
  };
  try {
    return json::parse(text.begin(), text.end(), watch);
  } catch (const json::parse_error& error) {
    const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(text.size(), error.byte));
    const auto line = 1 + std::count(text.begin(), end, '\n');
    if (error.byte > text.size())
      say(file, "the JSON ends too early, at line " + std::to_string(line) + "; take a whole copy");
    say(file, "not JSON near line " + std::to_string(line) +
                  "; numbers must be plain (no NaN or Infinity) and text in UTF-8");
  } catch (const json::out_of_range&) {
    say(file, "holds a number beyond the range of a double; write plain numbers");
  }
}

}  // namespace roofline::model
