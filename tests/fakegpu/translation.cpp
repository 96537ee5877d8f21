#include "translation.hpp"

#include <algorithm>
#include <cstring>

namespace fakegpu {
namespace {

/// True when `address` leads into memory that was already noted.
bool note_again(Translated& out, const Allocation* allocation, std::uint64_t address) {
  for (Operand& operand : out.operands) {
    if (allocation == nullptr || operand.allocation != allocation) continue;
    operand.address = std::min(operand.address, address);
    operand.alone = false;
    return true;
  }
  return false;
}

/// Passes of a launch over the same memory.
std::uint64_t passes_of(const LaunchRequest& request) {
  if (request.kernel->passes_parameter < 0) return 1;
  std::uint32_t passes = 0;
  const auto index = static_cast<std::size_t>(request.kernel->passes_parameter);
  std::memcpy(&passes, request.arguments[index].data(), sizeof(passes));
  return std::max<std::uint64_t>(passes, 1);
}

}  // namespace

std::uint64_t stored_address(const Operand& operand, const KernelRegion& region) {
  if (region.stored_at == nullptr) return operand.address;
  return operand.allocation->address + static_cast<std::uint64_t>(region.stored_at - region.host);
}

bool Translated::reaches_host() const {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Operand& operand) { return operand.allocation == nullptr; });
}

std::optional<Translated> translate(Driver& all, const Device& device,
                                    const LaunchRequest& request) {
  Translated out{.arguments = request.arguments, .operands = {}, .regions = {}};
  for (std::size_t i = 0; i < out.arguments.size(); ++i) {
    if (!request.kernel->parameters[i].pointer) continue;  // a number, whatever it looks like
    std::uint64_t address = 0;
    std::memcpy(&address, out.arguments[i].data(), sizeof(address));
    if (address == 0) continue;
    Allocation* const allocation = all.memory.find(address);
    const auto pinned = allocation == nullptr ? all.pinned.find(address) : std::nullopt;
    if (pinned) {  // one address for both sides
      out.operands.push_back({.allocation = nullptr, .address = address});
      out.regions.push_back({.host = pinned->first, .bytes = pinned->second});
      continue;
    }
    if (allocation == nullptr || allocation->device != device.index()) return std::nullopt;
    if (!note_again(out, allocation, address)) {
      out.operands.push_back({.allocation = allocation, .address = address});
      out.regions.push_back({.host = allocation->backing.get(), .bytes = allocation->bytes});
    }
    const std::byte* const host = allocation->host(address);
    std::memcpy(out.arguments[i].data(), &host, sizeof(host));
  }
  return out;
}

PendingLaunch pending_of(const LaunchRequest& request, const Translated& translated) {
  PendingLaunch out{.kernel = request.kernel,
                    .shape = request.shape,
                    .arguments = translated.arguments,
                    .regions = translated.regions};
  const std::uint64_t passes = passes_of(request);
  for (std::size_t i = 0; i < translated.operands.size(); ++i) {
    const Operand& operand = translated.operands[i];
    const KernelRegion& region = translated.regions[i];
    const Allocation& allocation = *operand.allocation;
    Touch touch{.allocation = {allocation.address, allocation.address + allocation.bytes},
                .reads = region.loaded_bytes + region.uncounted_loaded_bytes > 0,
                .writes = region.stored_bytes + region.uncounted_stored_bytes > 0};
    if (!touch.reads && !touch.writes) continue;
    const bool known = operand.alone || region.stored_at != nullptr;
    if (touch.writes && known && !region.scattered) {
      // What is no traffic is written once, however many passes there are.
      const std::uint64_t once =
          region.stored_bytes > 0 ? region.stored_bytes / passes : region.uncounted_stored_bytes;
      const std::uint64_t begin = stored_address(operand, region);
      touch.written = {begin, begin + once};
    }
    out.touches.push_back(touch);
  }
  return out;
}

}  // namespace fakegpu
