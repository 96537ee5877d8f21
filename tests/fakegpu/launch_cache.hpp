// Which launches need not be executed again because nothing they depend on, or wrote, has changed
// since. The time they take is not its concern.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernel_library.hpp"

namespace fakegpu {

struct LaunchResult {
  std::vector<KernelRegion> regions = {};
  /// Address and version of each region's allocation afterwards.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> versions = {};
};

class LaunchCache {
 public:
  /// Names the launch: kernel, shape, and the values of all arguments.
  [[nodiscard]] static std::string key(const Kernel& kernel, const LaunchShape& shape,
                                       const std::vector<std::vector<std::byte>>& arguments);

  [[nodiscard]] const LaunchResult* find(const std::string& key) const;
  void keep(const std::string& key, LaunchResult result);
  void forget() { results_.clear(); }

 private:
  std::map<std::string, LaunchResult> results_;
};

}  // namespace fakegpu
