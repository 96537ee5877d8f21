// The listing of what a session would do.
#pragma once

#include "backend/backend.hpp"
#include "cli/session.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {

/// Measures the roofs that predictions need on one device, briefly, and lists every point with its
/// predicted side and time. Returns how many points there are and how long they should take.
struct DryRun {
  std::size_t points = 0;
  Seconds expected;
};
[[nodiscard]] DryRun dry_run(backend::Backend& backend, const backend::Device& device,
                             const SessionPlan& plan, RoofBook& book, Io& io);

}  // namespace roofline::cli
