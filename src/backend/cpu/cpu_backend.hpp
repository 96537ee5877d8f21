// The CPU of this machine behind the backend interface: streams, compute peaks, GEMM through a
// library, matvec and elementwise chains on pinned threads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "backend/backend.hpp"
#include "kernels/cpu/isa.hpp"

namespace roofline::cpu {

struct CpuOptions {
  /// 0: one per physical core in the affinity mask. More than the mask or the control group's CPU
  /// quota has room for are cut down, and the facts say so.
  unsigned threads = 0;
  /// Where the GEMM modules lie; empty: lib/roofline beside the folder of the running program.
  std::filesystem::path module_directory = {};
  /// Most memory for one workload, in byte; 0: 70 % of what is available when it is asked for.
  std::uint64_t memory_cap = 0;
  /// Widest code path of the own kernels; nothing: the widest this CPU has.
  std::optional<Isa> isa_cap = {};
  /// verify() hands the result over before comparing it, so that tests can seed a fault.
  std::function<void(std::span<std::byte>)> tamper = {};
};

/// Reads what the machine is; starts no thread and loads no library before they are needed.
[[nodiscard]] std::unique_ptr<backend::Backend> make_cpu_backend(CpuOptions options);

}  // namespace roofline::cpu
