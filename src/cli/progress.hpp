// What a person sees on stderr while a sweep runs: what is measured, how many points are done, how
// long still. One line that is redrawn on a terminal, one line per finished point elsewhere.
#pragma once

#include <chrono>
#include <optional>
#include <ostream>
#include <string>

#include "roofline/units.hpp"

namespace roofline::cli {

class Progress {
 public:
  /// `budget`: for all points together; more is never left.
  Progress(std::ostream& err, bool redraws, std::size_t points, std::optional<Seconds> budget)
      : err_(err), redraws_(redraws), points_(points), budget_(budget) {}

  /// `left`: what the rest is expected to take.
  void running(const std::string& id, std::size_t finished, Seconds left);
  void finished(const std::string& id, Seconds left);
  void done();

 private:
  /// `left`, stretched by how the time so far kept to what was expected of it, within the budget.
  [[nodiscard]] Seconds stretched(Seconds left);

  std::ostream& err_;
  bool redraws_;
  std::size_t points_;
  std::optional<Seconds> budget_;
  std::size_t finished_ = 0;
  Seconds planned_;  ///< in all, as first heard of
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace roofline::cli
