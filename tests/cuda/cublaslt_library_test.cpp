// Where cuBLASLt is looked for, which versions are taken, and what its failures say.
#include "backend/cuda/cublaslt_library.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace roofline::cuda {
namespace {

using Variables = std::map<std::string, std::string>;

std::vector<std::string> paths(const std::string& option, const Variables& variables,
                               const CublasLtFolders& folders, int major) {
  const Environment environment = [&](const char* name) -> const char* {
    const auto entry = variables.find(name);
    return entry == variables.end() ? nullptr : entry->second.c_str();
  };
  std::vector<std::string> out;
  for (const Candidate& one : cublaslt_candidates(option, environment, folders, major))
    out.push_back(one.path);
  return out;
}

std::size_t place(const std::vector<std::string>& all, const std::string& path) {
  const auto found = std::find(all.begin(), all.end(), path);
  EXPECT_NE(found, all.end()) << path;
  return static_cast<std::size_t>(found - all.begin());
}

TEST(CublasLtSearch, WhatIsNamedIsNotReplaced) {
  const Variables named{{"ROOFLINE_CUBLASLT", "/e/lt.so"}, {"CUDA_HOME", "/c"}};
  EXPECT_EQ(paths("/o/lt.so", named, {}, 13), std::vector<std::string>{"/o/lt.so"});
  EXPECT_EQ(paths("", named, {}, 13), std::vector<std::string>{"/e/lt.so"});
}

TEST(CublasLtSearch, TheLoaderThenToolkitsThenPythonPackages) {
  const auto all =
      paths("", {{"CUDA_HOME", "/c"}}, {{"/usr/local/cuda/lib64"}, {"/p/nvidia/cu13/lib"}}, 13);
  EXPECT_EQ(all[0], "libcublasLt.so.13");
  EXPECT_EQ(all[1], "libcublasLt.so.12");
  const std::size_t home = place(all, "/c/lib64/libcublasLt.so.13");
  const std::size_t targets = place(all, "/c/targets/x86_64-linux/lib/libcublasLt.so.13");
  const std::size_t toolkit = place(all, "/usr/local/cuda/lib64/libcublasLt.so.13");
  const std::size_t wheel = place(all, "/p/nvidia/cu13/lib/libcublasLt.so.13");
  EXPECT_LT(home, targets);
  EXPECT_LT(targets, toolkit);
  EXPECT_LT(toolkit, wheel);
}

TEST(CublasLtSearch, ADriverOfCuda12IsAskedWithItsOwnMajorFirst) {
  const auto all = paths("", {}, {}, 12);
  EXPECT_EQ(all[0], "libcublasLt.so.12");
}

TEST(CublasLtVersion, TwelveAndThirteenAreTaken) {
  EXPECT_EQ(version_problem(130'100), "");
  EXPECT_EQ(version_problem(120'304), "");
  const std::string old = version_problem(111'103);
  EXPECT_NE(old.find("cuBLASLt 11.11.3"), std::string::npos) << old;
  EXPECT_NE(old.find("12 and 13"), std::string::npos) << old;
  EXPECT_NE(version_problem(140'000).find("14.0.0"), std::string::npos);
  EXPECT_EQ(cublaslt_version_text(130'100), "13.1.0");
  EXPECT_EQ(cublaslt_version_text(120'304), "12.3.4");
  EXPECT_EQ(cublaslt_version_text(10'202), "10.2.2");
}

TEST(CublasLtLibraryTest, WhatIsMissingIsSaidWithAWayOut) {
  const CublasLtLibrary none = load_cublaslt("/nowhere/libcublasLt.so.13", 13);
  EXPECT_NE(none.problem.find("/nowhere/libcublasLt.so.13"), std::string::npos) << none.problem;
  EXPECT_NE(none.problem.find("ROOFLINE_CUBLASLT"), std::string::npos) << none.problem;
}

TEST(CublasLtLibraryTest, AnotherLibraryIsRefused) {
  const CublasLtLibrary none = load_cublaslt("libm.so.6", 13);
  EXPECT_NE(none.problem.find("it is no cuBLASLt"), std::string::npos) << none.problem;
}

TEST(CublasLtApi, WhatALibraryLacksIsAnErrorOnlyWhenNeeded) {
  void* const library = dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr);
  const LtApi api = bind_cublaslt(library);
  EXPECT_EQ(first_missing(api), "cublasLtGetVersion");
  EXPECT_EQ(api.version.result(), 0U);
  EXPECT_EQ(api.destroy.result(nullptr), lt::kNotSupported);
  EXPECT_THROW(api.destroy(nullptr), backend::BackendError);
}

TEST(CublasLtError, IsOneSentenceWithTheCallTheNameAndAWayOut) {
  const LtError error(lt::kNotInitialized, "cublasLtCreate");
  EXPECT_EQ(std::string(error.what()),
            "cublasLtCreate: the library could not start on this device "
            "(CUBLAS_STATUS_NOT_INITIALIZED); use a cuBLASLt of the driver's CUDA version (see "
            "nvidia-smi), and check that memory is free");
  EXPECT_EQ(error.status(), lt::kNotInitialized);
  for (const lt::Status status : {lt::kAllocFailed, lt::kExecutionFailed, lt::kNotSupported}) {
    const std::string said = LtError(status, "cublasLtMatmul").what();
    EXPECT_NE(said.find("cublasLtMatmul: "), std::string::npos) << said;
    EXPECT_NE(said.find(lt_status_name(status)), std::string::npos) << said;
    EXPECT_NE(said.find("; "), std::string::npos) << said;
  }
  EXPECT_EQ(lt_status_name(4711), "status 4711");
  EXPECT_TRUE(is_refusal(lt::kNotSupported));
  EXPECT_FALSE(is_refusal(lt::kExecutionFailed));
}

}  // namespace
}  // namespace roofline::cuda
