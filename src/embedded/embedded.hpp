// The files of configs/ as the binary carries them: text by relative path (`accelerators/l4.json`).
// Knows nothing of what is in them; the bytes are those of the file.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace roofline::embedded {

struct File {
  std::string_view path;  ///< relative to configs/, with '/'
  std::string_view text;
};

/// All of them, sorted by path. Defined in the source that cmake/EmbedConfigs.cmake generates.
[[nodiscard]] std::span<const File> files();

/// The files whose path starts with `folder` (`accelerators/`).
[[nodiscard]] std::span<const File> files_below(std::string_view folder);

[[nodiscard]] std::optional<std::string_view> find(std::string_view path);

}  // namespace roofline::embedded
