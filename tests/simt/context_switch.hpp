// Leaving one stack for another: the one part of the emulator that knows the processor. x86-64 in
// assembler (8 ns), ucontext elsewhere and where ROOFLINE_SIMT_UCONTEXT is defined (160 ns).
#pragma once

#include <cstddef>

namespace simt {

/// A context that begins `entry` on the stack [bottom, bottom + bytes). `entry` never returns.
void* first_context(char* bottom, std::size_t bytes, void (*entry)());

/// Goes on in `load`, and returns when somebody switches to what is then in `*save`.
void switch_context(void** save, void* load);

}  // namespace simt
