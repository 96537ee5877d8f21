#include "backend/cuda/gpu_run.hpp"

#include <algorithm>

namespace roofline::cuda {

/// Runs `step` in a live context with the buffers in place. An error that ends the context makes it
/// anew, so that other points go on, and fails this one; one that ends the device is DeviceLost.
template <class Step>
auto GpuRun::guarded(Step&& step) {
  try {
    context().use();
    revive();
    return step();
  } catch (const CudaError& error) {
    if (!context().recover(error)) throw;
    throw backend::BackendError(std::string(error.what()) + "; the context on " + gpu_.device().id +
                                " was made anew for the points that follow");
  }
}

void GpuRun::revive() {
  if (made_ && generation_ == context().generation()) return;
  if (prepared_) ++revived_;
  generation_ = context().generation();
  made_ = false;
  make();
  made_ = true;
  prepared_ = true;
}

void GpuRun::prepare() {
  static_cast<void>(guarded([] { return true; }));
}

Sample GpuRun::time(std::uint64_t iterations) {
  return guarded([&] {
    Sample out = measure(iterations);
    if (const std::uint64_t errors = gpu_.monitor().new_memory_errors(); errors > 0) {
      throw backend::BackendError(
          std::to_string(errors) + " uncorrected memory errors (ECC) on " + gpu_.device().id +
          " while it was timed: neither its results nor its times can be trusted; nvidia-smi -q -d "
          "ECC tells where, and the driver's log why");
    }
    return out;
  });
}

Verification GpuRun::verify() {
  return guarded([&] { return check(); });
}

Facts GpuRun::facts() const {
  Facts out{{"provider", provider()}};
  for (Fact& fact : describe()) out.push_back(std::move(fact));
  if (revived_ > 0) out.push_back({"context_made_anew", revived_});
  for (Fact& fact : gpu_.telemetry()) out.push_back(std::move(fact));
  return out;
}

void fill(Gpu& gpu, CUdeviceptr address, DType dtype, std::uint64_t n, u64 seed,
          Distribution distribution, std::uint64_t offset) {
  constexpr unsigned kBlock = 256;
  const KernelEntry& kernel = kernel_named("fill_" + std::string(name(dtype)));
  const Grid grid{.x = blocks_for(gpu, n, kBlock, 4, 8), .block = kBlock};
  launch<Family::fill>(gpu.context(), kernel, grid, reinterpret_cast<void*>(address), n, seed,
                       offset, static_cast<u32>(distribution));
}

unsigned blocks_for(const Gpu& gpu, std::uint64_t n, unsigned block, unsigned per_thread,
                    unsigned per_sm) {
  const std::uint64_t tile = std::uint64_t{block} * per_thread;
  const std::uint64_t work = n / tile + (n % tile != 0 ? 1 : 0);
  const std::uint64_t device = std::uint64_t{gpu.sm_count()} * per_sm;
  return static_cast<unsigned>(std::clamp<std::uint64_t>(std::min(work, device), 1, 1U << 30U));
}

}  // namespace roofline::cuda
