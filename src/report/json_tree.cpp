#include "report/json_tree.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>

namespace roofline::report {

using Json = nlohmann::ordered_json;

double JsonValue::as_number() const {
  if (kind == Kind::count) return static_cast<double>(count);
  if (kind == Kind::number) return number;
  double out = 0;
  std::from_chars(text, text + size, out);
  return out;
}

namespace {

/// Most keys have 8 to 24 bytes, for which a call is long.
bool same_text(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  constexpr std::size_t kWord = sizeof(std::uint64_t);
  if (a.size() < kWord || a.size() > 3 * kWord)
    return std::memcmp(a.data(), b.data(), a.size()) == 0;
  const auto differ = [&](std::size_t at) {
    return eight_bytes(a.data() + at) ^ eight_bytes(b.data() + at);
  };
  const std::size_t middle = (a.size() - kWord) / 2;
  return (differ(0) | differ(middle) | differ(a.size() - kWord)) == 0;
}

}  // namespace

std::uint32_t JsonTree::find(std::uint32_t object, std::string_view key) const {
  JsonValue& in = values_[object];
  const std::uint32_t first = object + 1;
  const auto same = [&](std::uint32_t at) { return same_text(values_[at].view(), key); };
  const auto found = [&](std::uint32_t at) {
    in.object.hint = values_[at + 1].end;
    return at + 1;
  };
  const std::uint32_t hint = in.object.hint;
  if (hint < in.end && same(hint)) return found(hint);
  if (in.object.keys != 0 && !key_sets_[in.object.keys - 1].may_have(key)) return 0;
  for (std::uint32_t at = hint; at < in.end; at = values_[at + 1].end) {
    if (same(at)) return found(at);
  }
  for (std::uint32_t at = first; at < hint; at = values_[at + 1].end) {
    if (same(at)) return found(at);
  }
  return 0;
}

std::string JsonTree::pointer_to(std::uint32_t index) const {
  std::string out;
  for (std::uint32_t at = 0; at != index;) {
    const JsonValue& in = values_[at];
    const bool keyed = in.kind == JsonValue::Kind::object;
    std::uint32_t child = at + 1;
    std::size_t number = 0;
    while (values_[keyed ? child + 1 : child].end <= index) {
      child = values_[keyed ? child + 1 : child].end;
      ++number;
    }
    out += '/' + (keyed ? escaped_for_pointer(values_[child].view()) : std::to_string(number));
    at = keyed ? child + 1 : child;
  }
  return out;
}

void JsonTree::clear() {
  values_.clear();
  key_sets_.clear();
  decoded_.clear();
}

void JsonTree::assign(const Json& document) {
  clear();
  add(document);
}

void JsonTree::add(const Json& value) {
  using Kind = JsonValue::Kind;
  const std::size_t index = values_.size();
  values_.emplace_back();
  const auto put_text = [&](std::size_t at, const std::string& text) {
    const std::string& kept = decoded_.emplace_back(text);
    values_[at].kind = Kind::text;
    values_[at].text = kept.data();
    values_[at].size = static_cast<std::uint32_t>(kept.size());
  };
  JsonValue& out = values_[index];
  if (value.is_boolean()) {
    out.kind = Kind::flag;
    out.flag = value.get<bool>();
  } else if (value.is_number_unsigned()) {
    out.kind = Kind::count;
    out.count = value.get<std::uint64_t>();
  } else if (value.is_number()) {
    out.kind = Kind::number;
    out.number = value.get<double>();
  } else if (value.is_string()) {
    put_text(index, value.get_ref<const std::string&>());
  } else if (value.is_structured()) {
    out.kind = value.is_object() ? Kind::object : Kind::list;
    out.size = static_cast<std::uint32_t>(value.size());
    out.object = {static_cast<std::uint32_t>(index + 1), 0};
    for (const auto& entry : value.items()) {
      if (value.is_object()) {
        values_.emplace_back();
        put_text(values_.size() - 1, entry.key());
        values_.back().end = static_cast<std::uint32_t>(values_.size());
      }
      add(entry.value());
    }
  }
  values_[index].end = static_cast<std::uint32_t>(values_.size());
}

std::string escaped_for_pointer(std::string_view key) {
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

}  // namespace roofline::report
