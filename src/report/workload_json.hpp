// The part of a point's JSON that depends on the kind of workload, both ways. Types that were left
// to a default are written out: what is there is what was computed.
#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/json_node.hpp"
#include "roofline/workload.hpp"

namespace roofline::report {

/// The fields of the workload, without its kind.
[[nodiscard]] nlohmann::ordered_json workload_json(const Workload& workload);
/// `kind` as kind_name() has it. Throws InputError.
[[nodiscard]] Workload read_workload(const Node& kind, const Node& fields);

}  // namespace roofline::report
