// The texts of many records one after the other, made on several cores where they are many. How a
// record looks is not known here.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::report {

/// Takes a text piece by piece.
using TextSink = std::function<void(std::string_view)>;

/// `append` puts a record at the end of a text, on any thread.
void write_records(const std::vector<Record>& records, const TextSink& out,
                   const std::function<void(const Record& record, std::string& to)>& append);

}  // namespace roofline::report
