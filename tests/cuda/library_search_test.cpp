// Where the driver's libraries are looked for, and what is made of what is there.
#include "backend/cuda/library_search.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

namespace roofline::cuda {
namespace {

using Variables = std::map<std::string, std::string>;

std::vector<std::string> paths(DriverLibrary library, const std::string& option,
                               const Variables& variables) {
  const auto found = candidates(library, option, [&](const char* name) -> const char* {
    const auto entry = variables.find(name);
    return entry == variables.end() ? nullptr : entry->second.c_str();
  });
  std::vector<std::string> out;
  for (const Candidate& candidate : found) out.push_back(candidate.path);
  return out;
}

TEST(LibrarySearch, WhatIsNamedIsNotReplaced) {
  const Variables named{{"ROOFLINE_LIBCUDA", "/e/libcuda.so"}, {"CUDA_HOME", "/c"}};
  EXPECT_EQ(paths(DriverLibrary::libcuda, "/o/libcuda.so", named),
            std::vector<std::string>{"/o/libcuda.so"});
  EXPECT_EQ(paths(DriverLibrary::libcuda, "", named), std::vector<std::string>{"/e/libcuda.so"});
  EXPECT_EQ(paths(DriverLibrary::libnvidia_ml, "", {{"ROOFLINE_NVML", "/e/nvml.so"}}),
            std::vector<std::string>{"/e/nvml.so"});
}

TEST(LibrarySearch, TheLoaderThenToolkitsThenFolders) {
  const auto all =
      paths(DriverLibrary::libcuda, "", {{"CUDA_HOME", "/c"}, {"ROOFLINE_LIBCUDA", ""}});
  ASSERT_GT(all.size(), 5U);
  EXPECT_EQ(all[0], "libcuda.so.1");
  EXPECT_EQ(all[1], "/c/compat/libcuda.so.1");
  const auto wsl = std::find(all.begin(), all.end(), "/usr/lib/wsl/lib/libcuda.so.1");
  EXPECT_NE(wsl, all.end());
  for (const std::string& path : all) EXPECT_EQ(path.find("stubs"), std::string::npos) << path;
}

TEST(LibrarySearch, TheFirstThatIsAcceptedIsTaken) {
  const std::vector<Candidate> list{
      {"/nowhere/libm.so.6", "a test"}, {"libm.so.6", "a test"}, {"libdl.so.2", "a test"}};
  const OpenedLibrary first = open_first(list, {});
  ASSERT_NE(first.handle, nullptr);
  EXPECT_NE(first.path.find("/libm.so.6"), std::string::npos) << first.path;  // in full
  const OpenedLibrary second = open_first(list, [&](void* handle) {
    return dlsym(handle, "dlvsym") != nullptr && dlsym(handle, "cosf") == nullptr ? ""
                                                                                  : "it is a stub";
  });
  ASSERT_NE(second.handle, nullptr);
  EXPECT_NE(second.path.find("/libdl.so.2"), std::string::npos) << second.path;
}

TEST(LibrarySearch, WhatIsThereAndRefusedSaysMoreThanWhatIsMissing) {
  const OpenedLibrary none =
      open_first({{"/nowhere/libcuda.so.1", "a test"}, {"libm.so.6", "a test"}},
                 [](void*) { return std::string("it is the toolkit's stub"); });
  EXPECT_EQ(none.handle, nullptr);
  EXPECT_NE(none.problem.find("libm.so.6: it is the toolkit's stub"), std::string::npos)
      << none.problem;
}

TEST(LibrarySearch, TheMissingOneIsNamed) {
  const OpenedLibrary none =
      open_first({{"/nowhere/libcuda.so.1", "ROOFLINE_LIBCUDA"}, {"/none/libcuda.so.1", "x"}}, {});
  EXPECT_EQ(none.handle, nullptr);
  EXPECT_NE(none.problem.find("/nowhere/libcuda.so.1"), std::string::npos) << none.problem;
  EXPECT_NE(none.problem.find("ROOFLINE_LIBCUDA"), std::string::npos) << none.problem;
}

}  // namespace
}  // namespace roofline::cuda
