// What the sanitizers must be told when a fiber's stack takes the place of another; nothing where
// there are none. Switches no stack itself.
#pragma once

#include <cstddef>

// ROOFLINE_SIMT_TSAN: kernels are compiled with -fsanitize=thread, the emulator is not.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SIMT_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SIMT_ASAN 1
#endif

namespace simt {

/// Of one fiber. A call before the switch returns what the call behind it, on the other side,
/// needs.
struct StackNotes {
  StackNotes();
  ~StackNotes();  // NOLINT(performance-trivially-destructible): not under every sanitizer
  StackNotes(const StackNotes&) = delete;
  StackNotes& operator=(const StackNotes&) = delete;

  void before_first_use(char* stack, std::size_t bytes);
  void* before_resuming(char* stack, std::size_t bytes);
  void after_resuming(void* kept);
  void* before_suspending(bool for_good) const;
  void after_suspending(void* kept);

  void* tsan_self = nullptr;
  void* tsan_resumer = nullptr;
  const void* resumer_bottom = nullptr;
  std::size_t resumer_bytes = 0;
};

/// What ThreadSanitizer may conclude about the order of kernel code; the emulator's own bookkeeping
/// orders nothing.
void happens_before(void* tag);
void happens_after(void* tag);

#if !defined(ROOFLINE_SIMT_TSAN) && !defined(SIMT_ASAN)
inline StackNotes::StackNotes() = default;
inline StackNotes::~StackNotes() = default;
inline void StackNotes::before_first_use(char*, std::size_t) {}
inline void* StackNotes::before_resuming(char*, std::size_t) { return nullptr; }
inline void StackNotes::after_resuming(void*) {}
inline void* StackNotes::before_suspending(bool) const { return nullptr; }
inline void StackNotes::after_suspending(void*) {}
inline void happens_before(void*) {}
inline void happens_after(void*) {}
#endif

}  // namespace simt
