#include "backend/cuda/gpu.hpp"

#include <algorithm>

#include "backend/cuda/lt_objects.hpp"
#include "backend/size_text.hpp"

namespace roofline::cuda {
namespace {

/// Free memory comes in pieces.
constexpr double kOfFree = 0.9;
/// About what a context takes of a large GPU, as long as there is none.
constexpr std::uint64_t kOfContext = std::uint64_t{512} << 20U;
/// Of cuBLASLt, which wants 32 MiB from Hopper on to offer all it has. A quarter of a small memory.
constexpr std::uint64_t kWorkspace = std::uint64_t{64} << 20U;

std::optional<std::uint64_t> free_fact(const Facts& facts) {
  for (const Fact& fact : facts) {
    if (fact.key != "memory_free_bytes") continue;
    if (const auto* bytes = std::get_if<std::uint64_t>(&fact.value)) return *bytes;
  }
  return std::nullopt;
}

}  // namespace

Gpu::Gpu(std::shared_ptr<const Libraries> libraries, ListedGpu listed,
         std::shared_ptr<SharedState> shared)
    : listed_(std::move(listed)),
      context_(libraries, listed_.reading.index, listed_.listed.device.id),
      shared_(std::move(shared)),
      monitor_(std::move(libraries), listed_.reading) {}

Gpu::~Gpu() = default;

unsigned Gpu::sm_count() const {
  return reading().sm_count > 0 ? static_cast<unsigned>(reading().sm_count) : 1;
}

std::uint64_t Gpu::l2_bytes() const {
  constexpr std::uint64_t kAssumed = std::uint64_t{64} << 20;
  return reading().l2_bytes > 0 ? static_cast<std::uint64_t>(reading().l2_bytes) : kAssumed;
}

std::uint64_t Gpu::memory_budget() {
  if (!context_.lost_because().empty()) return 0;
  std::uint64_t free = free_fact(device().facts).value_or(reading().memory_bytes);
  if (!context_.active()) {
    free -= std::min(free / 2, kOfContext);
  } else {
    try {
      context_.use();
      free = context_.memory().free;
    } catch (const backend::BackendError&) {
      // The point that comes next will meet the same error, and say so.
    }
  }
  return static_cast<std::uint64_t>(kOfFree * static_cast<double>(free));
}

std::uint64_t Gpu::memory_left() {
  try {
    context_.use();
  } catch (const backend::BackendError&) {
    // The point that comes next will meet the same error, and say so.
  }
  return memory_budget();
}

DeviceSizes Gpu::sizes() {
  const double clock = static_cast<double>(std::max(0, reading().memory_clock_khz)) * 1e3;
  const double bits = static_cast<double>(std::max(0, reading().memory_bus_bits));
  return {l2_bytes(), 2 * clock * bits / 8, memory_budget()};
}

std::span<std::byte> Gpu::staging(std::uint64_t bytes) {
  if (staging_.bytes() < bytes || !staging_.valid()) {
    staging_ = HostBuffer();
    staging_ = HostBuffer(context_, bytes);
  }
  return {staging_.data(), bytes};
}

std::uint64_t Gpu::lt_workspace_to_come() {
  if (lt_session_ && lt_session_->generation() == context_.generation()) return 0;
  return std::min(kWorkspace, memory_budget() / 4 / 256 * 256);
}

LtSession& Gpu::lt_session() {
  if (lt_session_ && lt_session_->generation() == context_.generation()) return *lt_session_;
  const CublasLtLibrary& library = shared_->cublaslt.get();
  if (!library.problem.empty()) throw backend::BackendError(library.problem);
  lt_session_.reset();
  lt_session_ = std::make_unique<LtSession>(context_, library, lt_workspace_to_come());
  return *lt_session_;
}

Facts Gpu::telemetry() const { return read_telemetry(context_.libraries(), reading()); }

std::optional<backend::Unsupported> too_large(Gpu& gpu, double needed,
                                              const std::string& what_fits) {
  const auto budget = static_cast<double>(gpu.memory_budget());
  if (needed <= budget) return std::nullopt;
  return backend::Unsupported{"it takes " + backend::size_text(needed) + " of memory, and " +
                              backend::size_text(budget) + " of " + gpu.device().id +
                              " may be used (90 % of what is free); " + what_fits};
}

}  // namespace roofline::cuda
