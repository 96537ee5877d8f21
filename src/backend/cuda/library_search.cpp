#include "backend/cuda/library_search.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>

namespace roofline::cuda {
namespace {

struct Names {
  const char* file;
  const char* option;
  const char* variable;
};

Names names_of(DriverLibrary library) {
  if (library == DriverLibrary::libcuda) return {"libcuda.so.1", "--libcuda", "ROOFLINE_LIBCUDA"};
  return {"libnvidia-ml.so.1", "--nvml", "ROOFLINE_NVML"};
}

/// Where distributions, containers and WSL put the driver when the loader's cache doesn't know it.
constexpr const char* kDriverFolders[] = {
    "/usr/lib/x86_64-linux-gnu",
    "/usr/lib/aarch64-linux-gnu",
    "/usr/lib64",
    "/usr/lib",
    "/usr/lib/wsl/lib",
    "/usr/local/nvidia/lib64",
    "/usr/lib/x86_64-linux-gnu/nvidia/current",
    "/usr/lib64/nvidia",
    "/run/opengl-driver/lib",
};

/// Below a toolkit: the driver that comes with its package for forward compatibility.
constexpr const char* kToolkitFolders[] = {"/compat", "/lib64", "/lib"};

/// The file behind a handle, as the loader found it.
std::string path_of(void* handle, const std::string& otherwise) {
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || map == nullptr || map->l_name == nullptr ||
      *map->l_name == '\0') {
    return otherwise;
  }
  return map->l_name;
}

std::string loader_message(const std::string& path) {
  const char* const message = dlerror();
  std::string text = message != nullptr ? message : path + ": cannot be opened";
  // One line of one sentence, whatever the loader says.
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

bool is_missing(const std::string& message) {
  return message.find("No such file or directory") != std::string::npos;
}

}  // namespace

std::vector<Candidate> candidates(DriverLibrary library, const std::string& option,
                                  const Environment& environment) {
  const Names names = names_of(library);
  if (!option.empty()) return {{option, names.option}};
  const char* const named = environment(names.variable);
  if (named != nullptr && *named != '\0') return {{named, names.variable}};
  std::vector<Candidate> out{{names.file, "the loader"}};
  for (const char* const variable : {"CUDA_HOME", "CUDA_PATH"}) {
    const char* const home = environment(variable);
    if (home == nullptr || *home == '\0') continue;
    for (const char* const folder : kToolkitFolders)
      out.push_back({std::string(home) + folder + "/" + names.file, variable});
  }
  for (const char* const folder : kDriverFolders)
    out.push_back({std::string(folder) + "/" + names.file, "a usual folder"});
  return out;
}

OpenedLibrary open_first(const std::vector<Candidate>& list, const Acceptance& accept) {
  std::string first;    // what the loader said of the first, which names the library
  std::string notable;  // what is there and can't be used says more than what isn't
  for (const Candidate& candidate : list) {
    void* const handle = dlopen(candidate.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const std::string message = loader_message(candidate.path);
      if (first.empty()) first = message + " (named by " + candidate.why + ")";
      if (notable.empty() && !is_missing(message)) notable = message;
      continue;
    }
    const std::string path = path_of(handle, candidate.path);
    const std::string refused = accept ? accept(handle) : std::string();
    if (refused.empty()) return {handle, path, {}};
    notable = path + ": " + refused;
    dlclose(handle);
  }
  return {nullptr, {}, notable.empty() ? first : notable};
}

}  // namespace roofline::cuda
