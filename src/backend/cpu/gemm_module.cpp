#include "backend/cpu/gemm_module.hpp"

#include <dlfcn.h>

#include <cstdlib>
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

/// The narrowest that either library knows is SSE4: what lies below, no CPU of today lacks.
void cap_libraries(Isa cap) {
#if defined(__x86_64__)
  constexpr int kKeep = 0;
  // Without AMX, which no own kernel has either.
  const char* const onednn = cap == Isa::avx512 ? "AVX512_CORE_BF16"
                             : cap == Isa::avx2 ? "AVX2"
                                                : "SSE41";
  if (std::getenv("DNNL_MAX_CPU_ISA") == nullptr) setenv("ONEDNN_MAX_CPU_ISA", onednn, kKeep);
  // Its widest cores are those of AVX-512.
  if (cap != Isa::avx512)
    setenv("OPENBLAS_CORETYPE", cap == Isa::avx2 ? "Haswell" : "Nehalem", kKeep);
#else
  static_cast<void>(cap);
#endif
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

GemmModules::GemmModules(std::filesystem::path directory, std::optional<Isa> cap)
    : directory_(directory.empty() ? default_directory() : std::move(directory)), cap_(cap) {}

const GemmModule& GemmModules::get(GemmLibrary library) {
  const auto index = static_cast<std::size_t>(library);
  if (!modules_[index]) {
    if (cap_) cap_libraries(*cap_);
    modules_[index] = open(directory_, kNames[index]);
  }
  return *modules_[index];
}

bool above_cap(std::string_view library_isa, Isa cap) {
  const Isa used = library_isa.starts_with("avx512") ? Isa::avx512
                   : library_isa.starts_with("avx2") ? Isa::avx2
                                                     : Isa::portable;
  return used > cap;
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
