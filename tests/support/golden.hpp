// Compares a text with a file of tests/golden. With ROOFLINE_UPDATE_GOLDEN=1 in the environment the
// file is written instead: read the difference before committing it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace roofline::test {

inline void expect_golden(const std::string& text, const std::string& name) {
  const std::string path = std::string(ROOFLINE_SOURCE_DIR) + "/tests/golden/" + name;
  if (std::getenv("ROOFLINE_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << text;
    return;
  }
  std::ifstream in(path, std::ios::binary);
  ASSERT_TRUE(in) << path << " is missing; make it with ROOFLINE_UPDATE_GOLDEN=1 and read it";
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(text, expected) << "differs from " << path;
}

}  // namespace roofline::test
