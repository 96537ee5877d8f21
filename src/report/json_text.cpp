#include "report/json_text.hpp"

#include <cmath>

#include "report/json_writer.hpp"

namespace roofline::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 2;

bool is_non_finite(const Json& value) {
  return value.is_number_float() && !std::isfinite(value.get<double>());
}

std::string scalar_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// One line with a space after every comma and colon.
std::string inline_text(const Json& value) {
  if (!value.is_structured()) return scalar_text(value);
  std::string out = value.is_object() ? "{" : "[";
  bool first = true;
  for (const auto& entry : value.items()) {
    if (!first) out += ", ";
    first = false;
    if (value.is_object()) out += scalar_text(entry.key()) + ": ";
    out += inline_text(entry.value());
  }
  return out += value.is_object() ? '}' : ']';
}

/// `used` columns of the line are taken already, the closing comma among them.
void append(std::string& out, const Json& value, std::size_t depth, std::size_t used) {
  std::string line = inline_text(value);
  const bool whole_report = depth == 0;
  if (!value.is_structured() || value.empty() || (!whole_report && used + line.size() <= kWidth)) {
    out += line;
    return;
  }
  const std::size_t indent = (depth + 1) * kIndent;
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& entry : value.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out.append(indent, ' ');
    const std::string key = value.is_object() ? scalar_text(entry.key()) + ": " : std::string{};
    out += key;
    append(out, entry.value(), depth + 1, indent + key.size() + 1);
  }
  out += '\n';
  out.append(depth * kIndent, ' ');
  out += value.is_object() ? '}' : ']';
}

void collect_non_finite(const Json& value, const std::string& pointer,
                        std::vector<std::string>& out) {
  if (is_non_finite(value)) out.push_back(pointer);
  if (!value.is_structured()) return;
  for (const auto& entry : value.items()) {
    collect_non_finite(entry.value(), pointer + "/" + entry.key(), out);
  }
}

}  // namespace

std::vector<std::string> find_non_finite(const Json& value) {
  std::vector<std::string> out;
  collect_non_finite(value, {}, out);
  return out;
}

void drop_non_finite(Json& value) {
  if (is_non_finite(value)) value = nullptr;
  if (!value.is_structured()) return;
  for (auto& entry : value) drop_non_finite(entry);
}

std::string to_text(const Json& value) {
  std::string out;
  append(out, value, 0, 0);
  return out += '\n';
}

std::string to_line(const Json& value) { return scalar_text(value); }

}  // namespace roofline::report
