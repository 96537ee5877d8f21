// The texts of many records, or of other things, one after the other, made on several cores where
// they are many. How one looks is not known here.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "report/text_sink.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// `append` puts the text of one of `count` things at the end of another, on any thread.
void write_texts(std::size_t count, const TextSink& out,
                 const std::function<void(std::size_t index, std::string& to)>& append);
/// The same of records.
void write_records(const std::vector<Record>& records, const TextSink& out,
                   const std::function<void(const Record& record, std::string& to)>& append);

}  // namespace roofline::report
