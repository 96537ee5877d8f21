// SIGINT and SIGTERM as a question that a sweep asks between samples, so that what was measured is
// written.
#pragma once

#include <optional>

#include "cli/exit_status.hpp"

namespace roofline::cli {

/// While it lives, the first SIGINT or SIGTERM is only noted; a second one ends the program at
/// once.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;

  [[nodiscard]] static bool requested();
  /// The exit status that belongs to the signal, if one came.
  [[nodiscard]] static std::optional<ExitStatus> status();
};

}  // namespace roofline::cli
