// The evidence for `roofline doctor`, and the one line that measuring commands say before they
// measure on a machine that would spoil it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "host/findings.hpp"

namespace roofline::cli {

/// Of this machine: 0.2 s of watching the CPUs and, where `with_clocks`, 0.2 s under load on one of
/// them. Of another `root` the files only.
[[nodiscard]] host::Evidence gather_evidence(const std::filesystem::path& root = "/",
                                             bool with_clocks = true);

/// What the driver and NVML tell of this machine's GPUs. Loads them; makes no context, and changes
/// nothing.
[[nodiscard]] host::Gpus look_at_gpus();

/// `spoilt: ...; roofline doctor tells more`, for stderr; nothing where no finding spoils.
[[nodiscard]] std::optional<std::string> spoilt_sentence(
    const std::vector<host::Finding>& findings);

/// For a command that is about to measure this machine's CPU: takes 0.2 s.
[[nodiscard]] std::optional<std::string> spoilt_now();

}  // namespace roofline::cli
