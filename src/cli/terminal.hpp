// How to speak to whoever reads stdout and stderr: decided once from the terminal and the
// environment.
#pragma once

#include <cstddef>

#include "report/table.hpp"

namespace roofline::cli {

/// Width and colour for stdout: 100 columns and no colour into a pipe or file, NO_COLOR and
/// TERM=dumb respected.
[[nodiscard]] report::TableStyle stdout_style();
/// Whether stdout takes more than ASCII: a pipe or file does, a terminal that is no bare console
/// does.
[[nodiscard]] bool stdout_shows_unicode();
/// Whether stderr is a terminal that can redraw a line.
[[nodiscard]] bool stderr_redraws();

}  // namespace roofline::cli
