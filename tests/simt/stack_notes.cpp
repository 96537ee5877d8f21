#include "simt/stack_notes.hpp"

#if defined(ROOFLINE_SIMT_TSAN)

extern "C" {
// NOLINTBEGIN(bugprone-reserved-identifier)
void* __tsan_get_current_fiber();
void* __tsan_create_fiber(unsigned flags);
void __tsan_destroy_fiber(void* fiber);
void __tsan_switch_to_fiber(void* fiber, unsigned flags);
void __tsan_acquire(void* tag);
void __tsan_release(void* tag);
// NOLINTEND(bugprone-reserved-identifier)
}

namespace simt {
namespace {
constexpr unsigned kOrdersNothing = 1;
}

StackNotes::StackNotes() : tsan_self(__tsan_create_fiber(0)) {}
StackNotes::~StackNotes() { __tsan_destroy_fiber(tsan_self); }
void StackNotes::before_first_use(char*, std::size_t) {}
void* StackNotes::before_resuming(char*, std::size_t) {
  tsan_resumer = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_self, kOrdersNothing);
  return nullptr;
}
void StackNotes::after_resuming(void*) {}
void* StackNotes::before_suspending(bool) const {
  __tsan_switch_to_fiber(tsan_resumer, kOrdersNothing);
  return nullptr;
}
void StackNotes::after_suspending(void*) {}
void happens_before(void* tag) { __tsan_release(tag); }
void happens_after(void* tag) { __tsan_acquire(tag); }
}  // namespace simt

#elif defined(SIMT_ASAN)

#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>

namespace simt {

StackNotes::StackNotes() = default;
StackNotes::~StackNotes() = default;
void StackNotes::before_first_use(char* stack, std::size_t bytes) {
  __asan_unpoison_memory_region(stack, bytes);  // what the last body left behind
}
void* StackNotes::before_resuming(char* stack, std::size_t bytes) {
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack, bytes);
  return fake_stack;
}
void StackNotes::after_resuming(void* kept) {
  __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
}
void* StackNotes::before_suspending(bool for_good) const {
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(for_good ? nullptr : &fake_stack, resumer_bottom, resumer_bytes);
  return fake_stack;
}
void StackNotes::after_suspending(void* kept) {
  __sanitizer_finish_switch_fiber(kept, &resumer_bottom, &resumer_bytes);
}
void happens_before(void*) {}
void happens_after(void*) {}

}  // namespace simt

#endif
