#include "launch_cache.hpp"

namespace fakegpu {
namespace {

// Sweeps over many shapes launch many kernels once; what they left is of no use to later ones.
constexpr std::size_t kMost = 4096;

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

std::string LaunchCache::key(const Kernel& kernel, const LaunchShape& shape,
                             const std::vector<std::vector<std::byte>>& arguments) {
  std::string out(kernel.entry);
  append(out, shape);
  for (const auto& argument : arguments) {
    out.append(reinterpret_cast<const char*>(argument.data()), argument.size());
  }
  return out;
}

const LaunchResult* LaunchCache::find(const std::string& key) const {
  const auto found = results_.find(key);
  return found == results_.end() ? nullptr : &found->second;
}

void LaunchCache::keep(const std::string& key, LaunchResult result) {
  if (results_.size() >= kMost) results_.clear();
  results_[key] = std::move(result);
}

}  // namespace fakegpu
