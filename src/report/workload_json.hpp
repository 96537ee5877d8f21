// The part of a point's JSON that depends on the kind of workload, both ways. Types that were left
// to a default are written out: what is there is what was computed.
#pragma once

#include <string_view>

#include "report/json_node.hpp"
#include "report/json_out.hpp"
#include "roofline/workload.hpp"

namespace roofline::report {

/// `workload`: its fields, without its kind.
void put_workload(JsonOut& out, const Workload& workload);
/// `kind` as kind_name() has it. Throws InputError.
[[nodiscard]] Workload read_workload(const Node& kind, const Node& fields);

}  // namespace roofline::report
