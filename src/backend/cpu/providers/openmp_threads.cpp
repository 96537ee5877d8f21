#include "backend/cpu/providers/openmp_threads.hpp"

#include <dlfcn.h>
#include <sched.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

namespace roofline::cpu {
namespace {

using SetNumber = void (*)(int);
using GetNumber = int (*)();
/// GCC's ABI for `#pragma omp parallel`, which LLVM's and Intel's runtimes offer too.
using Parallel = void (*)(void (*body)(void*), void* data, unsigned threads, unsigned flags);

template <class Function>
Function find(const char* symbol) {
  return reinterpret_cast<Function>(dlsym(RTLD_DEFAULT, symbol));
}

struct Pinning {
  const std::uint32_t* cpus = nullptr;
  std::uint32_t count = 0;
  GetNumber thread_number = nullptr;
  char* pinned = nullptr;  ///< by thread
};

/// ThreadSanitizer can't see how the runtime's threads wait for each other, and would take this for
/// a race.
#if defined(__clang__)
__attribute__((no_sanitize("thread")))
#else
__attribute__((no_sanitize_thread))
#endif
void pin_current(void* data) {
  auto& pinning = *static_cast<Pinning*>(data);
  const auto thread = static_cast<std::uint32_t>(pinning.thread_number());
  if (thread >= pinning.count) return;
  const unsigned cpu = pinning.cpus[thread];
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  cpu_set_t* const set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return;
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  pinning.pinned[thread] = sched_setaffinity(0, bytes, set) == 0 ? 1 : 0;
  CPU_FREE(set);
}

}  // namespace

void put_text(TextBuffer out, const char* text) {
  if (out.text == nullptr || out.size == 0) return;
  std::strncpy(out.text, text, out.size - 1);
  out.text[out.size - 1] = '\0';
}

bool set_openmp_threads(std::uint32_t threads, const std::uint32_t* cpus, TextBuffer error) {
  const auto set_number = find<SetNumber>("omp_set_num_threads");
  const auto set_dynamic = find<SetNumber>("omp_set_dynamic");
  const auto thread_number = find<GetNumber>("omp_get_thread_num");
  const auto parallel = find<Parallel>("GOMP_parallel");
  if (set_number == nullptr || set_dynamic == nullptr || thread_number == nullptr ||
      parallel == nullptr) {
    put_text(error, "it is not threaded by OpenMP, so its threads cannot be counted or pinned");
    return false;
  }
  set_dynamic(0);
  set_number(static_cast<int>(threads));
  // Threads that exist already keep their pins, and new ones would inherit the caller's: every
  // change pins them all.
  std::vector<char> each(threads, 0);
  Pinning pinning{cpus, threads, thread_number, each.data()};
  parallel(pin_current, &pinning, threads, 0);
  const auto pinned = static_cast<std::uint32_t>(std::count(each.begin(), each.end(), 1));
  if (pinned == threads) return true;
  put_text(error, ("OpenMP gives " + std::to_string(pinned) + " pinned threads of " +
                   std::to_string(threads) + "; is OMP_THREAD_LIMIT set?")
                      .c_str());
  return false;
}

}  // namespace roofline::cpu
