// How long a launch takes, and what a kernel that reads its clock sees meanwhile.
#pragma once

#include <cstdint>
#include <vector>

#include "device.hpp"
#include "translation.hpp"

namespace fakegpu {

/// What a kernel did in the memory behind its pointers.
struct Footprint {
  bool on_device = true;  ///< false: page-locked host memory, behind the link
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  ///< from there to the end of the allocation
  std::uint64_t loaded_bytes = 0;
  std::uint64_t stored_bytes = 0;
};

/// While it lives, kernels see the clock of `device`, from `start` s on. Their time passes with
/// every look at it.
class KernelTimer {
 public:
  KernelTimer(Device& device, double start);
  ~KernelTimer();
  KernelTimer(const KernelTimer&) = delete;
  KernelTimer& operator=(const KernelTimer&) = delete;

  /// s of the kernel that ran since, with the `overhead` of its launch.
  [[nodiscard]] double duration(const LaunchRequest& request,
                                const std::vector<Footprint>& footprints, double overhead) const;

 private:
  static std::uint64_t cycles();
  static std::uint64_t nanoseconds();
  void pass(double look) { inside_ += look; }

  Device* device_;
  double start_;
  double inside_ = 0;
};

}  // namespace fakegpu
