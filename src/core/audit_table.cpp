#include "audit_rules.hpp"

namespace roofline {
namespace {

using namespace audit_detail;

constexpr AuditRule kRules[] = {
    // Is the number what the report's own figures give?
    {"wrong_count", Severity::error,
     "Work or traffic is not that of the workload that stands beside it.", wrong_count,
     "Count again: the formulas are in docs/method.md, and roofline explain shows them for one "
     "operation."},
    {"wrong_statistic", Severity::error,
     "The time, its interval or its noise is not that of the samples that count.", wrong_statistic,
     "Take the median of the samples that are not marked as disturbed, never the best."},
    {"wrong_placement", Severity::error,
     "Intensity, ridge, ceiling, floor or side does not follow from counts and roofs.",
     wrong_placement,
     "Place the point again from its counts and roofs: roofline explain does it for one."},
    {"wrong_rate", Severity::error,
     "A rate, a ratio or the verdict does not follow from counts, time and roofs.", wrong_rate,
     "Divide again: achieved = work / time, MFU = achieved / peak, each with the figures beside "
     "it."},
    {"wrong_opportunity", Severity::error,
     "A ceiling of the two rooflines, or an opportunity, does not follow from its peak.",
     wrong_opportunity,
     "Work it out again from the peaks of both rooflines and the sustained bandwidth."},
    {"wrong_roof", Severity::error,
     "A roof is not what the point that showed it reached, or a point does not define what it "
     "says.",
     wrong_roof, "Take the roof from that point again, or measure both again."},
    {"unlisted_roof", Severity::error,
     "A point is held against a roof that the report does not list, or lists otherwise.",
     unlisted_roof, "List the roof with its origin, or hold the point against one that is listed."},
    {"wrong_fit", Severity::error, "The time model is not that of the streams it was fitted to.",
     wrong_fit, "Fit it again from the streams and transfers of the report."},
    {"wrong_statement", Severity::error,
     "What a point says of itself is not what the rest of the point gives.", wrong_statement,
     "Take it from the report as it is written again: roofline show FILE --format json."},
    {"same_point_twice", Severity::error, "Two points of one device have the same id.",
     same_point_twice, "Keep one of them, or merge the reports with --keep."},
    // Are all operations and bytes in it?
    {"fma_counted_as_one", Severity::error,
     "An FMA is counted as one operation: achieved FLOP/s and MFU come out half as high.",
     fma_counted_as_one, "Count an FMA as two, as peaks do: a product is 2mnk."},
    {"c_not_read", Severity::error,
     "The C that beta reads is not among the bytes: the intensity is too high.", c_not_read,
     "Count C twice where beta is not 0: read and written."},
    {"output_not_written", Severity::error,
     "The result is not among the bytes: the intensity is too high.", output_not_written,
     "Count what is written, too."},
    {"bytes_below_shape", Severity::warning,
     "Fewer bytes are counted than the shape in the name has: the intensity is too high.",
     bytes_below_shape,
     "Count every operand once and the result once; if a counter says less, caches kept the rest: "
     "rotate operands."},
    {"write_allocate", Severity::error,
     "Lines that stores read before they write them are not among the bytes that move.",
     write_allocate,
     "Add a read for each written byte, or use non-temporal stores; a counter of the memory "
     "controller tells."},
    {"nearly_all_compute_bound", Severity::warning,
     "Nearly everything is compute-bound: bytes may be undercounted.", nearly_all_compute_bound,
     "Name the boundary and enumerate every tensor that crosses it; check peak and bandwidth of "
     "the ridge."},
    // Is it held against the right thing, and can it be?
    {"sparse_denominator", Severity::error,
     "Dense work is held against a peak with 2:4 sparsity: MFU comes out half as high.",
     sparse_denominator, "Use the dense peak, half of the sparse one."},
    {"wrong_dtype_denominator", Severity::error,
     "Work in one type is held against the peak of another.", wrong_dtype_denominator,
     "Use the peak of the type that is computed in, not of the one that is stored."},
    {"peak_counted_once", Severity::warning,
     "The peak is half of the rated one: it may count an FMA as one, or have been halved twice.",
     peak_counted_once,
     "Check where the peak comes from: a dense figure that counts an FMA as two is not halved."},
    {"impossible", Severity::error, "The reading lies above what the device can do.",
     impossible_reading,
     "Mend the count, the time or the peak before reading anything else; the likeliest cause is "
     "named."},
    {"above_roof", Severity::warning, "The reading lies above its roof, though not impossibly far.",
     above_roof,
     "Where the roof was measured, measure it again; where it is rated, look at the clock under "
     "load."},
    {"hot_cache", Severity::error, "A cache was measured where memory was meant.", hot_cache,
     "Rotate operands over several times the cache, or flush it between calls."},
    {"below_launch_floor", Severity::error, "A call takes less time than an empty one.",
     below_launch_floor, "Synchronise before the clock stops, and time several calls together."},
    {"low_entropy_data", Severity::warning,
     "Zeros, ones and small integers draw less power than data do, and clock higher.",
     low_entropy_data, "Quote the figure of random data, and this one beside it."},
    // May it be trusted?
    {"end_does_not_fit", Severity::warning, "How the point ended is not what its samples say.",
     end_does_not_fit, "Measure it again; a report of an older program may know fewer ends."},
    {"untrusted_end", Severity::warning, "The figure is not of the point alone.", untrusted_end,
     "Quiet the machine (roofline doctor says how) and measure the point again."},
    {"unsettled", Severity::note, "The rate moved while it was measured.", unsettled,
     "Repeat it before relying on a difference of a few per cent."},
    {"few_samples", Severity::note, "Too few samples to tell how far the figure may be off.",
     few_samples, "Take three samples or more, better twenty."},
    {"no_samples", Severity::warning, "The time cannot be checked.", no_samples,
     "Keep the samples with the figure."},
    {"unverified", Severity::warning, "Nobody checked what was computed.", unverified,
     "Check the result before its time counts: fast and wrong is easy."},
    {"no_result", Severity::note, "A point failed, or its result was wrong.", no_result,
     "See roofline show; it is no figure, and none is made of it."},
    {"run_cut_short", Severity::warning, "The run ended before all points were measured.",
     run_cut_short, "Go on with it (--resume), or say that it is a part."},
    {"simulated", Severity::note, "No hardware was measured.", simulated,
     "Quote none of its figures as a device's."},
};

}  // namespace

std::span<const AuditRule> audit_rules() { return kRules; }

}  // namespace roofline
