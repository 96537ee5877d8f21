#include "backend/cuda/results.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/cuda/random_reference.hpp"

namespace roofline::cuda {
namespace {

constexpr std::uint64_t kSlice = std::uint64_t{8} << 20;  ///< byte, a multiple of every element
constexpr std::uint64_t kCheckBlock = 4096;               ///< elements that are checked together
constexpr std::uint64_t kMostBlocks = 64;

template <class T>
T load(const std::byte* array, std::uint64_t index) {
  T value;
  std::memcpy(&value, array + index * sizeof(T), sizeof(T));
  return value;
}

/// The normal distribution's logarithm and sines may differ in the last place of fp32.
double fill_bound(double expected, Distribution distribution) {
  return distribution == Distribution::normal ? 1e-6 * (1 + std::fabs(expected)) : 0;
}

}  // namespace

void each_slice(Gpu& gpu, const std::vector<const Buffer*>& arrays, std::uint64_t bytes,
                const std::function<void(std::uint64_t offset, const Slices&)>& take) {
  const std::span<std::byte> staging = gpu.staging(kSlice * arrays.size());
  for (std::uint64_t offset = 0; offset < bytes; offset += kSlice) {
    const std::uint64_t size = std::min(kSlice, bytes - offset);
    Slices slices;
    for (std::size_t i = 0; i < arrays.size(); ++i) {
      if (arrays[i]->bytes() == 0) {
        slices.emplace_back();
        continue;
      }
      const std::span<std::byte> to = staging.subspan(i * kSlice, size);
      arrays[i]->copy_to(offset, to);
      slices.emplace_back(to);
    }
    take(offset, slices);
  }
}

backend::Comparison check_filled(Gpu& gpu, const Buffer& array, DType dtype, std::uint64_t n,
                                 u64 seed, Distribution distribution) {
  backend::Comparison out;
  const std::uint64_t blocks = (n + kCheckBlock - 1) / kCheckBlock;
  const std::uint64_t checked = std::min(blocks, kMostBlocks);
  const std::span<std::byte> host = gpu.staging(kCheckBlock * 8);
  for (std::uint64_t b = 0; b < checked; ++b) {
    // The first, the last, and the others spread between.
    const std::uint64_t block = checked == 1 ? 0 : b * (blocks - 1) / (checked - 1);
    const std::uint64_t first = block * kCheckBlock;
    const std::uint64_t count = std::min(kCheckBlock, n - first);
    const std::uint64_t bits = storage_bits(dtype);
    array.copy_to(first * bits / 8, host.subspan(0, (count * bits + 7) / 8));
    for (std::uint64_t i = 0; i < count; ++i) {
      const double expected = reference(dtype, seed, first + i, distribution);
      out.add(first + i, element(host.data(), dtype, i), expected,
              fill_bound(expected, distribution));
    }
  }
  return out;
}

double reference(DType dtype, u64 seed, std::uint64_t index, Distribution distribution) {
  switch (dtype) {
    case DType::fp64:
      return random_fp64(seed, index, distribution);
    case DType::fp32:
      return static_cast<double>(random_fp32(seed, index, distribution));
    case DType::fp16:
      return static_cast<double>(to_float(random_fp16(seed, index, distribution)));
    case DType::bf16:
      return static_cast<double>(to_float(random_bf16(seed, index, distribution)));
    case DType::tf32:
      return static_cast<double>(std::bit_cast<float>(random_tf32(seed, index, distribution).bits));
    case DType::fp8_e4m3:
      return static_cast<double>(to_float(random_e4m3(seed, index, distribution)));
    case DType::fp8_e5m2:
      return static_cast<double>(to_float(random_e5m2(seed, index, distribution)));
    case DType::int32:
      return random_int32(seed, index, distribution);
    case DType::int8:
      return random_int8(seed, index, distribution);
    case DType::int4:
      return random_int4(seed, index, distribution);
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

double element(const std::byte* array, DType dtype, std::uint64_t index) {
  switch (dtype) {
    case DType::fp64:
      return load<double>(array, index);
    case DType::fp32:
    case DType::tf32:
      return static_cast<double>(load<float>(array, index));
    case DType::fp16:
      return static_cast<double>(to_float(Half{load<std::uint16_t>(array, index)}));
    case DType::bf16:
      return static_cast<double>(to_float(Bf16{load<std::uint16_t>(array, index)}));
    case DType::int32:
      return load<std::int32_t>(array, index);
    case DType::int8:
      return load<std::int8_t>(array, index);
    case DType::int4: {
      const auto pair = std::to_integer<unsigned>(array[index / 2]);
      return static_cast<int>(index % 2 == 0 ? pair & 15U : pair >> 4U) - 8;
    }
    default:
      return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace roofline::cuda
