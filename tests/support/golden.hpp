// Compares a text with a file of tests/golden. With ROOFLINE_UPDATE_GOLDEN=1 in the environment the
// file is written instead: read the difference before committing it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace roofline::test {

/// `file`: below the source folder.
inline void expect_file(const std::string& text, const std::string& file) {
  const std::string path = std::string(ROOFLINE_SOURCE_DIR) + "/" + file;
  if (std::getenv("ROOFLINE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; make it with ROOFLINE_UPDATE_GOLDEN=1 and read it";
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, expected) << "differs from " << path;
}

inline void expect_golden(const std::string& text, const std::string& name) {
  expect_file(text, "tests/golden/" + name);
}

}  // namespace roofline::test
