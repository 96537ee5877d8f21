#include "report/facts_json.hpp"

#include <algorithm>

namespace roofline::report {
namespace {

struct FactOut {
  JsonOut& out;
  std::string_view key;

  void operator()(const Unknown&) const { out.put(key, nullptr); }
  void operator()(const std::vector<std::string>& texts) const {
    out.open_list(key);
    for (const std::string& text : texts) out.item(text);
    out.close();
  }
  template <class T>
  void operator()(const T& value) const {
    out.put(key, value);
  }
};

FactValue read_fact(const Node& node, std::string reason) {
  const JsonValue& value = node.raw();
  switch (value.kind) {
    case JsonValue::Kind::null:
      return Unknown{std::move(reason)};
    case JsonValue::Kind::flag:
      return value.flag;
    case JsonValue::Kind::count:
      return value.count;
    case JsonValue::Kind::number:
    case JsonValue::Kind::digits:
      return value.as_number();
    case JsonValue::Kind::text:
      return node.text();
    case JsonValue::Kind::object:
      node.fail("must be a plain value or a list of texts");
    case JsonValue::Kind::list:
      break;
  }
  std::vector<std::string> out;
  out.reserve(value.size);
  for (const Node& element : node.elements()) out.push_back(element.text());
  return out;
}

}  // namespace

void put_facts(JsonOut& out, const Facts& facts) {
  constexpr std::string_view kUnknown = "unknown";
  const auto first_of = [&](const Fact& fact) {
    return std::find_if(facts.begin(), facts.end(),
                        [&](const Fact& other) { return other.key == fact.key; });
  };
  const auto last_of = [&](const Fact& fact) {
    return std::find_if(facts.rbegin(), facts.rend(),
                        [&](const Fact& other) { return other.key == fact.key; });
  };
  for (const Fact& fact : facts) {
    if (&*first_of(fact) != &fact || fact.key == kUnknown) continue;
    std::visit(FactOut{out, fact.key}, last_of(fact)->value);
  }
  out.open_object(kUnknown);
  for (const Fact& fact : facts) {
    if (&*last_of(fact) != &fact || fact.key == kUnknown) continue;
    const auto* missing = std::get_if<Unknown>(&fact.value);
    if (missing != nullptr && !missing->reason.empty()) out.put(fact.key, missing->reason);
  }
  out.close();
}

Facts read_facts(const Node& node) {
  const auto unknown = node.find("unknown");
  Facts out;
  out.reserve(node.members().size() - (unknown ? 1 : 0));
  for (const auto& [key, value] : node.members()) {
    if (key == "unknown") continue;
    out.push_back({std::string(key),
                   read_fact(value, unknown ? unknown->text_or_empty(key) : std::string{})});
  }
  return out;
}

}  // namespace roofline::report
