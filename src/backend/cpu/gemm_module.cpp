#include "backend/cpu/gemm_module.hpp"

#include <dlfcn.h>

#include <system_error>

namespace roofline::cpu {
namespace {

struct Name {
  const char* file;
  const char* package;
};

constexpr Name kNames[] = {
    {"roofline_onednn.so", "oneDNN (Debian: libdnnl2; libdnnl-dev to build the module)"},
    {"roofline_openblas.so",
     "OpenBLAS (Debian: libopenblas0-openmp; libopenblas-openmp-dev to build the module)"},
};

std::filesystem::path default_directory() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return {};
  return program.parent_path().parent_path() / "lib" / "roofline";
}

GemmModule open(const std::filesystem::path& directory, const Name& name) {
  const std::string need = std::string("; install ") + name.package;
  if (directory.empty())
    return {nullptr,
            std::string("/proc/self/exe cannot be read, so ") + name.file + " is not found"};
  const std::filesystem::path path = directory / name.file;
  void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* const reason = dlerror();
    return {nullptr,
            std::string(reason != nullptr ? reason : "the module cannot be opened") + need};
  }
  const auto get = reinterpret_cast<GetGemmProvider>(dlsym(handle, kGemmProviderSymbol));
  if (get == nullptr) return {nullptr, path.string() + " is no GEMM module of this program"};
  const GemmProvider* const provider = get();
  if (provider->abi != kGemmProviderAbi) {
    return {
        nullptr,
        path.string() + " belongs to another version of this program; install both from one build"};
  }
  return {provider, ""};
}

FactSink into(Facts& facts) {
  return {&facts,
          [](void* user, const char* key, const char* value) {
            static_cast<Facts*>(user)->push_back({key, std::string(value)});
          },
          [](void* user, const char* key, std::uint64_t value) {
            static_cast<Facts*>(user)->push_back({key, value});
          },
          [](void* user, const char* key, bool value) {
            static_cast<Facts*>(user)->push_back({key, value});
          }};
}

}  // namespace

GemmModules::GemmModules(std::filesystem::path directory)
    : directory_(directory.empty() ? default_directory() : std::move(directory)) {}

const GemmModule& GemmModules::get(GemmLibrary library) {
  const auto index = static_cast<std::size_t>(library);
  if (!modules_[index]) modules_[index] = open(directory_, kNames[index]);
  return *modules_[index];
}

Facts describe_library(const GemmProvider& provider) {
  Facts out;
  const FactSink sink = into(out);
  provider.describe(&sink);
  return out;
}

Facts describe_plan(const GemmProvider& provider, void* plan) {
  Facts out;
  const FactSink sink = into(out);
  provider.describe_plan(plan, &sink);
  return out;
}

}  // namespace roofline::cpu
