// The values of what reports write as one word of a list; name() has the word of each.
#pragma once

#include "roofline/record.hpp"

namespace roofline::report {

inline constexpr Origin kOrigins[] = {Origin::datasheet, Origin::derived, Origin::clock_adjusted,
                                      Origin::measured, Origin::user};
inline constexpr Sparsity kSparsities[] = {Sparsity::dense, Sparsity::sparse_2_4};
inline constexpr Bound kBounds[] = {Bound::memory, Bound::compute, Bound::overhead};
inline constexpr Verdict kVerdicts[] = {Verdict::at_memory_roof,  Verdict::below_memory_roof,
                                        Verdict::at_compute_roof, Verdict::below_compute_roof,
                                        Verdict::overhead_bound,  Verdict::impossible,
                                        Verdict::unknown};
inline constexpr Agreement kAgreements[] = {Agreement::confirmed, Agreement::refuted,
                                            Agreement::undecided};
inline constexpr MeasurementEnd kEnds[] = {
    MeasurementEnd::converged, MeasurementEnd::budget_spent,       MeasurementEnd::contended,
    MeasurementEnd::throttled, MeasurementEnd::placement_unstable, MeasurementEnd::interrupted,
    MeasurementEnd::unsettled};
inline constexpr Disturbance kDisturbances[] = {Disturbance::contended, Disturbance::moved,
                                                Disturbance::throttled};
inline constexpr VerificationState kStates[] = {
    VerificationState::verified, VerificationState::incorrect, VerificationState::unverified};

}  // namespace roofline::report
