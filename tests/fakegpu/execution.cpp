#include "execution.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string>

#include "codes.hpp"
#include "kernel_time.hpp"

namespace fakegpu {
namespace {

// Sweeps over many shapes launch many kernels once; what those did is of no use to later ones.
constexpr std::size_t kMostKnown = 4096;

template <class T>
void append(std::string& out, const T& value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

std::string key_of(const LaunchRequest& request) {
  std::string key(request.kernel->entry);
  append(key, request.shape);
  for (const auto& argument : request.arguments) {
    key.append(reinterpret_cast<const char*>(argument.data()), argument.size());
  }
  return key;
}

/// Before a kernel that may read or write them runs.
void settle(Driver& all, const Translated& translated) {
  for (const Operand& operand : translated.operands) {
    if (operand.allocation == nullptr) continue;
    const std::uint64_t begin = operand.allocation->address;
    all.queue.before_use({begin, begin + operand.allocation->bytes});
  }
}

/// What it touches is known beforehand, so that it is put off the first time too.
void run_native(Driver& all, const LaunchRequest& request, Translated& translated, bool at_once) {
  std::vector<void*> pointers;
  for (auto& argument : translated.arguments) pointers.push_back(argument.data());
  const NativeKernel& native = *request.kernel->native;
  if (const int code = native.plan(pointers.data(), translated.regions)) {
    throw KernelError(code, "an operand reaches beyond its memory");
  }
  if (!at_once && !translated.reaches_host()) {
    all.queue.put_off(pending_of(request, translated));
    return;
  }
  settle(all, translated);
  ++all.kernels_executed;
  native.compute(pointers.data());
}

/// Runs the kernel or, if the same was run before, puts it off. Throws KernelError.
void run(Driver& all, const LaunchRequest& request, Translated& translated, bool at_once) {
  if (request.kernel->native != nullptr) return run_native(all, request, translated, at_once);
  const bool repeatable = request.kernel->effect != Effect::probe && !translated.reaches_host();
  const std::string key = key_of(request);
  const auto known = all.known_launches.find(key);
  if (repeatable && !at_once && known != all.known_launches.end()) {
    for (std::size_t i = 0; i < translated.regions.size(); ++i) {
      const KernelRegion own = translated.regions[i];
      translated.regions[i] = known->second[i];
      translated.regions[i].host = own.host;
      translated.regions[i].bytes = own.bytes;
    }
    all.queue.put_off(pending_of(request, translated));
    return;
  }
  settle(all, translated);
  std::vector<void*> pointers;
  for (auto& argument : translated.arguments) pointers.push_back(argument.data());
  ++all.kernels_executed;
  run_kernel(*request.kernel, request.shape, pointers.data(), translated.regions);
  if (!repeatable) return;
  if (all.known_launches.size() >= kMostKnown) all.known_launches.clear();
  all.known_launches[key] = translated.regions;
}

/// A wrong bit in the middle of what the kernel wrote; of values in the last, where it tells most.
void corrupt(const Translated& translated) {
  for (std::size_t i = 0; i < translated.regions.size(); ++i) {
    const KernelRegion& region = translated.regions[i];
    const Operand& operand = translated.operands[i];
    const std::uint64_t stored = region.stored_bytes + region.uncounted_stored_bytes;
    if (stored == 0 || operand.allocation == nullptr) continue;
    const std::uint64_t begin = stored_address(operand, region);
    const std::uint64_t written = std::min(stored, operand.allocation->left(begin));
    const std::uint64_t at = region.stored_element > 1 ? written - 1 : written / 2;
    *operand.allocation->host(begin + at) ^= std::byte{0x40};
    return;
  }
}

/// What the scenario does to this kernel; nothing when it may run.
const Fault* scripted_fault(Driver& all, const Device& device, const Kernel& kernel) {
  const Fault* const any = all.faults.next("kernel", device.index());
  const Fault* const own = all.faults.next("kernel:" + std::string(kernel.entry), device.index());
  return any == nullptr ? own : any;
}

std::vector<Footprint> footprints_of(const Translated& translated) {
  std::vector<Footprint> out;
  for (std::size_t i = 0; i < translated.operands.size(); ++i) {
    const Operand& operand = translated.operands[i];
    const KernelRegion& region = translated.regions[i];
    out.push_back({.on_device = operand.allocation != nullptr,
                   .address = operand.address,
                   .bytes = operand.allocation == nullptr
                                ? region.bytes
                                : operand.allocation->left(operand.address),
                   .loaded_bytes = region.loaded_bytes,
                   .stored_bytes = region.stored_bytes});
  }
  return out;
}

/// Looked at in a few places from end to end, at whole elements.
bool is_zero(Driver& all, const Translated& translated, const std::vector<std::byte>& pointer) {
  constexpr std::uint64_t looks = 61;
  const std::byte* at = nullptr;
  std::memcpy(&at, pointer.data(), sizeof(at));
  for (std::size_t i = 0; i < translated.regions.size(); ++i) {
    const KernelRegion& region = translated.regions[i];
    const Allocation* const allocation = translated.operands[i].allocation;
    if (at < region.host || at >= region.host + region.bytes || allocation == nullptr) continue;
    const Range range{allocation->address, allocation->address + allocation->bytes};
    if (all.queue.writes_to(range)) all.queue.before_use(range);
    const std::uint64_t bytes =
        std::min(region.loaded_bytes, static_cast<std::uint64_t>(region.host + region.bytes - at));
    constexpr std::uint64_t element = 8;
    if (bytes < element) return false;
    for (std::uint64_t look = 0; look < looks; ++look) {
      const std::byte* const from = at + (bytes - element) / (looks - 1) * look;
      if (std::any_of(from, from + element, [](std::byte b) { return b != std::byte{0}; })) {
        return false;
      }
    }
    return true;
  }
  return false;
}

/// W at the highest clock of a launch that takes `time`; 0: as any kernel. Tensor cores that wait,
/// or compute what is no part of a matrix, draw no more than those.
double power_of(Driver& all, const Device& device, const LaunchRequest& request,
                const Translated& translated, double time) {
  const PowerDraw* const draw = device.power_draw();
  if (request.kernel->native == nullptr || draw == nullptr) return 0;
  const double busy = std::min(1.0, request.busy_clocks / device.clock() / time);
  const bool zeros = is_zero(all, translated, translated.arguments[0]) ||
                     is_zero(all, translated, translated.arguments[1]);
  const double ordinary = device.load_power_w();
  return ordinary + busy * ((zeros ? draw->zeros_w : draw->random_w) - ordinary);
}

/// Runs the kernel and adds what it takes to `time`. Returns how the kernel ended.
int perform(Driver& all, Device& device, const LaunchRequest& request, bool wrong, double start,
            double& time, double& watts) {
  auto translated = translate(all, device, request);
  if (!translated) return CUDA_ERROR_ILLEGAL_ADDRESS;
  const KernelTimer timer(device, start);
  try {
    run(all, request, *translated, wrong);
  } catch (const KernelError& error) {
    std::fprintf(stderr, "fakegpu: %s: %s\n", std::string(request.kernel->entry).c_str(),
                 error.what());
    return error.code();
  }
  if (wrong) corrupt(*translated);
  time = timer.duration(request, footprints_of(*translated), time);
  watts = power_of(all, device, request, *translated, time);
  return 0;
}

}  // namespace

CUresult check_launch(const Function& function, const LaunchShape& shape, void** parameters,
                      void** extra) {
  const auto& grid = shape.grid;
  const auto& block = shape.block;
  if (extra != nullptr) return CUDA_ERROR_NOT_SUPPORTED;
  if (shape.blocks() == 0 || shape.threads_per_block() == 0) return CUDA_ERROR_INVALID_VALUE;
  if (grid[0] > 2147483647U || grid[1] > 65535 || grid[2] > 65535) return CUDA_ERROR_INVALID_VALUE;
  if (block[0] > 1024 || block[1] > 1024 || block[2] > 64 || shape.threads_per_block() > 1024) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (shape.threads_per_block() > function.kernel->max_block) {
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  }
  if (shape.shared_bytes > function.dynamic_shared_limit) return CUDA_ERROR_INVALID_VALUE;
  const std::size_t count = function.kernel->parameters.size();
  if (count > 0 && parameters == nullptr) return CUDA_ERROR_INVALID_VALUE;
  for (std::size_t i = 0; i < count; ++i) {
    if (parameters[i] == nullptr) return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult execute(Stream& stream, const LaunchRequest& request, bool in_graph) {
  Driver& all = driver();
  Context& context = *stream.context;
  Device& device = *context.device;
  if (context.error != CUDA_SUCCESS) return CUDA_SUCCESS;  // the host does not know yet
  const Costs& costs = all.scenario.costs;
  const double start = std::max(all.begin(stream), device.engine_free);
  double time = in_graph ? costs.node : costs.kernel;
  if (request.first) time += costs.first_launch;
  device.rest(start);

  const Fault* const fault = scripted_fault(all, device, *request.kernel);
  if (fault != nullptr && fault->lost) device.lost = true;
  if (fault != nullptr && fault->kind == FaultKind::hang) {
    time += fault->seconds;
    context.hang(fault->seconds);
  }
  int code = fault != nullptr && fault->kind == FaultKind::error ? fault->code : 0;
  double watts = 0;
  if (code == 0) {
    const bool wrong = request.wrong || (fault != nullptr && fault->kind == FaultKind::corrupt);
    code = perform(all, device, request, wrong, start, time, watts);
  }
  stream.ready = start + time;
  device.occupy(start, stream.ready, watts);
  if (!is_sticky(code)) return static_cast<CUresult>(code);
  all.fail(context, code, stream.ready);
  return CUDA_SUCCESS;
}

}  // namespace fakegpu
