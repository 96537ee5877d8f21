// The answers of a build without CUDA support.
#include "backend/cuda/cuda_backend.hpp"

namespace roofline::cuda {
namespace {

constexpr const char* kAbsent = "this build has no GPU support (built without a CUDA toolkit)";

class AbsentBackend : public backend::Backend {
 public:
  std::vector<backend::Device> devices() override { return {}; }
  std::variant<Workload, backend::Unsupported> supports(
      const Workload& /*workload*/, const backend::Device& /*device*/) override {
    return backend::Unsupported{kAbsent};
  }
  Bytes footprint(const Workload& /*workload*/, const backend::Device& /*device*/) override {
    return {};
  }
  Bytes memory_left(const backend::Device& /*device*/) override { return {}; }
  Seconds now() override { return {}; }
  std::unique_ptr<backend::PreparedRun> prepare(const Workload& /*workload*/,
                                                const backend::Device& /*device*/) override {
    throw backend::BackendError(kAbsent);
  }
};

}  // namespace

Inventory take_inventory(const CudaOptions& /*options*/) {
  return {{}, kAbsent, {{"libcuda", Unknown{kAbsent}}}};
}

Inventory examine_devices(const CudaOptions& options) { return take_inventory(options); }

std::unique_ptr<backend::Backend> make_cuda_backend(const CudaOptions& /*options*/) {
  return std::make_unique<AbsentBackend>();
}

}  // namespace roofline::cuda
