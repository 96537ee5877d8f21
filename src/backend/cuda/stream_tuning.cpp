#include "backend/cuda/stream_tuning.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "backend/cuda/timing.hpp"

namespace roofline::cuda {
namespace {

std::span<const StreamShape> shapes_for(const Stream& stream) {
  return stream.level == Boundary::l2 ? stream_shapes_l2() : stream_shapes();
}

unsigned resident_blocks(Gpu& gpu, const KernelEntry& kernel, unsigned block) {
  const int threads = gpu.reading().threads_per_sm > 0 ? gpu.reading().threads_per_sm : 1024;
  const unsigned otherwise = std::max(1U, static_cast<unsigned>(threads) / block);
  const unsigned per_sm =
      kernel.family == Family::stream_fp64
          ? blocks_per_sm<Family::stream_fp64>(gpu.context(), kernel, block, 0, otherwise)
          : blocks_per_sm<Family::stream_fp32>(gpu.context(), kernel, block, 0, otherwise);
  return gpu.sm_count() * per_sm;
}

TunedStream with_grid(Gpu& gpu, const Stream& stream, const StreamShape& shape,
                      std::uint64_t bytes) {
  const DType type = kernel_type(stream);
  TunedStream out;
  out.shape = shape;
  out.kernel = &kernel_named(stream_kernel_name(name(stream.kind), name(type), shape));
  const u32 element = storage_bits(type) / 8;
  out.grid.block = shape.block;
  out.grid.x =
      stream_grid(shape, bytes / element, element, resident_blocks(gpu, *out.kernel, shape.block));
  return out;
}

/// Median of three, after one that nobody looks at.
double time_of(Gpu& gpu, const Stream& stream, const StreamData& data, const TunedStream& tried,
               std::uint64_t bytes) {
  // A set in L2 is passed over often enough that the launch itself doesn't count.
  constexpr u32 kPassesInL2 = 32;
  const DType type = kernel_type(stream);
  const StreamPass pass{
      .dtype = type,
      .elements = bytes / (storage_bits(type) / 8),
      .factor = stream.kind == StreamKind::update ? kTimedUpdateFactor : kStreamFactor,
      .passes = stream.level == Boundary::dram ? 1 : kPassesInL2};
  Timer timer(gpu, {.enqueue =
                        [&](std::uint64_t) {
                          launch_stream(gpu.context(), *tried.kernel, tried.grid, data, pass);
                        },
                    .replay = TimedWork::Replay::never});
  static_cast<void>(timer.time(1));
  std::array<double, 3> times{};
  for (double& time : times) time = in_second(timer.time(1).duration);
  std::sort(times.begin(), times.end());
  return times[1];
}

StreamShape tune(Gpu& gpu, const Stream& stream, const StreamData& data) {
  // A part of the arrays is enough to choose by, as long as it's far beyond L2.
  constexpr std::uint64_t kLeast = std::uint64_t{32} << 20U;
  const std::uint64_t enough = 8 * gpu.l2_bytes() / arrays_of(stream.kind).count() / 4096 * 4096;
  const std::uint64_t bytes = stream.level == Boundary::dram
                                  ? std::min(array_bytes(stream), std::max(enough, kLeast))
                                  : array_bytes(stream);
  const StreamShape* best = nullptr;
  double best_s = 0;
  for (const StreamShape& shape : shapes_for(stream)) {
    const double took = time_of(gpu, stream, data, with_grid(gpu, stream, shape, bytes), bytes);
    if (best != nullptr && took >= best_s) continue;
    best = &shape;
    best_s = took;
  }
  return *best;
}

}  // namespace

std::uint64_t most_blocks(Gpu& gpu, const Stream& stream) {
  std::uint64_t most = 1;
  for (const StreamShape& shape : shapes_for(stream)) {
    most = std::max<std::uint64_t>(most, with_grid(gpu, stream, shape, array_bytes(stream)).grid.x);
  }
  return most;
}

TunedStream tuned_stream(Gpu& gpu, const Stream& stream, const StreamData& data) {
  const std::string key = gpu.device().name + "/" + std::string(name(stream.kind)) + "/" +
                          std::string(name(kernel_type(stream))) + "/" +
                          std::string(name(stream.level));
  StreamShapes& known = gpu.stream_shapes();
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, tune(gpu, stream, data)).first;
  return with_grid(gpu, stream, found->second, array_bytes(stream));
}

}  // namespace roofline::cuda
