// Small files of /proc and /sys, whole.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace roofline::host {

/// Nothing when the file is not there or can't be read.
[[nodiscard]] std::optional<std::string> read_text(const std::filesystem::path& path);

/// `root` + absolute `path`, so that a test can show another machine.
[[nodiscard]] std::filesystem::path below(const std::filesystem::path& root,
                                          const std::filesystem::path& path);

}  // namespace roofline::host
