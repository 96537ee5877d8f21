#include "simt/context_switch.hpp"

#if defined(__x86_64__) && !defined(ROOFLINE_SIMT_UCONTEXT)

// What the ABI has a called function keep: rbx, rbp, r12 to r15, and the stack pointer. The SSE and
// x87 control words are the same in every fiber, as kernels don't touch them.
extern "C" void simt_switch_stack(void** save, void* load);
asm(R"(
  .text
  .p2align 4
  .globl simt_switch_stack
  .hidden simt_switch_stack
  .type simt_switch_stack, @function
simt_switch_stack:
  pushq %rbx
  pushq %rbp
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbp
  popq %rbx
  ret
  .size simt_switch_stack, . - simt_switch_stack
)");

namespace simt {

void* first_context(char* bottom, std::size_t bytes, void (*entry)()) {
  constexpr int registers = 6;
  // 16-byte aligned before the call that `entry` believes to be the result of: the word above its
  // address is where a return address would be, and 0 there ends a backtrace.
  void** top = reinterpret_cast<void**>(bottom + bytes);
  *--top = nullptr;
  *--top = reinterpret_cast<void*>(entry);
  for (int i = 0; i < registers; ++i) *--top = nullptr;
  return top;
}

void switch_context(void** save, void* load) { simt_switch_stack(save, load); }

}  // namespace simt

#else

#include <ucontext.h>

#include <cstdlib>
#include <new>

namespace simt {

// Each context lies on the stack that it belongs to.
void* first_context(char* bottom, std::size_t bytes, void (*entry)()) {
  const std::size_t for_stack = (bytes - sizeof(ucontext_t)) & ~std::size_t{63};
  auto* const context = new (bottom + for_stack) ucontext_t;
  if (getcontext(context) != 0) std::abort();
  context->uc_stack.ss_sp = bottom;
  context->uc_stack.ss_size = for_stack;
  context->uc_link = nullptr;
  makecontext(context, entry, 0);
  return context;
}

void switch_context(void** save, void* load) {
  ucontext_t here;
  *save = &here;
  if (swapcontext(&here, static_cast<ucontext_t*>(load)) != 0) std::abort();
}

}  // namespace simt

#endif
