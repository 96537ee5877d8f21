#include "host/isa.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>
#endif

namespace roofline::host {
namespace {

constexpr bool bit(std::uint64_t word, unsigned position) { return ((word >> position) & 1) != 0; }

#if defined(__x86_64__)
std::uint64_t read_xcr0() {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (std::uint64_t{high} << 32) | low;
}

CpuidWords read_cpuid() {
  CpuidWords out;
  std::uint32_t eax = 0;
  std::uint32_t ebx = 0;
  std::uint32_t ecx = 0;
  std::uint32_t edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0) out.leaf1_ecx = ecx;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0) {
    out.leaf7_ebx = ebx;
    out.leaf7_ecx = ecx;
    out.leaf7_edx = edx;
    const std::uint32_t subleaves = eax;
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0)
      out.leaf7_1_eax = eax;
  }
  constexpr unsigned kOsxsave = 27;
  if (bit(out.leaf1_ecx, kOsxsave)) out.xcr0 = read_xcr0();
  return out;
}
#endif

}  // namespace

IsaFeatures decode_cpuid(const CpuidWords& words) {
  constexpr std::uint64_t kYmm = 0x6;   // XMM and YMM
  constexpr std::uint64_t kZmm = 0xe6;  // and the mask registers and both halves of ZMM
  constexpr std::uint64_t kTiles = 0x60000;
  const bool ymm = (words.xcr0 & kYmm) == kYmm && bit(words.leaf1_ecx, 28);
  const bool zmm = ymm && (words.xcr0 & kZmm) == kZmm;
  const bool tiles = (words.xcr0 & kTiles) == kTiles;
  IsaFeatures f;
  f.fma = ymm && bit(words.leaf1_ecx, 12);
  f.avx2 = ymm && bit(words.leaf7_ebx, 5);
  f.avx_vnni = ymm && bit(words.leaf7_1_eax, 4);
  f.avx512f = zmm && bit(words.leaf7_ebx, 16);
  f.avx512dq = f.avx512f && bit(words.leaf7_ebx, 17);
  f.avx512bw = f.avx512f && bit(words.leaf7_ebx, 30);
  f.avx512vl = f.avx512f && bit(words.leaf7_ebx, 31);
  f.avx512_vnni = f.avx512f && bit(words.leaf7_ecx, 11);
  f.avx512_bf16 = f.avx512f && bit(words.leaf7_1_eax, 5);
  f.avx512_fp16 = f.avx512f && bit(words.leaf7_edx, 23);
  f.amx_bf16 = tiles && bit(words.leaf7_edx, 22);
  f.amx_tile = tiles && bit(words.leaf7_edx, 24);
  f.amx_int8 = tiles && bit(words.leaf7_edx, 25);
  return f;
}

IsaFeatures detect_isa() {
#if defined(__x86_64__)
  return decode_cpuid(read_cpuid());
#elif defined(__aarch64__) && defined(__linux__)
  // Bits of asm/hwcap.h, which older headers do not have all of.
  const std::uint64_t hwcap = getauxval(AT_HWCAP);
  const std::uint64_t hwcap2 = getauxval(AT_HWCAP2);
  IsaFeatures f;
  f.asimd = bit(hwcap, 1);
  f.arm_dotprod = bit(hwcap, 20);
  f.sve = bit(hwcap, 22);
  f.arm_bf16 = bit(hwcap2, 14);
  return f;
#else
  return {};
#endif
}

std::vector<std::string> names(const IsaFeatures& f) {
  const struct {
    bool set;
    const char* name;
  } table[] = {
      {f.avx2, "avx2"},
      {f.fma, "fma"},
      {f.avx_vnni, "avx_vnni"},
      {f.avx512f, "avx512f"},
      {f.avx512bw, "avx512bw"},
      {f.avx512dq, "avx512dq"},
      {f.avx512vl, "avx512vl"},
      {f.avx512_vnni, "avx512_vnni"},
      {f.avx512_bf16, "avx512_bf16"},
      {f.avx512_fp16, "avx512_fp16"},
      {f.amx_tile, "amx_tile"},
      {f.amx_int8, "amx_int8"},
      {f.amx_bf16, "amx_bf16"},
      {f.asimd, "asimd"},
      {f.sve, "sve"},
      {f.arm_dotprod, "asimddp"},
      {f.arm_bf16, "bf16"},
  };
  std::vector<std::string> out;
  for (const auto& entry : table) {
    if (entry.set) out.emplace_back(entry.name);
  }
  return out;
}

}  // namespace roofline::host
