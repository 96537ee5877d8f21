// A fact about a machine, a library or a run, as a named value. What cannot be read is a fact too:
// it has no value and says why.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace roofline {

struct Unknown {
  std::string reason;
  friend bool operator==(const Unknown&, const Unknown&) = default;
};

using FactValue =
    std::variant<Unknown, bool, std::uint64_t, double, std::string, std::vector<std::string>>;

/// `key` carries the unit where there is one: `l3_byte`, `clock_hz`.
struct Fact {
  std::string key;
  FactValue value;
  friend bool operator==(const Fact&, const Fact&) = default;
};

using Facts = std::vector<Fact>;

}  // namespace roofline
