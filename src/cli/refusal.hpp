// Refusals for who reads JSON: a result like any other, found where the figures would be.
#pragma once

#include <functional>

#include "cli/command.hpp"

namespace roofline::cli {

/// Runs `action`; what it refuses (malformed input, a device or a file that is not there) is also
/// printed as `{"refused": reason}` where JSON was asked for. The error goes on.
[[nodiscard]] ExitStatus with_refusal_as_json(bool json, Io& io,
                                              const std::function<ExitStatus()>& action);

}  // namespace roofline::cli
