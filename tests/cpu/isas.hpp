// The code paths that this CPU can run, so that a test covers each of them wherever it runs.
#pragma once

#include <vector>

#include "host/isa.hpp"
#include "kernels/cpu/isa.hpp"

namespace roofline::cpu {

inline std::vector<Isa> isas_here() {
  const host::IsaFeatures f = host::detect_isa();
  std::vector<Isa> out{Isa::portable};
  if (f.avx2 && f.fma) out.push_back(Isa::avx2);
  if (f.avx512f && f.avx512bw && f.avx512dq && f.avx512vl) out.push_back(Isa::avx512);
  return out;
}

}  // namespace roofline::cpu
