#include "execution.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <optional>

#include "codes.hpp"
#include "kernel_time.hpp"

namespace fakegpu {
namespace {

/// Arguments with host pointers, and what they lead to.
struct Translated {
  std::vector<std::vector<std::byte>> arguments;
  std::vector<KernelRegion> regions;
  std::vector<Allocation*> allocations;  ///< of the regions
  std::vector<std::uint64_t> addresses;  ///< lowest of each allocation that an argument names
};

void note(Translated& out, Allocation& allocation, std::uint64_t address) {
  const auto known = std::find(out.allocations.begin(), out.allocations.end(), &allocation);
  if (known != out.allocations.end()) {
    std::uint64_t& lowest =
        out.addresses[static_cast<std::size_t>(known - out.allocations.begin())];
    lowest = std::min(lowest, address);
    return;
  }
  out.regions.push_back({.host = allocation.backing.get(), .bytes = allocation.bytes});
  out.allocations.push_back(&allocation);
  out.addresses.push_back(address);
}

/// Only parameters that are pointers are translated: a number that looks like an address stays.
/// Nothing when a pointer leads nowhere.
std::optional<Translated> translate(Driver& all, const Device& device,
                                    const LaunchRequest& request) {
  Translated out{.arguments = request.arguments, .regions = {}, .allocations = {}, .addresses = {}};
  for (std::size_t i = 0; i < out.arguments.size(); ++i) {
    if (!request.kernel->parameters[i].pointer) continue;
    std::uint64_t address = 0;
    std::memcpy(&address, out.arguments[i].data(), sizeof(address));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): page-locked memory has one address for both sides
    if (address == 0 || all.pinned.holds(reinterpret_cast<const void*>(address))) continue;
    Allocation* const allocation = all.memory.find(address);
    if (allocation == nullptr || allocation->device != device.index()) return std::nullopt;
    note(out, *allocation, address);
    const std::byte* const host = allocation->host(address);
    std::memcpy(out.arguments[i].data(), &host, sizeof(host));
  }
  return out;
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> versions_of(const Translated& translated) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> versions;
  for (const Allocation* allocation : translated.allocations) {
    versions.emplace_back(allocation->address, allocation->version);
  }
  return versions;
}

/// Runs the kernel, unless its outcome is already there. Throws KernelError.
void run(Driver& all, const LaunchRequest& request, Translated& translated) {
  const bool repeatable =
      request.kernel->effect == Effect::pure || request.kernel->effect == Effect::generator;
  std::string key;
  if (repeatable) {
    key = LaunchCache::key(*request.kernel, request.shape, request.arguments);
    const LaunchResult* const known = all.launches.find(key);
    if (known != nullptr && known->versions == versions_of(translated)) {
      translated.regions = known->regions;
      return;
    }
  }
  std::vector<void*> pointers;
  for (auto& argument : translated.arguments) pointers.push_back(argument.data());
  ++all.kernels_executed;
  run_kernel(*request.kernel, request.shape, pointers.data(), translated.regions);
  for (std::size_t i = 0; i < translated.regions.size(); ++i) {
    if (translated.regions[i].stored_bytes > 0) all.memory.written(*translated.allocations[i]);
  }
  if (repeatable) all.launches.keep(key, {translated.regions, versions_of(translated)});
}

/// A wrong bit in what the kernel wrote.
void corrupt(Driver& all, const Translated& translated) {
  for (std::size_t i = 0; i < translated.regions.size(); ++i) {
    const KernelRegion& region = translated.regions[i];
    if (region.stored_bytes == 0) continue;
    Allocation& allocation = *translated.allocations[i];
    const std::size_t at = translated.addresses[i] - allocation.address;
    region.host[at + std::min<std::size_t>(region.stored_bytes, allocation.bytes - at) / 2] ^=
        std::byte{0x40};
    all.memory.written(allocation);
    return;
  }
}

/// What the scenario does to this kernel; nothing when it may run.
const Fault* scripted_fault(Driver& all, const Device& device, const Kernel& kernel) {
  const Fault* const any = all.faults.next("kernel", device.index());
  const Fault* const own = all.faults.next("kernel:" + std::string(kernel.entry), device.index());
  return any == nullptr ? own : any;
}

/// Runs the kernel and moves `end` on by its time. Returns how the kernel ended.
int perform(Driver& all, Device& device, const LaunchRequest& request, bool wrong, double start,
            double& end) {
  auto translated = translate(all, device, request);
  if (!translated) return CUDA_ERROR_ILLEGAL_ADDRESS;
  const KernelTimer timer(device, start);
  try {
    run(all, request, *translated);
  } catch (const KernelError& error) {
    std::fprintf(stderr, "fakegpu: %s: %s\n", std::string(request.kernel->entry).c_str(),
                 error.what());
    return error.code();
  }
  if (wrong) corrupt(all, *translated);
  std::vector<Footprint> footprints;
  for (std::size_t i = 0; i < translated->regions.size(); ++i) {
    const std::uint64_t address = translated->addresses[i];
    footprints.push_back({.address = address,
                          .bytes = translated->allocations[i]->left(address),
                          .loaded_bytes = translated->regions[i].loaded_bytes,
                          .stored_bytes = translated->regions[i].stored_bytes});
  }
  end += timer.duration(request, footprints);
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
  double end = start + (in_graph ? costs.node : costs.kernel);
  if (request.first) end += costs.first_launch;

  const Fault* const fault = scripted_fault(all, device, *request.kernel);
  if (fault != nullptr && fault->lost) device.lost = true;
  if (fault != nullptr && fault->kind == FaultKind::hang) {
    end += fault->seconds;
    context.hang(fault->seconds);
  }
  int code = fault != nullptr && fault->kind == FaultKind::error ? fault->code : 0;
  if (code == 0) {
    const bool wrong = fault != nullptr && fault->kind == FaultKind::corrupt;
    code = perform(all, device, request, wrong, start, end);
  }
  device.occupy(start, end);
  stream.ready = end;
  if (!is_sticky(code)) return static_cast<CUresult>(code);
  all.fail(context, code, end);
  return CUDA_SUCCESS;
}

}  // namespace fakegpu
