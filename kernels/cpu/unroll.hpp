// How many times a loop is repeated in the code, in the words of either compiler.
#pragma once

#if defined(__clang__)
#define ROOFLINE_UNROLL(times) _Pragma("unroll")
#else
#define ROOFLINE_UNROLL_TEXT(text) _Pragma(#text)
#define ROOFLINE_UNROLL(times) ROOFLINE_UNROLL_TEXT(GCC unroll times)
#endif
