#include "measure/suite_entry.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "roofline/error.hpp"
#include "roofline/printable.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::measure {
namespace {

using nlohmann::json;

std::string list(std::initializer_list<std::string_view> words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

}  // namespace

Entry::Entry(const json& value, std::string place) : value_(value), place_(std::move(place)) {
  if (!value_.is_object()) fail("must be an object");
}

bool Entry::has(const char* key) const { return value_.contains(key); }

void Entry::fail(const std::string& why) const {
  throw InputError(printable(place_ + " " + why, '?'));
}

void Entry::only(std::initializer_list<std::string_view> known) const {
  for (const auto& item : value_.items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    fail("has the unknown key '" + item.key() + "'; known are " + list(known));
  }
}

const json& Entry::at(const char* key) const {
  const auto found = value_.find(key);
  if (found == value_.end()) fail(std::string("lacks the key '") + key + "'");
  return *found;
}

std::string Entry::text(const char* key) const {
  const json& found = at(key);
  if (!found.is_string()) fail(std::string("key '") + key + "' must be a text");
  return found.get<std::string>();
}

std::vector<std::string> Entry::texts(const char* key) const {
  const json& found = at(key);
  std::vector<std::string> out;
  for (const json& item : found.is_array() ? found : json::array({found})) {
    if (!item.is_string()) fail(std::string("key '") + key + "' must be a text or a list of texts");
    out.push_back(item.get<std::string>());
  }
  if (out.empty()) fail(std::string("key '") + key + "' is an empty list");
  return out;
}

std::vector<std::uint64_t> Entry::counts(const char* key) const {
  const json& found = at(key);
  std::vector<std::uint64_t> out;
  for (const json& item : found.is_array() ? found : json::array({found})) {
    if (!item.is_number_unsigned() || item.get<std::uint64_t>() == 0) {
      fail(std::string("key '") + key +
           "' must be a whole number of at least 1, or a list of them");
    }
    out.push_back(item.get<std::uint64_t>());
  }
  if (out.empty()) fail(std::string("key '") + key + "' is an empty list");
  return out;
}

std::uint64_t Entry::count(const char* key, std::uint64_t fallback) const {
  if (!has(key)) return fallback;
  const auto all = counts(key);
  if (all.size() != 1) fail(std::string("key '") + key + "' must be one whole number");
  return all.front();
}

double Entry::number(const char* key, double fallback, double low, double high) const {
  if (!has(key)) return fallback;
  const json& found = at(key);
  const double value = found.is_number() ? found.get<double>() : std::nan("");
  if (!(value > low && value <= high)) {
    fail(std::string("key '") + key + "' must be a number above " + json(low).dump() +
         " and at most " + json(high).dump());
  }
  return value;
}

std::vector<DType> Entry::dtypes(const char* key, DType fallback) const {
  if (!has(key)) return {fallback};
  std::vector<DType> out;
  for (const std::string& word : texts(key)) {
    try {
      out.push_back(parse_dtype(word));
    } catch (const InputError& error) {
      fail(std::string("key '") + key + "': " + error.what());
    }
  }
  return out;
}

std::vector<std::vector<std::uint64_t>> Entry::shapes(std::size_t dimensions) const {
  std::vector<std::vector<std::uint64_t>> out;
  for (const std::string& word : texts("shape"))
    out.push_back(parse_shape(word, dimensions, place_));
  return out;
}

}  // namespace roofline::measure
