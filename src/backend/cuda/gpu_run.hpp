// What all runs on a GPU share: buffers that are made again when the context had to be, errors that
// end the context or the device, and the facts that every point states.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include "backend/backend.hpp"
#include "backend/cuda/gpu.hpp"
#include "backend/cuda/launcher.hpp"
#include "backend/cuda/timing.hpp"
#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

class GpuRun : public backend::PreparedRun {
 public:
  explicit GpuRun(Gpu& gpu) : gpu_(gpu) {}

  /// Allocates and fills; called once by who makes the run. Throws BackendError.
  void prepare();
  [[nodiscard]] Sample time(std::uint64_t iterations) final;
  [[nodiscard]] Verification verify() final;
  [[nodiscard]] Facts facts() const final;

 protected:
  /// Allocates and fills everything; called again after the context was made anew.
  virtual void make() = 0;
  [[nodiscard]] virtual Sample measure(std::uint64_t iterations) = 0;
  [[nodiscard]] virtual Verification check() = 0;
  [[nodiscard]] virtual Facts describe() const = 0;
  /// Whose code runs.
  [[nodiscard]] virtual std::string provider() const { return "roofline"; }

  [[nodiscard]] Gpu& gpu() const { return gpu_; }
  [[nodiscard]] Context& context() const { return gpu_.context(); }

 private:
  template <class Step>
  auto guarded(Step&& step);
  void revive();

  Gpu& gpu_;
  unsigned generation_ = 0;
  bool made_ = false;
  bool prepared_ = false;
  std::uint64_t revived_ = 0;
};

/// Random elements `offset` .. of the stream `seed`, from `address` on: n of them, in the order of
/// the stream.
void fill(Gpu& gpu, CUdeviceptr address, DType dtype, std::uint64_t n, u64 seed,
          Distribution distribution = Distribution::uniform, std::uint64_t offset = 0);

/// Blocks for `n` elements at `per_thread` each: enough to fill the device, and no more than there
/// is work for.
[[nodiscard]] unsigned blocks_for(const Gpu& gpu, std::uint64_t n, unsigned block,
                                  unsigned per_thread, unsigned per_sm);

using Support = std::variant<Workload, backend::Unsupported>;
using Run = std::unique_ptr<backend::PreparedRun>;

// One pair of functions for each kind of workload; support_* fills in the sizes left open.
[[nodiscard]] Support support_stream(const Stream& stream, Gpu& gpu);
[[nodiscard]] Run prepare_stream(const Stream& stream, Gpu& gpu);
[[nodiscard]] Support support_projection(const Projection& projection, Gpu& gpu);
[[nodiscard]] Run prepare_projection(const Projection& projection, Gpu& gpu);
[[nodiscard]] Support support_elementwise(const Elementwise& elementwise, Gpu& gpu);
[[nodiscard]] Run prepare_elementwise(const Elementwise& elementwise, Gpu& gpu);
[[nodiscard]] Support support_gemm(const Gemm& gemm, Gpu& gpu);
[[nodiscard]] Run prepare_gemm(const Gemm& gemm, Gpu& gpu);
[[nodiscard]] Support support_launch(const Launch& launch, Gpu& gpu);
[[nodiscard]] Run prepare_launch(const Launch& launch, Gpu& gpu);
[[nodiscard]] Support support_transfer(const Transfer& transfer, Gpu& gpu);
[[nodiscard]] Run prepare_transfer(const Transfer& transfer, Gpu& gpu);
[[nodiscard]] Support support_peak(const PeakProbe& probe, Gpu& gpu);
[[nodiscard]] Run prepare_peak(const PeakProbe& probe, Gpu& gpu);

}  // namespace roofline::cuda
