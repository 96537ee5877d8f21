// The bars that the CPU backend is held to, each a function that measures and says how it stands.
#pragma once

#include <span>
#include <vector>

#include "lab.hpp"

namespace bars {

struct Bar {
  unsigned number;
  const char* text;
  std::vector<Check> (*measure)(Lab& lab);
};

[[nodiscard]] std::span<const Bar> all_bars();

}  // namespace bars
