#include "host/files.hpp"

#include <fstream>
#include <iterator>

namespace roofline::host {

std::optional<std::string> read_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  // A directory opens and then fails to read.
  if (file.bad()) return std::nullopt;
  return text;
}

std::filesystem::path below(const std::filesystem::path& root, const std::filesystem::path& path) {
  return root / path.relative_path();
}

}  // namespace roofline::host
