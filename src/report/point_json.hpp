// Explanations and points as JSON. How they are read is json_reader.hpp's business.
#pragma once

#include <string_view>

#include "report/json_out.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

void put_device(JsonOut& out, std::string_view id, std::string_view called);
/// The keys of an explanation without a time.
void put_explanation(JsonOut& out, const Explanation& in);
/// Those that a time adds; without one every value is unknown.
void put_assessment(JsonOut& out, const std::optional<Assessment>& assessment);
/// The whole of a point, as an object of its own.
void put_point(JsonOut& out, const Record& record);

}  // namespace roofline::report
