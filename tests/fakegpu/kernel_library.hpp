// The kernels that the simulated GPU can run, found by the name of their entry point: compiled for
// the CPU by the emulator. Knows no device and no time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fakegpu {

struct KernelParameter {
  std::size_t bytes = 0;
  bool pointer = false;
};

/// Whether leaving a launch out could be noticed (kernels.def says which kernel is what).
enum class Effect {
  pure,       ///< outputs depend on inputs that it does not write
  in_place,   ///< writes what it reads
  generator,  ///< outputs depend on nothing in memory
  probe,      ///< has no outputs, or outputs a clock
};

struct LaunchShape {
  unsigned grid[3] = {1, 1, 1};
  unsigned block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;

  [[nodiscard]] std::uint64_t threads_per_block() const {
    return std::uint64_t{block[0]} * block[1] * block[2];
  }
  [[nodiscard]] std::uint64_t blocks() const { return std::uint64_t{grid[0]} * grid[1] * grid[2]; }
  bool operator==(const LaunchShape&) const = default;
};

/// Memory that one pointer argument leads to, and what a launch did there.
struct KernelRegion {
  std::byte* host = nullptr;
  std::size_t bytes = 0;
  std::uint64_t loaded_bytes = 0;
  std::uint64_t stored_bytes = 0;
  std::uint64_t uncounted_loaded_bytes = 0;  ///< no traffic of the workload: constants, sums
  std::uint64_t uncounted_stored_bytes = 0;
  // Of a native kernel, which knows it:
  const std::byte* stored_at = nullptr;  ///< where its stores begin
  unsigned stored_element = 1;           ///< bytes of an element of them
  bool scattered = false;                ///< they leave gaps between them
};

/// A kernel that another library of this build brings: the matrix products of the simulated
/// cuBLASLt. Arguments hold host addresses, as those of run_kernel.
struct NativeKernel {
  /// Notes what a launch touches and computes nothing. Returns a CUresult: 700 when that is more
  /// than `regions` have.
  int (*plan)(void* const* arguments, std::vector<KernelRegion>& regions);
  /// After plan() had no objection.
  void (*compute)(void* const* arguments);
};

struct Kernel {
  std::string_view entry;
  std::vector<KernelParameter> parameters = {};
  unsigned max_block = 1024;
  Effect effect = Effect::pure;
  /// FLOP of a thread in one iteration, where that is known; iterations are parameter 2 (u32).
  double flop_per_iteration = 0;
  unsigned flop_bits = 32;    ///< of their type
  int passes_parameter = -1;  ///< index of the one (u32) that says how often; -1: once
  const void* engine = nullptr;
  const NativeKernel* native = nullptr;  ///< instead of an engine
};

/// Null when there is no such kernel. Good for the life of the process.
[[nodiscard]] const Kernel* find_kernel(std::string_view entry);

/// How a kernel ended that did not end well.
class KernelError : public std::runtime_error {
 public:
  KernelError(int code, const std::string& text) : std::runtime_error(text), code_(code) {}
  [[nodiscard]] int code() const { return code_; }  ///< CUresult

 private:
  int code_;
};

/// Runs on host memory: pointers among `arguments` are host pointers into `regions`, which do not
/// overlap. Throws KernelError.
void run_kernel(const Kernel& kernel, const LaunchShape& shape, void** arguments,
                std::vector<KernelRegion>& regions);

/// What kernels that read a clock get to see from now on.
void set_kernel_clock(std::uint64_t (*cycles)(), std::uint64_t (*nanoseconds)());

}  // namespace fakegpu
