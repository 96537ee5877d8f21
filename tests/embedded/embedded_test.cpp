// What the binary carries is what configs/ holds, byte for byte.
#include "embedded/embedded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;
using roofline::embedded::File;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

TEST(Embedded, EveryConfigIsThereByteForByte) {
  const fs::path configs = fs::path(ROOFLINE_SOURCE_DIR) / "configs";
  std::size_t on_disk = 0;
  for (const char* folder : {"accelerators", "models", "schema", "suites"}) {
    if (!fs::exists(configs / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(configs / folder)) {
      if (entry.path().extension() != ".json") continue;
      ++on_disk;
      const std::string path = fs::relative(entry.path(), configs).generic_string();
      const auto text = roofline::embedded::find(path);
      ASSERT_TRUE(text) << path;
      EXPECT_EQ(*text, read(entry.path())) << path;
    }
  }
  EXPECT_GT(on_disk, 40U);
  EXPECT_EQ(roofline::embedded::files().size(), on_disk);
}

TEST(Embedded, SortedWithoutDuplicates) {
  const auto files = roofline::embedded::files();
  const auto out_of_order = std::adjacent_find(
      files.begin(), files.end(), [](const File& a, const File& b) { return a.path >= b.path; });
  EXPECT_EQ(out_of_order, files.end());
}

TEST(Embedded, AFolderHoldsItsOwnFilesOnly) {
  const auto files = roofline::embedded::files_below("accelerators/");
  EXPECT_GT(files.size(), 40U);
  for (const File& file : files) EXPECT_TRUE(file.path.starts_with("accelerators/")) << file.path;
  EXPECT_TRUE(roofline::embedded::files_below("nothing/").empty());
}

TEST(Embedded, UnknownPathIsEmpty) {
  EXPECT_FALSE(roofline::embedded::find("accelerators/no-such.json"));
  EXPECT_FALSE(roofline::embedded::find(""));
}

}  // namespace
