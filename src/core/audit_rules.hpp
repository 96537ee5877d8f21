// The checks behind the table of the audit. Each says with numbers where its rule fires, or
// nothing. Internal to the core.
#pragma once

#include <vector>

#include "audit_view.hpp"

namespace roofline::audit_detail {

using Found = std::vector<Evidence>;

// Is the number what the report's own figures give?
Found wrong_count(const PointView&);
Found wrong_statistic(const PointView&);
Found wrong_placement(const PointView&);
Found wrong_rate(const PointView&);
Found wrong_opportunity(const PointView&);
Found wrong_roof(const DeviceView&);
Found unlisted_roof(const PointView&);
Found wrong_fit(const DeviceView&);
Found wrong_statement(const PointView&);
Found same_point_twice(const DeviceView&);
// Are all operations and bytes in it?
Found fma_counted_as_one(const PointView&);
Found c_not_read(const PointView&);
Found output_not_written(const PointView&);
Found bytes_below_shape(const PointView&);
Found write_allocate(const PointView&);
Found nearly_all_compute_bound(const DeviceView&);
// Is it held against the right thing, and can it be?
Found sparse_denominator(const PointView&);
Found wrong_dtype_denominator(const PointView&);
Found peak_counted_once(const PointView&);
Found impossible_reading(const PointView&);
Found above_roof(const PointView&);
Found hot_cache(const PointView&);
Found below_launch_floor(const PointView&);
Found low_entropy_data(const PointView&);
// May it be trusted?
Found end_does_not_fit(const PointView&);
Found untrusted_end(const PointView&);
Found unsettled(const PointView&);
Found few_samples(const PointView&);
Found no_samples(const PointView&);
Found unverified(const PointView&);
Found no_result(const PointView&);
Found run_cut_short(const ReportView&);
Found simulated(const DeviceView&);

}  // namespace roofline::audit_detail
