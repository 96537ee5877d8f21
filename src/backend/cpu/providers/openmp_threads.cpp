#include "backend/cpu/providers/openmp_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
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

/// The CPU clocks of the pool's threads, which live as long as the process.
std::vector<clockid_t>& pool_clocks() {
  static std::vector<clockid_t> clocks;
  return clocks;
}

struct Pinning {
  const std::uint32_t* cpus = nullptr;
  std::uint32_t count = 0;
  GetNumber thread_number = nullptr;
  char* pinned = nullptr;       ///< by thread
  clockid_t* clocks = nullptr;  ///< by thread
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
  const bool timed = pthread_getcpuclockid(pthread_self(), &pinning.clocks[thread]) == 0;
  pinning.pinned[thread] = sched_setaffinity(0, bytes, set) == 0 && timed ? 1 : 0;
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
  std::vector<clockid_t> clocks(threads);
  pool_clocks().clear();
  Pinning pinning{cpus, threads, thread_number, each.data(), clocks.data()};
  parallel(pin_current, &pinning, threads, 0);
  const auto pinned = static_cast<std::uint32_t>(std::count(each.begin(), each.end(), 1));
  if (pinned == threads) {
    pool_clocks() = clocks;
    return true;
  }
  put_text(error, ("OpenMP gives " + std::to_string(pinned) + " pinned threads of " +
                   std::to_string(threads) + "; is OMP_THREAD_LIMIT set?")
                      .c_str());
  return false;
}

std::uint32_t openmp_cpu_seconds(double* out, std::uint32_t count) {
  const std::vector<clockid_t>& clocks = pool_clocks();
  if (clocks.size() > count) return 0;
  for (const clockid_t clock : clocks) {
    timespec time{};
    if (clock_gettime(clock, &time) != 0) return 0;
    *out++ = static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }
  return static_cast<std::uint32_t>(clocks.size());
}

void describe_openmp(const FactSink* sink) {
  for (const char* name : {"OMP_WAIT_POLICY", "OMP_NUM_THREADS", "OMP_THREAD_LIMIT",
                           "OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "GOMP_SPINCOUNT"}) {
    if (const char* const value = std::getenv(name))
      sink->text(sink->user, ("environment_" + std::string(name)).c_str(), value);
  }
  const char* const policy = std::getenv("OMP_WAIT_POLICY");
  if (policy != nullptr && (policy[0] == 'p' || policy[0] == 'P')) {
    sink->text(sink->user, "openmp_note",
               "OMP_WAIT_POLICY=passive lets the threads sleep between the parts of a product: "
               "small ones take several times as long, and other work on the CPUs does not show; "
               "unset it");
  }
}

}  // namespace roofline::cpu
