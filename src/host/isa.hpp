// Which instruction sets this CPU and its operating system offer. One table for the whole program:
// what a kernel may use and what the report says come from the same place. It knows no kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace roofline::host {

struct IsaFeatures {
  // x86-64
  bool avx2 = false;
  bool fma = false;
  bool avx_vnni = false;
  bool avx512f = false;
  bool avx512bw = false;
  bool avx512dq = false;
  bool avx512vl = false;
  bool avx512_vnni = false;
  bool avx512_bf16 = false;
  bool avx512_fp16 = false;
  bool amx_tile = false;
  bool amx_int8 = false;
  bool amx_bf16 = false;
  // arm64
  bool asimd = false;
  bool sve = false;
  bool arm_dotprod = false;
  bool arm_bf16 = false;
  friend bool operator==(const IsaFeatures&, const IsaFeatures&) = default;
};

/// Registers of the CPUID leaves that matter here, as the CPU returned them (Intel SDM vol. 2A,
/// CPUID).
struct CpuidWords {
  std::uint32_t leaf1_ecx = 0;
  std::uint32_t leaf7_ebx = 0;
  std::uint32_t leaf7_ecx = 0;
  std::uint32_t leaf7_edx = 0;
  std::uint32_t leaf7_1_eax = 0;
  std::uint64_t xcr0 = 0;  ///< registers that the system saves; 0 when it saves none beyond SSE
};

/// A feature counts only when the operating system saves its registers as well.
[[nodiscard]] IsaFeatures decode_cpuid(const CpuidWords& words);

/// From CPUID on x86-64 (so valgrind's virtual CPU is seen as it is), from the auxiliary vector on
/// arm64.
[[nodiscard]] IsaFeatures detect_isa();

/// The names that are set, in the words of /proc/cpuinfo.
[[nodiscard]] std::vector<std::string> names(const IsaFeatures& features);

}  // namespace roofline::host
