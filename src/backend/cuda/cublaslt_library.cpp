#include "backend/cuda/cublaslt_library.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace roofline::cuda {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kOldestMajor = 12;
constexpr std::size_t kNewestMajor = 13;
constexpr const char* kVariable = "ROOFLINE_CUBLASLT";

/// Below a toolkit; the targets are where the packages of some distributions put it alone.
constexpr const char* kToolkitFolders[] = {"/lib64", "/lib", "/targets/x86_64-linux/lib",
                                           "/targets/sbsa-linux/lib"};
/// Below a folder of Python packages.
constexpr const char* kWheelFolders[] = {"/nvidia/cu13/lib", "/nvidia/cublas/lib"};

const char* environment_of_process(const char* name) { return std::getenv(name); }

std::string value_of(const Environment& environment, const char* name) {
  const char* const value = environment(name);
  return value == nullptr ? "" : value;
}

/// Entries of `folder` whose names begin so, the last in the alphabet first.
std::vector<std::string> entries(const std::string& folder, const std::string& beginning) {
  std::vector<std::string> out;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().filename().string().starts_with(beginning)) out.push_back(at->path().string());
  }
  std::sort(out.rbegin(), out.rend());
  return out;
}

std::vector<std::string> package_folders(const Environment& environment) {
  std::vector<std::string> roots;
  for (const char* const variable : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    roots.push_back(value_of(environment, variable));
  const std::string home = value_of(environment, "HOME");
  if (!home.empty()) roots.push_back(home + "/.local");
  roots.emplace_back("/usr/local");
  roots.emplace_back("/usr");
  std::vector<std::string> out;
  for (const std::string& root : roots) {
    if (root.empty()) continue;
    for (const std::string& python : entries(root + "/lib", "python3")) {
      out.push_back(python + "/site-packages");
      out.push_back(python + "/dist-packages");
    }
  }
  return out;
}

std::string accept(void* handle) {
  const LtApi api = bind_cublaslt(handle);
  if (!api.version.present()) return "it is no cuBLASLt (it has no cublasLtGetVersion)";
  if (std::string problem = version_problem(api.version.result()); !problem.empty()) return problem;
  if (const std::string_view missing = first_missing(api); !missing.empty())
    return "it has no " + std::string(missing);
  return {};
}

}  // namespace

CublasLtFolders cublaslt_folders(const Environment& environment) {
  CublasLtFolders out;
  std::vector<std::string> toolkits = entries("/usr/local", "cuda");
  // The link that an administrator set comes before the versions beside it.
  std::stable_partition(toolkits.begin(), toolkits.end(),
                        [](const std::string& path) { return path == "/usr/local/cuda"; });
  for (const std::string& toolkit : toolkits) {
    for (const char* const folder : kToolkitFolders) out.toolkits.push_back(toolkit + folder);
  }
  for (const std::string& packages : package_folders(environment)) {
    for (const char* const folder : kWheelFolders) {
      std::error_code error;
      if (fs::is_directory(packages + folder, error)) out.wheels.push_back(packages + folder);
    }
  }
  return out;
}

std::vector<Candidate> cublaslt_candidates(const std::string& option,
                                           const Environment& environment,
                                           const CublasLtFolders& folders, int cuda_major) {
  if (!option.empty()) return {{option, "--libcublaslt"}};
  if (const std::string named = value_of(environment, kVariable); !named.empty())
    return {{named, kVariable}};
  std::vector<std::string> files{"libcublasLt.so.13", "libcublasLt.so.12"};
  // A library of a newer major than the driver's doesn't start.
  if (cuda_major == 12) std::reverse(files.begin(), files.end());
  std::vector<Candidate> out;
  for (const std::string& file : files) out.push_back({file, "the loader"});
  const auto add = [&](const std::string& folder, const std::string& why) {
    for (const std::string& file : files) out.push_back({folder + "/" + file, why});
  };
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const std::string home = value_of(environment, variable);
    if (home.empty()) continue;
    for (const char* const folder : kToolkitFolders) add(home + folder, variable);
  }
  for (const std::string& folder : folders.toolkits) add(folder, "a toolkit");
  for (const std::string& folder : folders.wheels) add(folder, "a Python package");
  return out;
}

std::string cublaslt_version_text(std::size_t version) {
  // Before 11 the major counted thousands.
  const std::size_t unit = version >= 100'000 ? 10'000 : 1000;
  return std::to_string(version / unit) + "." + std::to_string(version % unit / 100) + "." +
         std::to_string(version % 100);
}

std::string version_problem(std::size_t version) {
  const std::size_t major = version / 10'000;
  if (major >= kOldestMajor && major <= kNewestMajor) return {};
  return "it is cuBLASLt " + cublaslt_version_text(version) + ", and this program calls " +
         std::to_string(kOldestMajor) + " and " + std::to_string(kNewestMajor);
}

CublasLtLibrary load_cublaslt(const std::string& option, int cuda_major) {
  CublasLtLibrary out;
  const Environment environment = environment_of_process;
  const OpenedLibrary opened = open_first(
      cublaslt_candidates(option, environment, cublaslt_folders(environment), cuda_major), accept);
  if (opened.handle == nullptr) {
    out.problem = "GEMM on GPUs needs cuBLASLt, and none could be loaded: " + opened.problem +
                  "; install that of CUDA 13 or 12, or name it with --libcublaslt or " + kVariable;
    return out;
  }
  out.api = bind_cublaslt(opened.handle);
  out.path = opened.path;
  out.version = out.api.version.result();
  return out;
}

}  // namespace roofline::cuda
