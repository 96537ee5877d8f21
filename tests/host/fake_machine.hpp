// A machine laid out as files in a temporary folder, so that src/host can be shown what other
// machines look like.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace roofline::host {

class FakeMachine {
 public:
  FakeMachine() {
    const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
    root_ = std::filesystem::temp_directory_path() /
            (std::string("roofline_host_") + test->name() + "_" + std::to_string(getpid()));
    std::filesystem::create_directories(root_);
  }
  FakeMachine(const FakeMachine&) = delete;
  FakeMachine& operator=(const FakeMachine&) = delete;
  ~FakeMachine() {
    std::error_code ignored;
    std::filesystem::remove_all(root_, ignored);
  }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path file = root_ / std::filesystem::path(path).relative_path();
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

  void cpu(unsigned id, const std::string& siblings) const {
    write("/sys/devices/system/cpu/cpu" + std::to_string(id) + "/topology/core_cpus_list",
          siblings + "\n");
  }

  void cache(unsigned cpu, unsigned index, unsigned level, const std::string& kind,
             const std::string& size, const std::string& shared) const {
    const std::string folder = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) +
                               "/cache/index" + std::to_string(index) + "/";
    write(folder + "level", std::to_string(level) + "\n");
    write(folder + "type", kind + "\n");
    write(folder + "size", size + "\n");
    write(folder + "shared_cpu_list", shared + "\n");
  }

  [[nodiscard]] const std::filesystem::path& root() const { return root_; }

 private:
  std::filesystem::path root_;
};

inline std::string sample(const std::string& name) {
  std::ifstream file(std::string(ROOFLINE_SOURCE_DIR) + "/tests/data/host/" + name,
                     std::ios::binary);
  EXPECT_TRUE(file) << name;
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace roofline::host
