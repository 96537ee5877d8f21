// The roofs that are known of the chosen devices before anything is measured: a GPU's from the
// catalogue and its driver.
#pragma once

#include "cli/backend_choice.hpp"
#include "cli/recorder.hpp"

namespace roofline::cli {

/// A book for every device; what the catalogue says of a GPU also becomes facts of its device, and
/// what it doubts a warning on stderr. Throws InputError where a file of the catalogue is
/// malformed.
[[nodiscard]] Books rated_books(ChosenDevices& chosen, const std::string& config_dir, Io& io);

}  // namespace roofline::cli
