#include "kernels/cpu/clock.hpp"

namespace roofline::cpu {

std::uint64_t add_chain(std::uint64_t links) {
#if defined(__x86_64__)
  std::uint64_t sum = 1;
  const std::uint64_t step = 3;
  for (std::uint64_t i = 0; i < links; ++i) {
    asm volatile(".rept 64\n add %1,%0\n .endr\n" : "+r"(sum) : "r"(step) : "cc");
  }
  return sum;
#elif defined(__aarch64__)
  std::uint64_t sum = 1;
  const std::uint64_t step = 3;
  for (std::uint64_t i = 0; i < links; ++i) {
    asm volatile(".rept 64\n add %0,%0,%1\n .endr\n" : "+r"(sum) : "r"(step));
  }
  return sum;
#else
  static_cast<void>(links);
  return 0;
#endif
}

}  // namespace roofline::cpu
