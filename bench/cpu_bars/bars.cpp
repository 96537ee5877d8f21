// The table of the bars.
#include "bars.hpp"

#include "bar_parts.hpp"

namespace bars {
namespace {

constexpr Bar kBars[] = {
    {1, "FMA peak of fp64 and fp32 against lanes x 2 x 2 units x derived clock", bar1},
    {2, "bf16 and int8 dot products against their ideal", bar2},
    {3, "ratios of peaks that need no clock", bar3},
    {4, "FMA peaks beside likwid-bench", bar4},
    {5, "the derived clock: two chains agree, and it is steady", bar5},
    {6, "triad with regular stores beside the best peer, one thread", bar6},
    {7, "non-temporal triad, read and update beside likwid-bench", bar7},
    {8, "triad beside the best peer, two threads in one placement", bar8},
    {9, "write-allocate shows, and moved and counted bytes are both recorded", bar9},
    {10, "the cache staircase", bar10},
    {11, "matvec against the read bandwidth of the same threads", bar11},
    {12, "GEMM, best size, against the FMA peak", bar12},
    {13, "GEMM of 4096 against the FMA peak", bar13},
    {14, "fp64 GEMM against the peak of its core's instruction set", bar14},
    {15, "GEMM of few rows", bar15},
    {16, "variation from run to run", bar16},
    {17, "nothing above a roof goes unflagged", bar17},
    {18, "ten runs of 20 s agree", bar18},
    {19, "the time of a call of any size, predicted by calls of other sizes", bar19},
};

}  // namespace

std::span<const Bar> all_bars() { return kBars; }

}  // namespace bars
