// The code paths that the kernels exist in, narrowest first. Which of them this CPU can run is
// asked elsewhere.
#pragma once

namespace roofline::cpu {

enum class Isa {
  portable,  ///< plain C++, for any CPU
  avx2,      ///< with FMA
  avx512,    ///< F, BW, DQ and VL
};

[[nodiscard]] constexpr const char* name(Isa isa) {
  return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

}  // namespace roofline::cpu
