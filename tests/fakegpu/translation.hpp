// Arguments of a launch as the kernel's engine wants them: device addresses become host addresses,
// where the parameter is a pointer. Knows no time and runs nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "driver.hpp"
#include "kernel_library.hpp"

namespace fakegpu {

struct LaunchRequest {
  const Kernel* kernel = nullptr;
  LaunchShape shape = {};
  std::vector<std::vector<std::byte>> arguments = {};  ///< copies, as the caller gave them
  bool first = false;                                  ///< of this function
  double sm_clocks = 0;    ///< of a native kernel: what it takes at least
  double busy_clocks = 0;  ///< what would be enough for its FLOP alone
  bool wrong = false;      ///< the scenario wants a wrong result
};

/// What one or several pointer arguments lead to.
struct Operand {
  Allocation* allocation = nullptr;  ///< null: page-locked host memory
  std::uint64_t address = 0;         ///< the lowest of the arguments
  bool alone = true;                 ///< no other argument leads there
};

/// Where a launch began to write what `operand` leads to.
[[nodiscard]] std::uint64_t stored_address(const Operand& operand, const KernelRegion& region);

struct Translated {
  std::vector<std::vector<std::byte>> arguments;
  std::vector<Operand> operands;
  std::vector<KernelRegion> regions;  ///< of the operands

  /// The host's memory is among them, and may be looked at any time.
  [[nodiscard]] bool reaches_host() const;
};

/// Nothing when a pointer leads into no live allocation of this device.
[[nodiscard]] std::optional<Translated> translate(Driver& all, const Device& device,
                                                  const LaunchRequest& request);

/// The launch with what its regions say was read and written.
[[nodiscard]] PendingLaunch pending_of(const LaunchRequest& request, const Translated& translated);

}  // namespace fakegpu
