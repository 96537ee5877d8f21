#include "backend/cuda/stream_arrays.hpp"

namespace roofline::cuda {

StreamArrays arrays_of(StreamKind kind) {
  switch (kind) {
    case StreamKind::read:
      return {.b = true};
    case StreamKind::write:
    case StreamKind::update:
      return {.a = true};
    case StreamKind::copy:
    case StreamKind::scale:
      return {.a = true, .b = true};
    case StreamKind::add:
    case StreamKind::triad:
      break;
  }
  return {.a = true, .b = true, .c = true};
}

bool moves_bits_only(StreamKind kind) {
  return kind == StreamKind::read || kind == StreamKind::write || kind == StreamKind::copy;
}

DType kernel_type(const Stream& stream) {
  return stream.dtype == DType::fp64 ? DType::fp64 : DType::fp32;
}

std::uint64_t array_bytes(const Stream& stream) {
  return stream.elements * (storage_bits(stream.dtype) / 8);
}

std::uint64_t set_bytes(const Stream& stream) {
  return array_bytes(stream) * arrays_of(stream.kind).count();
}

std::uint64_t own_elements(const Stream& stream, const DeviceSizes& sizes) {
  const std::uint64_t set =
      stream.level == Boundary::dram ? dram_set_bytes(sizes) : l2_set_bytes(sizes);
  return elements_of(set, arrays_of(stream.kind).count(), storage_bits(stream.dtype) / 8);
}

void launch_stream(Context& context, const KernelEntry& kernel, const Grid& grid,
                   const StreamData& data, const StreamPass& pass) {
  u64* const sums = data.sums.as<u64>();
  if (pass.dtype == DType::fp64) {
    launch<Family::stream_fp64>(context, kernel, grid, data.a.as<double>(), data.b.as<double>(),
                                data.c.as<double>(), pass.factor, pass.elements, pass.passes, sums);
  } else {
    launch<Family::stream_fp32>(context, kernel, grid, data.a.as<float>(), data.b.as<float>(),
                                data.c.as<float>(), static_cast<float>(pass.factor), pass.elements,
                                pass.passes, sums);
  }
}

}  // namespace roofline::cuda
