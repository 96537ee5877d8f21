// The driver of one process: its devices, contexts and what lives in them, the host's time, and
// the calls that a scenario lets go wrong. What each API call does is in the api_*.cpp.
#pragma once

#include <cuda.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "device.hpp"
#include "fault_plan.hpp"
#include "handles.hpp"
#include "launch_queue.hpp"
#include "memory.hpp"
#include "scenario.hpp"

namespace fakegpu {

struct Context;
struct Stream;

/// What a stream is told to do; in a graph, what is done at each launch. `in_graph`: without the
/// host's part in it. Returns how the submission ended.
using Operation = std::function<CUresult(Stream&, bool in_graph)>;

struct Graph {
  Context* context = nullptr;
  std::vector<Operation> nodes = {};
};

struct Capture {
  Graph graph;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_GLOBAL;
  std::uint64_t thread = 0;
  bool invalidated = false;
};

/// Bytes on their way to the host: they arrive when the host knows that the copy is over.
struct Delivery {
  double time = 0;
  void* destination = nullptr;
  std::vector<std::byte> bytes = {};
};

struct Stream {
  Context* context = nullptr;
  bool blocking = false;  ///< waits for the legacy stream, and it for this
  double ready = 0;       ///< when all that was submitted is over
  std::optional<Capture> capture = {};
  std::vector<Delivery> deliveries = {};
};

struct Event {
  Context* context = nullptr;
  bool timed = true;
  bool recorded = false;
  bool captured = false;
  double time = 0;
};

struct Module {
  Context* context = nullptr;
  std::map<std::string, CUfunction> functions = {};
};

struct Function {
  Context* context = nullptr;
  CUmodule module = nullptr;
  const Kernel* kernel = nullptr;
  unsigned dynamic_shared_limit = 48 * 1024;
  bool launched = false;
};

/// The primary context of a device; it has the same handle whenever it is retained again.
struct Context {
  explicit Context(Device& owner) : device(&owner) {
    legacy.context = this;
    legacy.blocking = true;
  }

  Device* device;
  CUcontext handle = nullptr;
  unsigned retained = 0;
  bool active = false;
  unsigned flags = 0;
  CUresult error = CUDA_SUCCESS;  ///< sticky
  double error_time = 0;          ///< when the host can know of it
  Stream legacy;                  ///< stream 0
  std::map<int, std::size_t> limits = {};
  /// A kernel hangs until then, in real time.
  std::chrono::steady_clock::time_point hangs_until = {};

  /// For `seconds`; 0: for ever.
  void hang(double seconds);
};

class Driver {
 public:
  explicit Driver(Scenario text);

  const Scenario scenario;
  std::vector<std::unique_ptr<Device>> devices;    ///< those of the machine, in CUDA's order
  std::vector<int> visible;                        ///< CUdevice -> index of devices
  std::vector<std::unique_ptr<Context>> contexts;  ///< one for each device
  bool initialised = false;
  double host_now = 0;
  std::uint64_t kernels_executed = 0;  ///< at once, not counting the queue's
  unsigned polls = 0;                  ///< queries in a row that had to say not ready

  FaultPlan faults;
  DeviceMemory memory;
  PinnedMemory pinned;
  LaunchQueue queue;
  /// By kernel, shape and arguments: what a launch of theirs reads and writes.
  std::map<std::string, std::vector<KernelRegion>> known_launches;
  Handles<CUstream, Stream> streams;
  Handles<CUevent, Event> events;
  Handles<CUmodule, Module> modules;
  Handles<CUfunction, Function> functions;
  Handles<CUgraph, Graph> graphs;
  Handles<CUgraphExec, Graph> graph_execs;

  [[nodiscard]] Context* find_context(CUcontext handle);
  /// A stream of `context`, special handles included; null for any other.
  [[nodiscard]] Stream* find_stream(Context& context, CUstream handle);
  /// When `stream` can begin what is submitted now.
  [[nodiscard]] double begin(const Stream& stream) const;
  /// The host waits until `time`.
  void wait_until(double time);
  /// Copies that the host can know of are over.
  void deliver();
  /// All of the context's streams are idle at this time.
  [[nodiscard]] double idle_time(const Context& context);
  /// Everything in the context is gone.
  void destroy(Context& context);
  /// Sticky from now on, if it is of that kind; known to the host at `time`.
  void fail(Context& context, int code, double time);
  /// The capture that forbids this thread what might synchronise, or null.
  [[nodiscard]] Capture* forbidding_capture();

 private:
  void choose_visible();
};

/// The process's one driver, made of the environment at first use. Hold driver_mutex().
[[nodiscard]] Driver& driver();
[[nodiscard]] std::mutex& driver_mutex();
/// The next use makes a new one.
void forget_driver();
/// `GPU-1234abcd-...` or `MIG-...`
[[nodiscard]] std::string uuid_text(const DeviceModel& model);
/// The context that is current to this thread.
[[nodiscard]] CUcontext& current_context();

}  // namespace fakegpu
