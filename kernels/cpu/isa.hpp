// The code paths that the kernels exist in, narrowest first. Which of them this CPU can run is
// asked elsewhere.
#pragma once

#include <optional>
#include <string_view>

namespace roofline::cpu {

enum class Isa {
  portable,  ///< plain C++, for any CPU
  avx2,      ///< with FMA
  avx512,    ///< F, BW, DQ and VL
};

[[nodiscard]] constexpr const char* name(Isa isa) {
  return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable";
}

/// The inverse; nothing for another word.
[[nodiscard]] constexpr std::optional<Isa> find_isa(std::string_view text) {
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
    if (text == name(isa)) return isa;
  }
  return std::nullopt;
}

}  // namespace roofline::cpu
