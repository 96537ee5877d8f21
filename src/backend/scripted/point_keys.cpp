#include "backend/scripted/point_keys.hpp"

#include <algorithm>

namespace roofline::scripted {
namespace {

using Setting = std::function<void(Behaviour&)>;

/// The setting of a plain member.
template <class Member, class T>
Setting assign(Member Behaviour::*member, T value) {
  return [member, value = std::move(value)](Behaviour& b) { b.*member = value; };
}

Setting distribution(const Value& value) {
  constexpr std::string_view names[] = {"normal", "uniform", "bimodal", "spikes"};
  const auto* const found = std::find(std::begin(names), std::end(names), value.text());
  if (found == std::end(names))
    value.fail("is no distribution; known are normal, uniform, bimodal, spikes");
  return assign(&Behaviour::distribution, static_cast<Distribution>(found - std::begin(names)));
}

Setting slow_start(const Value& value) {
  const auto [factor, settle] = value.split(':', "slow_start=3:0.2s");
  return assign(&Behaviour::slow_start, SlowStart{factor.ratio(0.01, 1000), settle.seconds()});
}

Setting drift(const Value& value) {
  if (!value.text().ends_with("/s")) value.fail("has no /s at its end; write for example 2%/s");
  const auto [per_second, unit] = value.split('/', "drift=2%/s");
  return assign(&Behaviour::drift, per_second.ratio(0, 1));
}

Setting throttle(const Value& value) {
  const auto [after, fraction] = value.split(':', "throttle=0.5s:60%");
  return assign(&Behaviour::throttle, parse_throttle(after, fraction));
}

Setting contention(const Value& value) {
  constexpr std::string_view form = "contention=2s-4s:50% or, at random, contention=10%:50%";
  const auto [when, share] = value.split(':', form);
  Contention out;
  out.share = share.ratio(0.01, 1);
  if (when.text().find('s') == std::string::npos) {
    out.probability = when.ratio(0, 1);
  } else {
    const auto [from, to] = when.split('-', form);
    out.from = from.seconds(true);
    out.to = to.seconds();
    if (out.to <= out.from) value.fail("ends before it begins; write the earlier time first");
  }
  return assign(&Behaviour::contention, out);
}

Setting placement(const Value& value) {
  if (value.text() != "near" && value.text() != "far")
    value.fail("is no placement; write near or far");
  return assign(&Behaviour::placement, value.text());
}

ClockEvent value_of_event(const Value& value, std::string_view text) {
  if (const auto found = find_clock_event(text)) return *found;
  value.fail(
      "names no reason for a lower clock; known are " +
      list_of(roofline::clock_events(), [](ClockEvent event) { return std::string(name(event)); }));
}

Setting power(const Value& value) {
  const auto [number, rest] = value.split('W', "power=700W");
  if (!rest.text().empty()) value.fail("goes on behind its W; write for example 700W");
  const double watt = number.ratio(0, 1e6);
  return [watt](Behaviour& b) { b.telemetry.power_w = watt; };
}

Setting temperature(const Value& value) {
  const double celsius = value.ratio(0, 1000);
  return [celsius](Behaviour& b) { b.telemetry.temperature_c = celsius; };
}

Setting clock_events(const Value& value) {
  ClockEvents events;
  std::string_view rest = value.text();
  if (rest == "none") rest = {};
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('+'), rest.size());
    events.add(value_of_event(value, rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return [events](Behaviour& b) { b.telemetry.events = events; };
}

struct Key {
  std::string_view name;
  Setting (*read)(const Value& value);
};

const std::vector<Key>& keys() {
  using B = Behaviour;
  static const std::vector<Key> table{
      {"time", [](const Value& v) { return assign(&B::time, v.seconds()); }},
      {"overhead", [](const Value& v) { return assign(&B::overhead, v.seconds(true)); }},
      {"efficiency", [](const Value& v) { return assign(&B::efficiency, v.ratio(0.001, 100)); }},
      {"traffic_factor",
       [](const Value& v) { return assign(&B::traffic_factor, v.ratio(0.001, 1000)); }},
      {"noise", [](const Value& v) { return assign(&B::noise, v.ratio(0, 1)); }},
      {"distribution", distribution},
      {"slow_start", slow_start},
      {"drift", drift},
      {"clock", [](const Value& v) { return assign(&B::clock, v.frequency()); }},
      {"throttle", throttle},
      {"contention", contention},
      {"placement", placement},
      {"far", [](const Value& v) { return assign(&B::far, v.ratio(0.001, 1000)); }},
      {"flip", [](const Value& v) { return assign(&B::flip, v.seconds()); }},
      {"power", power},
      {"temperature", temperature},
      {"clock_events", clock_events},
      {"prepare", [](const Value& v) { return assign(&B::prepare, v.seconds(true)); }},
      {"verify", [](const Value& v) { return assign(&B::verify, v.seconds(true)); }},
      {"unsupported", [](const Value& v) { return assign(&B::unsupported, v.text()); }},
      {"incorrect", [](const Value& v) { return assign(&B::incorrect, v.text()); }},
      {"unverified", [](const Value& v) { return assign(&B::unverified, v.text()); }},
      {"failure", [](const Value& v) { return assign(&B::failure, v.text()); }},
      {"fail_at", [](const Value& v) { return assign(&B::fail_at, v.whole(1, 1'000'000'000)); }},
      {"hang", [](const Value& v) { return assign(&B::hang, v.seconds(true)); }},
  };
  return table;
}

constexpr std::string_view kFactPrefix = "fact.";

Setting set_fact(Fact fact) {
  return [fact = std::move(fact)](Behaviour& b) {
    const auto same = [&](const Fact& old) { return old.key == fact.key; };
    const auto found = std::find_if(b.facts.begin(), b.facts.end(), same);
    if (found == b.facts.end()) {
      b.facts.push_back(fact);
    } else {
      found->value = fact.value;
    }
  };
}

}  // namespace

std::string_view key_of(const Word& word) {
  return std::string_view(word.text).substr(0, word.equals);
}

void require_fact_key(std::string_view key, const Place& place) {
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyz0123456789_";
  if (key.empty() || key.find_first_not_of(allowed) != std::string_view::npos) {
    place.fail("'" + std::string(key) +
               "' is no key of a fact; use lower-case letters, digits and _, as in max_clock_hz");
  }
}

ClockEvent parse_clock_event(const Value& value) { return value_of_event(value, value.text()); }

Throttle parse_throttle(const Value& after, const Value& fraction) {
  return {after.seconds(true), fraction.ratio(0.01, 1)};
}

Setting parse_setting(const Word& word, const Place& place) {
  const std::string key(key_of(word));
  const bool bare = word.equals == std::string::npos;
  if (bare && key == "hang") return assign(&Behaviour::hangs, true);
  if (bare && key == "lost") return assign(&Behaviour::lost, true);
  if (bare) {
    place.fail("'" + key + "' is no setting; write KEY=VALUE, for example efficiency=80%, with " +
               "quotes around a value that has blanks");
  }
  const Value value(place, key, word.text.substr(word.equals + 1), word.quoted);
  if (key.starts_with(kFactPrefix)) {
    const std::string fact = key.substr(kFactPrefix.size());
    require_fact_key(fact, place);
    return set_fact({fact, value.fact()});
  }
  for (const Key& entry : keys()) {
    if (entry.name == key) return entry.read(value);
  }
  place.fail("'" + key + "' is no key of a point; known are " +
             list_of(keys(), [](const Key& entry) { return std::string(entry.name); }) +
             ", lost, fact.NAME");
}

}  // namespace roofline::scripted
