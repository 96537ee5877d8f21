// Which streams a GPU can run, and with arrays of what size.
#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/stream_arrays.hpp"

namespace roofline::cuda {
namespace {

std::optional<backend::Unsupported> refuse(const Stream& stream) {
  const std::string type(name(stream.dtype));
  if (stream.level == Boundary::link) {
    return backend::Unsupported{
        "a stream's arrays lie in the GPU's own memory; copies over the link are transfers "
        "(bandwidth --level link)"};
  }
  if (stream.level != Boundary::dram && stream.level != Boundary::l2) {
    return backend::Unsupported{"a GPU's streams measure dram and l2, not " +
                                std::string(name(stream.level))};
  }
  if (storage_bits(stream.dtype) % 8 != 0) {
    return backend::Unsupported{
        type + " is stored in parts of a byte; use int8 to move the same kind of data"};
  }
  const bool arithmetic = stream.dtype == DType::fp32 || stream.dtype == DType::fp64;
  if (!arithmetic && !moves_bits_only(stream.kind)) {
    return backend::Unsupported{
        std::string(name(stream.kind)) +
        " computes, and the stream kernels compute in fp32 and fp64 only; read, write and copy "
        "work for " +
        type};
  }
  return std::nullopt;
}

}  // namespace

Support support_stream(const Stream& stream, Gpu& gpu) {
  if (auto refused = refuse(stream)) return *refused;
  Stream out = stream;
  out.write_allocate = false;
  if (out.elements == 0) {
    out.elements = own_elements(stream, gpu.sizes());
    if (out.elements == 0)
      return backend::Unsupported{"there is no memory left on " + gpu.device().id +
                                  " for even a page per array"};
    return Workload{out};
  }
  if (array_bytes(out) % 4 != 0) {
    return backend::Unsupported{
        "its arrays are moved in words of 4 bytes; use a number of elements "
        "that fills them"};
  }
  if (out.level == Boundary::dram && level_of(set_bytes(out), gpu.l2_bytes()) == "l2")
    out.level = Boundary::l2;
  const std::uint64_t each =
      std::uint64_t{arrays_of(out.kind).count()} * (storage_bits(out.dtype) / 8);
  if (auto refused =
          too_large(gpu, static_cast<double>(out.elements) * static_cast<double>(each),
                    "use at most " + std::to_string(gpu.memory_budget() / each) + " elements")) {
    return *refused;
  }
  return Workload{out};
}

}  // namespace roofline::cuda
