// A row of the table of checks: what it is called, why it matters, how to see it and what to do.
// Rows stand beside others of their topic; findings.cpp puts them together.
#pragma once

#include <span>

#include "host/findings.hpp"

namespace roofline::host {

/// What a check saw. An empty remedy or effect is that of the row.
struct Verdict {
  Severity severity = Severity::ok;
  std::string found;
  Remedy remedy = {};
  std::string effect = {};
};

struct Check {
  std::string_view id;
  std::string_view effect;
  std::string_view action;
  bool needs_root = false;
  std::string_view without_root;
  Verdict (*look)(const Evidence& evidence);
};

[[nodiscard]] inline Verdict unknown(std::string reason) {
  return {Severity::unknown, std::move(reason)};
}

/// `1 CPU`, `2 CPUs`.
[[nodiscard]] inline std::string counted(std::size_t n, std::string_view word) {
  return std::to_string(n) + " " + std::string(word) + (n == 1 ? "" : "s");
}

[[nodiscard]] std::span<const Check> checks_of_other_work();
[[nodiscard]] std::span<const Check> checks_of_processors();
[[nodiscard]] std::span<const Check> checks_of_clock();
[[nodiscard]] std::span<const Check> checks_of_memory();
[[nodiscard]] std::span<const Check> checks_of_environment();
[[nodiscard]] std::span<const Check> checks_of_gpu();

}  // namespace roofline::host
