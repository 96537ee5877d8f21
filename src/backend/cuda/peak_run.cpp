// Chains of FMA in registers, which show what the ordinary units of the GPU compute.
#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/results.hpp"

namespace roofline::cuda {
namespace {

/// 16 warps keep an SM's units busy: each has eight chains, and an FMA takes about four cycles.
constexpr unsigned kProbeBlock = 512;
constexpr double kSeed = 0.75;

std::uint64_t flops_per_thread_and_iteration(DType dtype) {
  return dtype == DType::fp64 ? kPeakFlopsFp64 : kPeakFlopsFp32;
}

/// x = x / 2 + seed comes to 2 seed, exactly, and the sum of eight such chains to this.
double expected_result() {
  double sum = 2 * kSeed;
  for (int chain = 1; chain < 8; ++chain) sum = sum * 0.5 + 2 * kSeed;
  return sum;
}

/// One block for each SM, as long as 150 us at 256 FLOP per cycle and SM.
std::uint64_t inner_iterations(Gpu& gpu, DType dtype) {
  constexpr double kLaunch_s = 150e-6;
  const double clock = gpu.reading().clock_khz > 0 ? gpu.reading().clock_khz * 1e3 : 1.5e9;
  const double flops = kLaunch_s * 256 * clock;
  const auto of_iteration =
      static_cast<double>(kProbeBlock * flops_per_thread_and_iteration(dtype));
  return std::max<std::uint64_t>(16, static_cast<std::uint64_t>(flops / of_iteration));
}

class PeakRun : public GpuRun {
 public:
  PeakRun(const PeakProbe& probe, Gpu& gpu)
      : GpuRun(gpu),
        dtype_(probe.dtype),
        grid_{.x = gpu.sm_count(), .block = kProbeBlock},
        iterations_(static_cast<u32>(probe.flops / (std::uint64_t{gpu.sm_count()} * kProbeBlock *
                                                    flops_per_thread_and_iteration(probe.dtype)))) {
  }

 protected:
  void make() override {
    timer_.reset();
    out_ = Buffer(context(), threads() * storage_bits(dtype_) / 8);
    timer_.emplace(gpu(), TimedWork{.enqueue = [this](std::uint64_t) { enqueue(); }});
  }

  Sample measure(std::uint64_t iterations) override { return timer_->time(iterations); }

  Verification check() override {
    out_.set(0xff);  // no number
    enqueue();
    backend::Comparison all;
    each_slice(gpu(), {&out_}, out_.bytes(), [&](std::uint64_t offset, const Slices& slices) {
      const std::uint64_t bytes = storage_bits(dtype_) / 8;
      for (std::uint64_t i = 0; i < slices[0].size() / bytes; ++i) {
        all.add(offset / bytes + i, element(slices[0].data(), dtype_, i), expected_result(), 0);
      }
    });
    return backend::verdict(all, "where the chains of every thread come to");
  }

  Facts describe() const override {
    Facts out;
    out.push_back({"kernel", "peak_" + std::string(name(dtype_))});
    out.push_back({"block", std::uint64_t{grid_.block}});
    out.push_back({"grid", std::uint64_t{grid_.x}});
    out.push_back({"inner_iterations", std::uint64_t{iterations_}});
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  [[nodiscard]] std::uint64_t threads() const { return std::uint64_t{grid_.x} * grid_.block; }

  void enqueue() {
    if (dtype_ == DType::fp64) {
      launch<Family::peak_fp64>(context(), kernel_named("peak_fp64"), grid_, out_.as<double>(),
                                kSeed, iterations_);
    } else {
      launch<Family::peak_fp32>(context(), kernel_named("peak_fp32"), grid_, out_.as<float>(),
                                static_cast<float>(kSeed), iterations_);
    }
  }

  DType dtype_;
  Grid grid_;
  u32 iterations_;
  Buffer out_;
  std::optional<Timer> timer_;
};

}  // namespace

Support support_peak(const PeakProbe& probe, Gpu& gpu) {
  if (probe.dtype != DType::fp32 && probe.dtype != DType::fp64) {
    return backend::Unsupported{
        "what counts in " + std::string(name(probe.dtype)) +
        " are the matrix units, which a GEMM drives and no chain in registers; its datasheet peak "
        "serves instead"};
  }
  PeakProbe out = probe;
  const std::uint64_t of_iteration =
      std::uint64_t{gpu.sm_count()} * kProbeBlock * flops_per_thread_and_iteration(probe.dtype);
  if (out.flops == 0) out.flops = inner_iterations(gpu, probe.dtype) * of_iteration;
  // Whole iterations of all threads.
  out.flops = std::max(of_iteration * 16, out.flops / of_iteration * of_iteration);
  return Workload{out};
}

Run prepare_peak(const PeakProbe& probe, Gpu& gpu) {
  auto run = std::make_unique<PeakRun>(probe, gpu);
  run->prepare();
  return run;
}

}  // namespace roofline::cuda
