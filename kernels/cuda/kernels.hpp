// What the host knows of the kernels: names, entry points, signatures, and the image that holds
// them. It knows neither how they compute nor how they are launched.
#pragma once

#include <string_view>

#include "kernels/cuda/types.hpp"

namespace roofline::cuda {

/// Kernels of one family take the same parameters.
enum class Family {
#define ROOFLINE_CUDA_FAMILY(family, parameters) family,
#include "kernels/cuda/kernels.def"
};

enum class Effect {
  pure,       ///< outputs depend on inputs alone, which are not written: may be repeated at will
  in_place,   ///< updates what it reads
  generator,  ///< outputs depend on scalar arguments alone
  probe,      ///< no data
};

struct KernelEntry {
  std::string_view name;
  const char* entry;  ///< the symbol, for cuModuleGetFunction
  Family family;
  u32 max_block;  ///< most threads of a block: the entry's launch bound
  Effect effect;
};

inline constexpr KernelEntry kKernels[] = {
#define ROOFLINE_CUDA_KERNEL(family, name, max_block, effect, call) \
  {#name, "roofline_" #name, Family::family, max_block, Effect::effect},
#include "kernels/cuda/kernels.def"
};

/// Null when there is none of this name (the name without `roofline_`).
[[nodiscard]] constexpr const KernelEntry* find_kernel(std::string_view name) {
  for (const KernelEntry& kernel : kKernels) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

namespace detail {
template <Family family>
struct SignatureOf;
#define ROOFLINE_CUDA_FAMILY(family, parameters)                           \
  template <>                                                              \
  struct SignatureOf<Family::family> {                                     \
    using type = void parameters; /* NOLINT(bugprone-macro-parentheses) */ \
  };
#include "kernels/cuda/kernels.def"
}  // namespace detail

/// void(parameters) of a family, so that launches can be typed.
template <Family family>
using Signature = typename detail::SignatureOf<family>::type;

/// FLOP (FMA = 2) of one thread in one iteration of a peak_* kernel.
inline constexpr u32 kPeakFlopsFp32 = 2 * 8 * 16;
inline constexpr u32 kPeakFlopsFp64 = 2 * 8 * 16;
inline constexpr u32 kPeakFlopsFp16 = 2 * 2 * 8 * 16;  ///< two values per register
inline constexpr u32 kPeakFlopsBf16 = 2 * 2 * 8 * 16;

}  // namespace roofline::cuda

/// The fatbin with all kernels: bytes from the first symbol to the second. Only in builds that
/// found a CUDA toolkit (target roofline_cuda_kernels).
extern "C" const unsigned char roofline_cuda_fatbin[];
extern "C" const unsigned char roofline_cuda_fatbin_end[];
