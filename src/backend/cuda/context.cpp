#include "backend/cuda/context.hpp"

#include "backend/cuda/launcher.hpp"

namespace roofline::cuda {

Context::Context(std::shared_ptr<const Libraries> libraries, int index, std::string device_id)
    : libraries_(std::move(libraries)), index_(index), device_id_(std::move(device_id)) {}

Context::~Context() {
  // A lost device may not even answer to being let go.
  if (context_ != nullptr && lost_because_.empty()) drop();
}

void Context::use() {
  if (!lost_because_.empty()) throw backend::DeviceLost(lost_because_);
  if (context_ == nullptr) {
    make();
  } else {
    driver().set_current(context_);
  }
}

void Context::make() {
  driver().device(&device_, index_);
  driver().primary_retain(&context_, device_);
  try {
    driver().set_current(context_);
    driver().stream_create(&stream_, CU_STREAM_NON_BLOCKING);
    load_module();
  } catch (...) {
    drop();
    throw;
  }
}

void Context::drop() noexcept {
  functions_.clear();
  static_cast<void>(driver().set_current.result(context_));
  if (module_ != nullptr) static_cast<void>(driver().module_unload.result(module_));
  if (stream_ != nullptr) static_cast<void>(driver().stream_destroy.result(stream_));
  static_cast<void>(driver().set_current.result(nullptr));
  static_cast<void>(driver().primary_release.result(device_));
  module_ = nullptr;
  stream_ = nullptr;
  context_ = nullptr;
}

void Context::load_module() { driver().module_load(&module_, roofline_cuda_fatbin); }

bool Context::recover(const CudaError& error) {
  const Aftermath left = aftermath(error.code());
  if (left == Aftermath::call_failed) return false;
  ++generation_;
  if (left == Aftermath::context_lost) {
    try {
      // Releasing alone would leave the context as it is where something else holds it too.
      if (context_ != nullptr) drop();
      static_cast<void>(driver().primary_reset.result(device_));
      make();
      try_out();
      return true;
    } catch (const backend::BackendError& again) {
      lost_because_ = device_id_ + " can't be used any more in this process: " + error.what() +
                      "; and a new context fails too: " + again.what();
    }
  } else {
    lost_because_ = device_id_ + " is lost: " + error.what();
  }
  context_ = nullptr;
  throw backend::DeviceLost(lost_because_);
}

void Context::try_out() {
  launch<Family::empty>(*this, *find_kernel("empty"), Grid{});
  synchronize();
}

void Context::synchronize() { driver().stream_synchronize(stream_); }

MemoryInfo Context::memory() const {
  std::size_t free = 0;
  std::size_t total = 0;
  driver().memory_info(&free, &total);
  return {free, total};
}

CUfunction Context::function(const KernelEntry& kernel, const std::size_t* parameter_bytes,
                             std::size_t parameters) {
  CUfunction& known = functions_[&kernel];
  if (known == nullptr) {
    CUfunction found = nullptr;
    driver().module_function(&found, module_, kernel.entry);
    check_parameters(found, kernel, parameter_bytes, parameters);
    known = found;
  }
  return known;
}

void Context::check_parameters(CUfunction function, const KernelEntry& kernel,
                               const std::size_t* parameter_bytes, std::size_t parameters) const {
  // Since CUDA 12.4; an older driver takes the arguments on trust.
  if (!driver().function_parameter.present()) return;
  for (std::size_t i = 0; i <= parameters; ++i) {
    std::size_t offset = 0;
    std::size_t bytes = 0;
    const bool there =
        driver().function_parameter.result(function, i, &offset, &bytes) == CUDA_SUCCESS;
    const bool wanted = i < parameters;
    if (there == wanted && (!wanted || bytes == parameter_bytes[i])) continue;
    throw backend::BackendError("the kernel " + std::string(kernel.name) +
                                " in this program takes other parameters than it is launched with "
                                "(parameter " +
                                std::to_string(i) + "); rebuild the program");
  }
}

}  // namespace roofline::cuda
