// One device's primary context: made when first needed, made anew after an error that ends it,
// given up when that fails too. Everything that lives in it remembers which making it belongs to.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "backend/cuda/driver_api.hpp"
#include "backend/cuda/libraries.hpp"
#include "kernels/cuda/kernels.hpp"

namespace roofline::cuda {

struct MemoryInfo {
  std::uint64_t free = 0;   ///< byte
  std::uint64_t total = 0;  ///< byte
};

class Context {
 public:
  /// Takes nothing from the device yet. `device_id`: for sentences, `cuda:0`.
  Context(std::shared_ptr<const Libraries> libraries, int index, std::string device_id);
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  ~Context();

  [[nodiscard]] const Libraries& libraries() const { return *libraries_; }
  [[nodiscard]] const DriverApi& driver() const { return libraries_->driver; }
  [[nodiscard]] const std::string& device_id() const { return device_id_; }

  /// Makes it where it isn't there, and current for the calling thread. Throws CudaError, and
  /// DeviceLost once the device was given up.
  void use();
  [[nodiscard]] bool active() const { return context_ != nullptr; }
  /// Why the device was given up; empty while it lives.
  [[nodiscard]] const std::string& lost_because() const { return lost_because_; }
  /// Counts how often it was made anew. What was allocated under another number is gone.
  [[nodiscard]] unsigned generation() const { return generation_; }

  /// After an error: makes the context anew where the error ended it, and throws DeviceLost when
  /// the error, or the new context, says that the device is lost. Returns whether it was made anew.
  bool recover(const CudaError& error);

  [[nodiscard]] CUstream stream() const { return stream_; }
  /// Waits for the stream. Errors of earlier launches come out here.
  void synchronize();
  [[nodiscard]] MemoryInfo memory() const;
  /// Looked up once. The sizes of its parameters are compared with those that it was compiled for,
  /// where the driver tells them.
  [[nodiscard]] CUfunction function(const KernelEntry& kernel, const std::size_t* parameter_bytes,
                                    std::size_t parameters);

 private:
  void make();
  void drop() noexcept;
  void load_module();
  void check_parameters(CUfunction function, const KernelEntry& kernel,
                        const std::size_t* parameter_bytes, std::size_t parameters) const;
  void try_out();

  std::shared_ptr<const Libraries> libraries_;
  int index_;
  std::string device_id_;
  CUdevice device_ = 0;
  CUcontext context_ = nullptr;
  CUstream stream_ = nullptr;
  CUmodule module_ = nullptr;
  std::map<const KernelEntry*, CUfunction> functions_;
  unsigned generation_ = 0;
  std::string lost_because_;
};

}  // namespace roofline::cuda
