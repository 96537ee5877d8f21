#include "backend/cuda/sizing.hpp"

#include <algorithm>

namespace roofline::cuda {
namespace {

constexpr std::uint64_t kDramFactor = 16;
constexpr std::uint64_t kOutsideFactor = 8;
constexpr std::uint64_t kRotationFactor = 5;
constexpr double kLongKernel_s = 0.5e-3;
constexpr std::uint64_t kMostSets = 1024;

}  // namespace

std::uint64_t dram_set_bytes(const DeviceSizes& sizes) {
  const auto half_millisecond =
      static_cast<std::uint64_t>(kLongKernel_s * std::max(0.0, sizes.bandwidth_byte_per_s));
  const std::uint64_t wanted = std::max(kDramFactor * sizes.l2_bytes, half_millisecond);
  return std::min(wanted, sizes.free_bytes / 4);
}

std::uint64_t l2_set_bytes(const DeviceSizes& sizes) { return sizes.l2_bytes / 4; }

std::string level_of(std::uint64_t set_bytes, std::uint64_t l2_bytes) {
  // A set that is rounded to whole steps is no other for it.
  if (set_bytes + set_bytes / 100 >= kOutsideFactor * l2_bytes) return "dram";
  if (set_bytes <= l2_bytes / 2) return "l2";
  return "between l2 and dram";
}

std::uint64_t rotation_bytes(std::uint64_t l2_bytes) { return kRotationFactor * l2_bytes; }

std::uint64_t rotation_sets(std::uint64_t bytes, std::uint64_t l2_bytes, std::uint64_t room) {
  if (bytes == 0) return 1;
  const std::uint64_t wanted = rotation_bytes(l2_bytes);
  const std::uint64_t sets = wanted / bytes + (wanted % bytes != 0 ? 1 : 0);
  return std::max<std::uint64_t>(1, std::min({sets, room / bytes, kMostSets}));
}

std::uint64_t graph_iterations(std::uint64_t sets) {
  constexpr std::uint64_t kLongGraph = 256;
  const std::uint64_t rounds = (kLongGraph + sets - 1) / std::max<std::uint64_t>(1, sets);
  return sets * std::max<std::uint64_t>(1, rounds);
}

std::uint64_t elements_of(std::uint64_t set_bytes, std::uint64_t arrays,
                          std::uint64_t element_bytes) {
  constexpr std::uint64_t kStep = 4096;
  const std::uint64_t each = set_bytes / std::max<std::uint64_t>(1, arrays);
  return each / kStep * kStep / std::max<std::uint64_t>(1, element_bytes);
}

}  // namespace roofline::cuda
