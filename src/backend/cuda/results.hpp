// Results and operands as they come back from the device: in slices, compared on the host.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "backend/comparison.hpp"
#include "backend/cuda/gpu.hpp"
#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

/// The same slice of several arrays, in host memory.
using Slices = std::vector<std::span<const std::byte>>;

/// Copies `bytes` of every array back slice by slice and hands each over with its offset. Arrays
/// of no bytes give empty slices.
void each_slice(Gpu& gpu, const std::vector<const Buffer*>& arrays, std::uint64_t bytes,
                const std::function<void(std::uint64_t offset, const Slices&)>& take);

/// Compares elements of a filled array with what the generator gives for them on the host: blocks
/// of elements from end to end. What kernels computed from operands that are wrong, or that they
/// have spoilt, proves nothing.
[[nodiscard]] backend::Comparison check_filled(Gpu& gpu, const Buffer& array, DType dtype,
                                               std::uint64_t n, u64 seed,
                                               Distribution distribution = Distribution::uniform);

/// Element `index` of the stream `seed` as `dtype` holds it.
[[nodiscard]] double reference(DType dtype, u64 seed, std::uint64_t index,
                               Distribution distribution = Distribution::uniform);

/// Element of an array in host memory; what products are written in, and int8 and int4.
[[nodiscard]] double element(const std::byte* array, DType dtype, std::uint64_t index);

}  // namespace roofline::cuda
