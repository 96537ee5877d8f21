#include "kernel_library.hpp"

#include <map>
#include <type_traits>

#include "kernels/cuda/kernels.hpp"

namespace fakegpu {
namespace {

std::uint64_t (*cycles_now)() = nullptr;
std::uint64_t (*nanoseconds_now)() = nullptr;

template <class Signature>
struct ParametersOf;
template <class... Types>
struct ParametersOf<void(Types...)> {
  static std::vector<KernelParameter> list() {
    return {KernelParameter{sizeof(Types), std::is_pointer_v<Types>}...};
  }
};

std::vector<KernelParameter> parameters_of(roofline::cuda::Family family) {
  using roofline::cuda::Family;
  switch (family) {
#define ROOFLINE_CUDA_FAMILY(name, parameters) \
  case Family::name:                           \
    return ParametersOf<void parameters>::list();
    using roofline::cuda::Bf16;
    using roofline::cuda::Half;
    using roofline::cuda::u32;
    using roofline::cuda::u64;
#include "kernels/cuda/kernels.def"
  }
  return {};
}

const std::map<std::string_view, Kernel>& library() {
  static const std::map<std::string_view, Kernel> kernels = [] {
    std::map<std::string_view, Kernel> all;
    for (const auto& entry : roofline::cuda::kKernels) {
      all[entry.entry] = {.entry = entry.entry,
                          .parameters = parameters_of(entry.family),
                          .max_block = entry.max_block,
                          .effect = static_cast<Effect>(entry.effect)};
    }
    return all;
  }();
  return kernels;
}

}  // namespace

const Kernel* find_kernel(std::string_view entry) {
  const auto found = library().find(entry);
  return found == library().end() ? nullptr : &found->second;
}

void run_kernel(const Kernel& kernel, const LaunchShape&, void** arguments,
                std::vector<KernelRegion>& regions) {
  if (kernel.entry == "roofline_spin") {
    const std::uint64_t wanted = *static_cast<std::uint64_t*>(arguments[0]);
    const std::uint64_t start = nanoseconds_now();
    while (nanoseconds_now() - start < wanted) {
    }
  }
  if (kernel.entry == "roofline_clock_sample") {
    auto* const out = *static_cast<std::uint64_t**>(arguments[0]);
    const std::uint64_t wanted = *static_cast<std::uint64_t*>(arguments[1]);
    const std::uint64_t start = nanoseconds_now();
    const std::uint64_t first = cycles_now();
    while (nanoseconds_now() - start < wanted) {
    }
    out[0] = cycles_now() - first;
    out[1] = nanoseconds_now() - start;
    regions[0].stored_bytes = 16;
  }
}

void set_kernel_clock(std::uint64_t (*cycles)(), std::uint64_t (*nanoseconds)()) {
  cycles_now = cycles;
  nanoseconds_now = nanoseconds;
}

}  // namespace fakegpu
