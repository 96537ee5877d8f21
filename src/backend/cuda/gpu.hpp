// One GPU during a session: what is known of it, its context, and what was found out once and
// serves all points.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "backend/cuda/buffer.hpp"
#include "backend/cuda/context.hpp"
#include "backend/cuda/cublaslt_library.hpp"
#include "backend/cuda/device_monitor.hpp"
#include "backend/cuda/gemm_choice.hpp"
#include "backend/cuda/inventory.hpp"
#include "backend/cuda/sizing.hpp"
#include "kernels/cuda/stream_launch.hpp"

namespace roofline::cuda {

class LtSession;

/// How a stream kernel is launched: by device name, mix, type and level. GPUs of one name run the
/// same code, so that a slow one among them stands out by its hardware alone.
using StreamShapes = std::map<std::string, StreamShape>;

/// What the GPUs of one backend have in common.
struct SharedState {
  StreamShapes stream_shapes = {};
  GemmChoices gemm_choices = {};
  LazyCublasLt cublaslt;
  AlgoChoice algo = AlgoChoice::best;
};

class Gpu {
 public:
  Gpu(std::shared_ptr<const Libraries> libraries, ListedGpu listed,
      std::shared_ptr<SharedState> shared);
  Gpu(const Gpu&) = delete;
  Gpu& operator=(const Gpu&) = delete;
  ~Gpu();

  [[nodiscard]] const backend::Device& device() const { return listed_.listed.device; }
  [[nodiscard]] const DeviceReading& reading() const { return listed_.reading; }
  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] SharedState& shared() { return *shared_; }
  [[nodiscard]] StreamShapes& stream_shapes() { return shared_->stream_shapes; }
  [[nodiscard]] unsigned sm_count() const;
  /// 64 MiB where the driver doesn't tell, which is more than most have.
  [[nodiscard]] std::uint64_t l2_bytes() const;
  /// Memory that may be used now: what is free, less a reserve; 0 once the device is lost.
  [[nodiscard]] std::uint64_t memory_budget();
  /// The same once there is a context, which is made for it.
  [[nodiscard]] std::uint64_t memory_left();
  [[nodiscard]] DeviceSizes sizes();

  /// Pinned memory through which results come back in slices; made when first asked for.
  [[nodiscard]] std::span<std::byte> staging(std::uint64_t bytes);
  /// cuBLASLt's handle and workspace in the context as it is now, which must be current. Throws
  /// BackendError where there is no library, LtError and CudaError.
  [[nodiscard]] LtSession& lt_session();
  /// Bytes of workspace that lt_session() will take; 0 once it has.
  [[nodiscard]] std::uint64_t lt_workspace_to_come();
  [[nodiscard]] Facts telemetry() const;
  [[nodiscard]] DeviceMonitor& monitor() { return monitor_; }

 private:
  ListedGpu listed_;
  Context context_;
  std::shared_ptr<SharedState> shared_;
  DeviceMonitor monitor_;
  HostBuffer staging_;
  std::unique_ptr<LtSession> lt_session_;
};

/// `it takes 3.2 GB of the GPU's memory, and ...; WHAT_FITS`, or nothing when there is room.
[[nodiscard]] std::optional<backend::Unsupported> too_large(Gpu& gpu, double needed,
                                                            const std::string& what_fits);

}  // namespace roofline::cuda
