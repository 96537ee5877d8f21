// The one interface between measuring and hardware. A backend knows devices, buffers, threads and
// streams; what calls it knows workloads and times. Nothing here says how long to measure or what a
// figure means.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::backend {

struct Device {
  std::string id;    ///< `cpu`, `cuda:0`
  std::string name;  ///< what the hardware calls itself
  Facts facts;
};

/// What an option's default may depend on. `cuda:N` is a GPU; everything else counts as a CPU.
enum class DeviceKind { cpu, gpu };
[[nodiscard]] inline DeviceKind kind_of(std::string_view device_id) {
  return device_id.starts_with("cuda") ? DeviceKind::gpu : DeviceKind::cpu;
}

/// The workload can't run here; the reason names what would have to be different.
struct Unsupported {
  std::string reason;
};

/// Something broke while preparing or running a point. The sweep goes on without it.
class BackendError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Preparing found out what supports() could not know: the workload can't run here.
class Refused : public BackendError {
 public:
  using BackendError::BackendError;
};

/// Nothing more can run on this device in this process. The sweep ends its points as failed and
/// goes on with the next device.
class DeviceLost : public BackendError {
 public:
  using BackendError::BackendError;
};

/// A workload with its buffers filled and its code chosen.
class PreparedRun {
 public:
  PreparedRun() = default;
  PreparedRun(const PreparedRun&) = delete;
  PreparedRun& operator=(const PreparedRun&) = delete;
  virtual ~PreparedRun() = default;

  /// Runs the workload `iterations` times (>= 1) and times all of them together. Throws
  /// BackendError.
  [[nodiscard]] virtual Sample time(std::uint64_t iterations) = 0;
  /// Runs once and compares the result with a float64 reference or a checksum. Throws BackendError.
  [[nodiscard]] virtual Verification verify() = 0;
  /// Provider, version, ISA path, threads, rotation, packing time ...
  [[nodiscard]] virtual Facts facts() const = 0;
};

class Backend {
 public:
  Backend() = default;
  Backend(const Backend&) = delete;
  Backend& operator=(const Backend&) = delete;
  virtual ~Backend() = default;

  [[nodiscard]] virtual std::vector<Device> devices() = 0;
  /// Whether `workload` can run, and with every size that was left to the backend filled in: a
  /// Stream or Elementwise chain of 0 elements gets as many as reach DRAM (or lie in the stream's
  /// level), a Transfer of 0 bytes as many as the link needs to be busy, a PeakProbe its FLOP per
  /// iteration, a Stream its write_allocate. Allocates nothing and takes no time.
  [[nodiscard]] virtual std::variant<Workload, Unsupported> supports(const Workload& workload,
                                                                     const Device& device) = 0;
  /// About how much memory prepare() takes. Several prepared runs are kept at once, as many as
  /// there is room for. `workload` must have come from supports().
  [[nodiscard]] virtual Bytes footprint(const Workload& workload, const Device& device) = 0;
  /// How much memory all prepared runs together may take now.
  [[nodiscard]] virtual Bytes memory_left(const Device& device) = 0;
  /// The time, from any beginning, on the clock that samples are timed with: budgets are kept by
  /// it, and a replayed time passes as fast as it is replayed.
  [[nodiscard]] virtual Seconds now() = 0;
  /// Leaves `device` without work of ours for `time`, on the clock of now(). By default the calling
  /// thread sleeps.
  virtual void rest(const Device& device, Seconds time);
  /// Allocates, fills and warms nothing up. `workload` must have come from supports(). Throws
  /// BackendError when memory or code can't be had.
  [[nodiscard]] virtual std::unique_ptr<PreparedRun> prepare(const Workload& workload,
                                                             const Device& device) = 0;
};

}  // namespace roofline::backend
