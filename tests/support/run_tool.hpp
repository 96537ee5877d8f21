// Runs a program the way a person would, and keeps what it said.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace roofline::test {

struct Run {
  int status = -1;  ///< exit status; 128 + signal when it was killed
  std::string out;
  std::string err;
};

struct RunOptions {
  std::string input = {};                               ///< standard input
  std::map<std::string, std::string> environment = {};  ///< set beside the inherited ones
  std::string directory = {};                           ///< working directory
};

/// `program` is a path; no shell is involved.
[[nodiscard]] Run run_program(const std::string& program, const std::vector<std::string>& arguments,
                              const RunOptions& options = {});

/// The roofline binary under test.
[[nodiscard]] Run roofline(const std::vector<std::string>& arguments,
                           const RunOptions& options = {});
[[nodiscard]] std::string roofline_path();

/// A folder of its own for one test, gone with it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const { return path_ + "/" + name; }
  /// Writes a file below the folder and returns its path.
  std::string write(const std::string& name, const std::string& text) const;
  [[nodiscard]] std::string read(const std::string& name) const;

 private:
  std::string path_;
};

}  // namespace roofline::test
