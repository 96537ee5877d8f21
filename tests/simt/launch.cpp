#include "simt/launch.hpp"

#include <array>
#include <atomic>

#include "simt/block.hpp"

namespace simt {
namespace {

// Limits of every GPU from compute capability 7.0 on; shared memory is 9.0's. (CUDA programming
// guide, technical specifications per compute capability.)
constexpr unsigned kMaxThreads = 1024;
constexpr unsigned kMaxBlockZ = 64;
constexpr unsigned kMaxGridX = 0x7FFFFFFF;
constexpr unsigned kMaxGridYZ = 65535;
constexpr std::size_t kMaxShared = std::size_t{227} * 1024;

bool within(unsigned value, unsigned most) { return value >= 1 && value <= most; }

std::string text_of(const Extent& e) {
  return std::to_string(e.x) + "x" + std::to_string(e.y) + "x" + std::to_string(e.z);
}

void check(const Launch& launch) {
  const Extent& g = launch.grid;
  const Extent& b = launch.block;
  if (!within(g.x, kMaxGridX) || !within(g.y, kMaxGridYZ) || !within(g.z, kMaxGridYZ)) {
    throw Error(Cause::configuration, "no device runs a grid of " + text_of(g) + " blocks");
  }
  if (!within(b.x, kMaxThreads) || !within(b.y, kMaxThreads) || !within(b.z, kMaxBlockZ) ||
      std::size_t{b.x} * b.y * b.z > kMaxThreads) {
    throw Error(Cause::configuration, "no device runs a block of " + text_of(b) + " threads");
  }
  if (launch.shared > kMaxShared) {
    throw Error(Cause::configuration, "no device has " + std::to_string(launch.shared) +
                                          " bytes of shared memory for a block");
  }
}

std::atomic<std::uint64_t (*)()> cycles_hook = nullptr;
std::atomic<std::uint64_t (*)()> nanoseconds_hook = nullptr;

std::uint64_t tick(std::uint64_t (*hook)()) {
  static std::atomic<std::uint64_t> time = 0;
  constexpr std::uint64_t step = 1000;  // ns, and cycles of 1 GHz
  return hook != nullptr ? hook() : time += step;
}

}  // namespace

Stats launch(const Launch& launch, const std::function<void()>& kernel) {
  check(launch);
  if (launch.memory != nullptr) launch.memory->begin_launch();
  Block block(launch, kernel);
  const Extent& g = launch.grid;
  const std::uint64_t blocks = std::uint64_t{g.x} * g.y * g.z;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const std::uint64_t number = launch.order == Order::forward ? i : blocks - 1 - i;
    block.run({static_cast<unsigned>(number % g.x), static_cast<unsigned>(number / g.x % g.y),
               static_cast<unsigned>(number / g.x / g.y)},
              number);
  }
  return block.stats();
}

bool watched_by_tsan() {
#if defined(ROOFLINE_SIMT_TSAN)
  return true;
#else
  return false;
#endif
}

void set_device_clock(std::uint64_t (*cycles)(), std::uint64_t (*nanoseconds)()) {
  cycles_hook = cycles;
  nanoseconds_hook = nanoseconds;
}

std::uint64_t device_cycles() { return tick(cycles_hook); }
std::uint64_t device_nanoseconds() { return tick(nanoseconds_hook); }

}  // namespace simt
