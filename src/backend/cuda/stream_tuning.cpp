#include "backend/cuda/stream_tuning.hpp"

#include <algorithm>
#include <array>

#include "backend/cuda/timing.hpp"

namespace roofline::cuda {
namespace {

/// Blocks of a grid are this many times what runs at once: whole waves end together.
struct Geometry {
  unsigned block;
  unsigned waves;
};
constexpr Geometry kFirst{512, 1};
constexpr std::array<Geometry, 3> kOthers{{{256, 1}, {1024, 1}, {512, 4}}};

std::string stem_of(StreamKind kind, DType dtype) {
  return "stream_" + std::string(name(kind)) + "_" + std::string(name(dtype)) + "_u";
}

bool bypasses_l1(const KernelEntry& kernel) { return kernel.name.ends_with("_cg"); }

unsigned resident_blocks(Gpu& gpu, const KernelEntry& kernel, unsigned block) {
  const int threads = gpu.reading().threads_per_sm > 0 ? gpu.reading().threads_per_sm : 1024;
  const unsigned otherwise = std::max(1U, static_cast<unsigned>(threads) / block);
  return kernel.family == Family::stream_fp64
             ? blocks_per_sm<Family::stream_fp64>(gpu.context(), kernel, block, 0, otherwise)
             : blocks_per_sm<Family::stream_fp32>(gpu.context(), kernel, block, 0, otherwise);
}

Grid grid_of(Gpu& gpu, const KernelEntry& kernel, const Geometry& geometry, std::uint64_t bytes) {
  const unsigned block = std::min(geometry.block, static_cast<unsigned>(kernel.max_block));
  const std::uint64_t resident =
      std::uint64_t{gpu.sm_count()} * resident_blocks(gpu, kernel, block) * geometry.waves;
  // A thread takes 16 bytes at a time.
  const std::uint64_t work = (bytes / 16 + block - 1) / block;
  return {.x = static_cast<unsigned>(
              std::clamp<std::uint64_t>(std::min(resident, work), 1, kMostStreamBlocks)),
          .block = block};
}

class Tuning {
 public:
  Tuning(Gpu& gpu, const Stream& stream, const StreamData& data)
      : gpu_(gpu), stream_(stream), data_(data) {
    const std::uint64_t whole = element_bytes() * stream.elements;
    // A part of the arrays is enough to choose by, as long as it's far beyond L2.
    const std::uint64_t enough = 8 * gpu.l2_bytes() / arrays_of(stream.kind).count();
    bytes_ = stream.level == Boundary::dram ? std::min(whole, std::max(enough, kLeast)) : whole;
  }

  StreamShape best() {
    const auto kernels = stream_kernels(stream_.kind, kernel_type(stream_), stream_.level);
    if (kernels.empty()) {
      throw backend::BackendError("this build has no kernel for " +
                                  std::string(name(stream_.kind)) + " streams of " +
                                  std::string(name(stream_.dtype)));
    }
    for (const KernelEntry* const kernel : kernels) consider(*kernel, kFirst);
    const KernelEntry& chosen = *best_.kernel;
    for (const Geometry& geometry : kOthers) consider(chosen, geometry);
    return best_;
  }

 private:
  static constexpr std::uint64_t kLeast = std::uint64_t{32} << 20;

  [[nodiscard]] std::uint64_t element_bytes() const { return storage_bits(stream_.dtype) / 8; }

  void consider(const KernelEntry& kernel, const Geometry& geometry) {
    const Grid grid = grid_of(gpu_, kernel, geometry, bytes_);
    if (best_.kernel == &kernel && best_.grid.x == grid.x && best_.grid.block == grid.block) return;
    StreamPass pass{.dtype = kernel_type(stream_), .passes = passes()};
    pass.elements = bytes_ / (storage_bits(pass.dtype) / 8);
    pass.factor = stream_.kind == StreamKind::update ? kTimedUpdateFactor : kStreamFactor;
    Timer timer(
        gpu_, {.enqueue =
                   [&](std::uint64_t) { launch_stream(gpu_.context(), kernel, grid, data_, pass); },
               .replay = TimedWork::Replay::never});
    static_cast<void>(timer.time(1));
    std::array<double, 3> times{};
    for (double& time : times) time = in_second(timer.time(1).duration);
    std::sort(times.begin(), times.end());
    ++best_.tried;
    if (best_.kernel != nullptr && times[1] >= best_time_) return;
    best_time_ = times[1];
    best_.kernel = &kernel;
    best_.grid = grid;
  }

  /// A set in L2 is passed over often enough that the launch itself doesn't count.
  [[nodiscard]] u32 passes() const { return stream_.level == Boundary::dram ? 1 : 32; }

  Gpu& gpu_;
  const Stream& stream_;
  const StreamData& data_;
  std::uint64_t bytes_ = 0;  ///< of each array
  StreamShape best_;
  double best_time_ = 0;
};

/// The grid of another size of arrays.
void resize(Gpu& gpu, StreamShape& shape, std::uint64_t bytes) {
  const unsigned resident = gpu.sm_count() * resident_blocks(gpu, *shape.kernel, shape.grid.block);
  const unsigned waves = std::max(1U, shape.grid.x / std::max(1U, resident));
  shape.grid = grid_of(gpu, *shape.kernel, {shape.grid.block, waves}, bytes);
}

}  // namespace

std::vector<const KernelEntry*> stream_kernels(StreamKind kind, DType dtype, Boundary level) {
  const std::string stem = stem_of(kind, dtype);
  std::vector<const KernelEntry*> through;
  std::vector<const KernelEntry*> around;
  for (const KernelEntry& kernel : kKernels) {
    if (kernel.name.starts_with(stem)) (bypasses_l1(kernel) ? around : through).push_back(&kernel);
  }
  return level == Boundary::l2 && !around.empty() ? around : through;
}

StreamShape tuned_shape(Gpu& gpu, const Stream& stream, const StreamData& data) {
  const std::string key = gpu.device().name + "/" + std::string(name(stream.kind)) + "/" +
                          std::string(name(kernel_type(stream))) + "/" +
                          std::string(name(stream.level));
  StreamShapes& known = gpu.stream_shapes();
  auto found = known.find(key);
  if (found == known.end()) found = known.emplace(key, Tuning(gpu, stream, data).best()).first;
  StreamShape shape = found->second;
  resize(gpu, shape, stream.elements * (storage_bits(stream.dtype) / 8));
  return shape;
}

}  // namespace roofline::cuda
