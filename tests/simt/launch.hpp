// The host's side of the SIMT emulator: what a launch is, what it counted, and how it fails. Blocks
// run one after the other on the calling thread, and every CUDA thread of a block is a fiber. Knows
// no kernel of ours; what kernels see of it is simt.hpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>

namespace simt {

class Memory;

struct Extent {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
};

/// The turns that lanes, warps and blocks take. A correct kernel cannot tell the two apart; one
/// that lacks a barrier mostly can.
enum class Order { forward, backward };

struct Launch {
  Extent grid = {};
  Extent block = {};
  std::size_t shared = 0;  ///< bytes of dynamic shared memory per block
  Memory* memory =
      nullptr;  ///< what may be touched; null: anything, and nothing is kept per region
  Order order = Order::forward;
  bool sectors = false;  ///< count requests and sectors too; slow
};

/// Of a whole launch. Bytes are those of the load and store functions of simt.hpp, in global
/// memory.
struct Stats {
  std::uint64_t loaded_bytes = 0;
  std::uint64_t stored_bytes = 0;
  // One request is the n-th load (or store) of the threads of one warp; sectors are its 32-byte
  // pieces of memory. Exact where the lanes of a warp do not part.
  std::uint64_t load_requests = 0;
  std::uint64_t load_sectors = 0;
  std::uint64_t store_requests = 0;
  std::uint64_t store_sectors = 0;
  std::uint64_t barriers = 0;     ///< __syncthreads, each once per block
  std::uint64_t collectives = 0;  ///< shuffles, votes, __syncwarp, each once per group of lanes
};

enum class Cause {
  configuration,       ///< the launch itself is impossible
  barrier,             ///< __syncthreads that not all threads of the block meet at
  warp,                ///< a collective called wrongly, or with undefined result
  deadlock,            ///< nobody can go on
  illegal_address,     ///< outside of Launch::memory, or a store to what is read-only
  misaligned_address,  ///< an address that is no multiple of the size of the access
  conflict,            ///< two blocks touch a byte, one of them by a store
  kernel,              ///< the kernel threw
};

/// The text names block, thread and what it did.
class Error : public std::runtime_error {
 public:
  Error(Cause cause, const std::string& text) : std::runtime_error(text), cause_(cause) {}
  [[nodiscard]] Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// Calls `kernel` once as every thread of the grid. Throws Error for the first fault, when every
/// thread of that block has been unwound and no later block has begun. Not from within a kernel.
Stats launch(const Launch& launch, const std::function<void()>& kernel);

/// Whether ThreadSanitizer watches kernels: sizes are better small then.
[[nodiscard]] bool watched_by_tsan();

/// What clock64() and the nanosecond timer of kernels return, for all threads of the program. Null:
/// every call is a microsecond later than the last, on a clock of 1 GHz.
void set_device_clock(std::uint64_t (*cycles)(), std::uint64_t (*nanoseconds)());

}  // namespace simt
