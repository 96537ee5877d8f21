// A machine with nothing wrong, and what each check has to say of one change to it.
#pragma once

#include <functional>
#include <vector>

#include "host/findings.hpp"

namespace roofline::host {

/// Four cores of one hardware thread each, one 32 MiB L3, nothing wrong with them.
[[nodiscard]] Evidence quiet();

struct Case {
  const char* id;
  Severity severity;
  const char* found;   ///< part of what is said
  const char* remedy;  ///< part of what to do; empty: nothing is asked
  std::function<void(Evidence&)> change;
};

/// Of those on GPUs.
[[nodiscard]] std::vector<Case> gpu_cases();
[[nodiscard]] std::vector<Case> all_cases();

}  // namespace roofline::host
