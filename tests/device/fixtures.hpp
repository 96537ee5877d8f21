// What this device and driver answer, as data that the fake driver of the tests can be held
// against: every attribute, what the driver says of each kernel, and the steps in which events tell
// time.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "backend/cuda/context.hpp"

namespace roofline::selftest {

/// CUdevice_attribute to value; those that the driver doesn't know are absent.
[[nodiscard]] std::map<int, int> device_attributes(cuda::Context& context, int index);

struct KernelFacts {
  int registers = 0;
  int local_bytes = 0;  ///< per thread: spilled registers, and arrays that are indexed
  int shared_bytes = 0;
  int max_block = 0;
  int binary_version = 0;
  int ptx_version = 0;
};
/// Nothing where the kernel was never launched.
[[nodiscard]] std::optional<KernelFacts> kernel_facts(cuda::Context& context,
                                                      const cuda::KernelEntry& kernel);

struct EventSteps {
  std::vector<double> nothing_s;  ///< between two events with nothing between them
  std::vector<double> spins_s;    ///< around spins, each 37 ns longer than the one before
  std::optional<double> step_s;   ///< the smallest difference between two different times
};
[[nodiscard]] EventSteps event_steps(cuda::Context& context);

}  // namespace roofline::selftest
