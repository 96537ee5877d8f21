#include "backend/cuda/cuda_backend.hpp"

#include <algorithm>
#include <chrono>

#include "backend/cuda/gemm_operands.hpp"
#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/matvec_operands.hpp"
#include "roofline/account.hpp"
#include "roofline/overloaded.hpp"

namespace roofline::cuda {
namespace {

constexpr const char* kNoCode =
    "a kernel given by its counts has no code to run; place it with explain";

/// What is left open is filled in by the backend; until then it is no workload.
Workload sized(const Workload& workload) {
  Workload out = workload;
  if (auto* const stream = std::get_if<Stream>(&out); stream != nullptr && stream->elements == 0)
    stream->elements = 1;
  if (auto* const chain = std::get_if<Elementwise>(&out); chain != nullptr && chain->elements == 0)
    chain->elements = 1;
  if (auto* const transfer = std::get_if<Transfer>(&out);
      transfer != nullptr && transfer->bytes == 0)
    transfer->bytes = 1;
  return out;
}

class CudaBackend : public backend::Backend {
 public:
  explicit CudaBackend(const CudaOptions& options) : libraries_(load_libraries(options)) {
    const auto load = [path = options.libcublaslt, major = libraries_->driver_version / 1000] {
      return load_cublaslt(path, major);
    };
    const auto shared = std::make_shared<SharedState>(
        SharedState{.cublaslt = LazyCublasLt(load), .algo = options.algo});
    for (ListedGpu& gpu : list_gpus(*libraries_).devices) {
      if (gpu.listed.unusable.empty())
        gpus_.push_back(std::make_unique<Gpu>(libraries_, std::move(gpu), shared));
    }
  }

  std::vector<backend::Device> devices() override {
    std::vector<backend::Device> out;
    for (const auto& gpu : gpus_) out.push_back(gpu->device());
    return out;
  }

  Support supports(const Workload& workload, const backend::Device& device) override {
    validate(sized(workload));
    Gpu& gpu = gpu_of(device);
    if (!gpu.context().lost_because().empty())
      return backend::Unsupported{gpu.context().lost_because()};
    return std::visit(Overloaded{
                          [&](const Stream& w) { return support_stream(w, gpu); },
                          [&](const PeakProbe& w) { return support_peak(w, gpu); },
                          [&](const Projection& w) { return support_projection(w, gpu); },
                          [&](const Elementwise& w) { return support_elementwise(w, gpu); },
                          [&](const Launch& w) { return support_launch(w, gpu); },
                          [&](const Transfer& w) { return support_transfer(w, gpu); },
                          [&](const Gemm& w) { return support_gemm(w, gpu); },
                          [](const Kernel&) -> Support { return backend::Unsupported{kNoCode}; },
                      },
                      workload);
  }

  Bytes footprint(const Workload& workload, const backend::Device& device) override {
    Gpu& gpu = gpu_of(device);
    const double once = total_traffic(account(workload)).as_double();
    const auto* stream = std::get_if<Stream>(&workload);
    // An update is checked against what was there before; everything else but streams and copies
    // keeps several sets of operands, together beyond L2.
    if (stream != nullptr) return byte(stream->kind == StreamKind::update ? 2 * once : once);
    if (std::holds_alternative<Transfer>(workload)) return byte(once);
    if (const auto* gemm = std::get_if<Gemm>(&workload)) return gemm_footprint(*gemm, gpu);
    const auto* projection = std::get_if<Projection>(&workload);
    if (once == 0 || (projection != nullptr && projection->level != Boundary::dram))
      return byte(once);
    return byte(once + std::max(once, static_cast<double>(rotation_bytes(gpu.l2_bytes()))));
  }

  Bytes memory_left(const backend::Device& device) override {
    return byte(static_cast<double>(gpu_of(device).memory_left()));
  }

  Seconds now() override {
    using Clock = std::chrono::steady_clock;
    return second(std::chrono::duration<double>(Clock::now().time_since_epoch()).count());
  }

  Run prepare(const Workload& workload, const backend::Device& device) override {
    Gpu& gpu = gpu_of(device);
    return std::visit(Overloaded{
                          [&](const Stream& w) { return prepare_stream(w, gpu); },
                          [&](const PeakProbe& w) { return prepare_peak(w, gpu); },
                          [&](const Projection& w) { return prepare_projection(w, gpu); },
                          [&](const Elementwise& w) { return prepare_elementwise(w, gpu); },
                          [&](const Launch& w) { return prepare_launch(w, gpu); },
                          [&](const Transfer& w) { return prepare_transfer(w, gpu); },
                          [&](const Gemm& w) { return prepare_gemm(w, gpu); },
                          [](const Kernel&) -> Run { throw backend::BackendError(kNoCode); },
                      },
                      workload);
  }

 private:
  Gpu& gpu_of(const backend::Device& device) {
    for (const auto& gpu : gpus_) {
      if (gpu->device().id == device.id) return *gpu;
    }
    throw backend::BackendError("there is no GPU " + device.id + " that can be measured here");
  }

  std::shared_ptr<const Libraries> libraries_;
  std::vector<std::unique_ptr<Gpu>> gpus_;
};

}  // namespace

std::unique_ptr<backend::Backend> make_cuda_backend(const CudaOptions& options) {
  return std::make_unique<CudaBackend>(options);
}

}  // namespace roofline::cuda
