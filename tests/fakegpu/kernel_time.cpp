#include "kernel_time.hpp"

#include <algorithm>
#include <cstring>

namespace fakegpu {
namespace {

KernelTimer* active = nullptr;  // one kernel at a time

// What a look at a clock takes. The longer a kernel has waited, the longer it waits before it looks
// again, so that long waits need few looks.
constexpr double kCycleLook = 2e-9;
constexpr double kNanosecondLook = 20e-9;
constexpr double kLookShare = 1e-3;

/// Iterations are the third parameter of every kernel that has a known number of FLOP.
double iterations_of(const LaunchRequest& request) {
  constexpr std::size_t index = 2;
  std::uint32_t iterations = 0;
  if (request.arguments.size() <= index) return 0;
  std::memcpy(&iterations, request.arguments[index].data(), sizeof(iterations));
  return iterations;
}

}  // namespace

KernelTimer::KernelTimer(Device& device, double start) : device_(&device), start_(start) {
  active = this;
  set_kernel_clock(cycles, nanoseconds);
}

KernelTimer::~KernelTimer() { active = nullptr; }

std::uint64_t KernelTimer::cycles() {
  if (active == nullptr) return 0;
  active->pass(kCycleLook);
  return active->device_->cycles(active->inside_);
}

std::uint64_t KernelTimer::nanoseconds() {
  if (active == nullptr) return 0;
  active->pass(kNanosecondLook + active->inside_ * kLookShare);
  const std::uint64_t tick = active->device_->model().clock_tick_ns;
  return static_cast<std::uint64_t>((active->start_ + active->inside_) * 1e9) / tick * tick;
}

double KernelTimer::duration(const LaunchRequest& request, const std::vector<Footprint>& footprints,
                             double overhead) const {
  KernelWork work;
  std::uint64_t set = 0;
  std::uint64_t again = 0;  // bytes of later passes over the same set
  double over_link = 0;
  for (const Footprint& print : footprints) {
    const std::uint64_t touched = print.loaded_bytes + print.stored_bytes;
    if (!print.on_device) {
      over_link += static_cast<double>(touched) / device_->model().pinned_bandwidth;
      continue;
    }
    const std::uint64_t extent = std::min(touched, print.bytes);
    work.loaded_bytes += print.loaded_bytes;
    work.stored_bytes += print.stored_bytes;
    work.cached_bytes += device_->l2.touch(print.address, extent);
    set += extent;
    again += touched - extent;
  }
  if (set <= device_->l2.capacity()) work.cached_bytes += again;
  work.flop = request.kernel->flop_per_iteration * iterations_of(request) *
              static_cast<double>(request.shape.blocks() * request.shape.threads_per_block());
  work.flop_bits = request.kernel->flop_bits;
  work.sm_clocks = request.sm_clocks;
  const double moving = std::max(device_->duration(work, request.shape), over_link);
  // A kernel that watches the clock ends by it, whatever disturbs others.
  return std::max(device_->disturbed(overhead + moving), overhead + inside_);
}

}  // namespace fakegpu
