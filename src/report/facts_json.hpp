// Facts as JSON, and back: plain values by key, and under `unknown` why some are null.
#pragma once

#include "report/json_node.hpp"
#include "report/json_out.hpp"
#include "roofline/fact.hpp"

namespace roofline::report {

/// Into the open object. Of facts of one key the last counts, in the place of the first.
void put_facts(JsonOut& out, const Facts& facts);
[[nodiscard]] Facts read_facts(const Node& node);

}  // namespace roofline::report
