// What all workloads of the CPU backend share: the machine, the code path, the threads, the memory
// budget. Threads and libraries start when first asked for.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "backend/cpu/buffer.hpp"
#include "backend/cpu/cache_levels.hpp"
#include "backend/cpu/conditions.hpp"
#include "backend/cpu/cpu_backend.hpp"
#include "backend/cpu/gemm_module.hpp"
#include "backend/cpu/library_thread.hpp"
#include "backend/cpu/sizing.hpp"
#include "backend/cpu/team.hpp"
#include "host/host.hpp"
#include "kernels/cpu/isa.hpp"

namespace roofline::cpu {

/// Bytes of an array of `n` values in whole pages.
template <class T>
[[nodiscard]] constexpr std::uint64_t copy_stride(std::uint64_t n) {
  constexpr std::uint64_t kPage = 4096;
  return (n * sizeof(T) + kPage - 1) / kPage * kPage;
}

class Context {
 public:
  explicit Context(CpuOptions options);

  [[nodiscard]] const host::Host& host() const { return host_; }
  [[nodiscard]] const CpuOptions& options() const { return options_; }
  [[nodiscard]] Isa isa() const { return isa_; }
  /// True when kernels may use vdpbf16ps.
  [[nodiscard]] bool bf16_dot() const { return isa_ == Isa::avx512 && host_.isa.avx512_bf16; }
  [[nodiscard]] const ThreadChoice& choice() const { return choice_; }
  [[nodiscard]] unsigned threads() const { return static_cast<unsigned>(choice_.cpus.size()); }

  /// Bytes that DRAM arrays should exceed; see sizing.hpp.
  [[nodiscard]] std::uint64_t dram_bytes() const { return dram_bytes_; }
  /// What each thread has of the caches.
  [[nodiscard]] const CacheShares& caches() const { return caches_; }
  /// Most that a workload may take now.
  [[nodiscard]] std::uint64_t memory_budget() const;

  [[nodiscard]] Team& team();
  [[nodiscard]] LibraryThread& library_thread();
  /// For the samples of one prepared run.
  [[nodiscard]] Conditions conditions() { return {team(), placement_}; }
  [[nodiscard]] GemmModules& modules() { return modules_; }

  /// Lets a test spoil the result that verify() is about to look at.
  void tamper(std::span<std::byte> result) const {
    if (options_.tamper) options_.tamper(result);
  }

  /// A buffer of which every worker has filled its part by fill(bytes from, bytes to).
  template <class Fill>
  [[nodiscard]] Buffer filled(std::size_t bytes, Fill&& fill) {
    Buffer buffer(bytes);
    team().run([&](unsigned worker) {
      const Part part = part_of(bytes, worker, team().size());
      fill(buffer, part);
    });
    return buffer;
  }
  /// An array of `n` values that value(index) gives.
  template <class T, class Value>
  [[nodiscard]] Buffer filled_with(std::uint64_t n, Value&& value) {
    return filled(n * sizeof(T), [&](Buffer& buffer, Part part) {
      T* const data = buffer.as<T>();
      for (std::size_t i = part.begin / sizeof(T); i < part.end / sizeof(T); ++i)
        data[i] = value(i);
    });
  }

  /// `copies` arrays of `n` values each, copy_stride<T>(n) bytes apart, every worker filling its
  /// part of each.
  template <class T, class Value>
  [[nodiscard]] Buffer filled_copies(std::uint64_t copies, std::uint64_t n, Value&& value) {
    Buffer buffer(copies * copy_stride<T>(n));
    team().run([&](unsigned worker) {
      const Part part = part_of(n * sizeof(T), worker, team().size());
      for (std::uint64_t copy = 0; copy < copies; ++copy) {
        T* const data = reinterpret_cast<T*>(buffer.data() + copy * copy_stride<T>(n));
        for (std::size_t i = part.begin / sizeof(T); i < part.end / sizeof(T); ++i)
          data[i] = value(i);
      }
    });
    return buffer;
  }

  /// Threads, CPUs, pinning, code path: what every point states.
  [[nodiscard]] Facts thread_facts();

 private:
  CpuOptions options_;
  host::Host host_;
  Isa isa_;
  ThreadChoice choice_;
  std::uint64_t dram_bytes_;
  CacheShares caches_;
  GemmModules modules_;
  std::unique_ptr<Team> team_;
  std::unique_ptr<LibraryThread> library_thread_;
  PlacementWatch placement_;
};

/// "`n` bytes are needed, of which the budget has not enough" with what would fit, or nothing.
[[nodiscard]] std::optional<backend::Unsupported> too_large(const Context& context, double needed,
                                                            const std::string& what_fits);

}  // namespace roofline::cpu
