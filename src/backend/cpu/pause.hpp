// Waiting in a loop without starving the sibling hardware thread.
#pragma once

#include <thread>

namespace roofline::cpu {

/// `ready()` is asked again and again; after a while the CPU is offered to others as well, for it
/// may be needed by the very thread that is waited for.
template <class Ready>
void spin_until(Ready&& ready) {
  constexpr unsigned kSpins = 1U << 12;
  for (unsigned spins = 0; !ready(); ++spins) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
    if (spins > kSpins) std::this_thread::yield();
  }
}

}  // namespace roofline::cpu
