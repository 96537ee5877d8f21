#include "embedded/embedded.hpp"

#include <algorithm>

namespace roofline::embedded {
namespace {

bool path_less(const File& file, std::string_view path) { return file.path < path; }

}  // namespace

std::span<const File> files_below(std::string_view folder) {
  const std::span<const File> all = files();
  const auto first = std::lower_bound(all.begin(), all.end(), folder, path_less);
  const auto last = std::find_if_not(
      first, all.end(), [&](const File& file) { return file.path.starts_with(folder); });
  return {first, last};
}

std::optional<std::string_view> find(std::string_view path) {
  const std::span<const File> all = files();
  const auto found = std::lower_bound(all.begin(), all.end(), path, path_less);
  if (found == all.end() || found->path != path) return std::nullopt;
  return found->text;
}

}  // namespace roofline::embedded
