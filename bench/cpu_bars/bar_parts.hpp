// What the files of bars share: how a figure becomes a check, and the names of points.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bars.hpp"

namespace bars {

using Strings = std::vector<std::string>;

inline const Strings kOne = {"--threads", "1"};
inline const Strings kTwo = {"--threads", "2"};
inline constexpr int kRounds = 5;

[[nodiscard]] inline std::optional<double> ratio(std::optional<double> a, std::optional<double> b) {
  if (!a || !b || *b == 0) return std::nullopt;
  return *a / *b;
}

[[nodiscard]] inline std::string peak(const std::string& dtype) {
  return "peak/" + dtype + "/registers";
}
[[nodiscard]] inline std::string gemm(const std::string& dtype, const std::string& shape) {
  return "gemm/" + dtype + "/" + shape;
}

/// A check on a figure of `points`; what it lacks is said by the ids it comes from.
[[nodiscard]] inline Check check(const std::string& what, std::optional<double> value,
                                 std::optional<double> at_least, std::optional<double> at_most,
                                 const Points& points, const Strings& ids) {
  Check out{what, value, at_least, at_most, {}, false};
  for (const std::string& id : ids) {
    if (value) break;
    if (points.disturbed(id)) out.contended = true;
    if (const std::string why = points.why_not(id); !why.empty()) out.reason = id + ": " + why;
  }
  return out;
}

/// A figure from several rounds with peers between them.
[[nodiscard]] inline Check of_rounds(const std::string& what, const std::vector<double>& ratios,
                                     std::optional<double> at_least, std::optional<double> at_most,
                                     const std::string& reason) {
  Check out{what, std::nullopt, at_least, at_most, reason, false};
  if (!ratios.empty()) out.value = median(ratios);
  return out;
}

std::vector<Check> bar1(Lab& lab);
std::vector<Check> bar2(Lab& lab);
std::vector<Check> bar3(Lab& lab);
std::vector<Check> bar4(Lab& lab);
std::vector<Check> bar5(Lab& lab);
std::vector<Check> bar6(Lab& lab);
std::vector<Check> bar7(Lab& lab);
std::vector<Check> bar8(Lab& lab);
std::vector<Check> bar9(Lab& lab);
std::vector<Check> bar10(Lab& lab);
std::vector<Check> bar11(Lab& lab);
std::vector<Check> bar12(Lab& lab);
std::vector<Check> bar13(Lab& lab);
std::vector<Check> bar14(Lab& lab);
std::vector<Check> bar15(Lab& lab);
std::vector<Check> bar16(Lab& lab);
std::vector<Check> bar17(Lab& lab);
std::vector<Check> bar18(Lab& lab);
std::vector<Check> bar19(Lab& lab);

}  // namespace bars
