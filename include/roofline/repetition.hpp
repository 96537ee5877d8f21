// Several repetitions of one point as one record.
#pragma once

#include "roofline/record.hpp"

namespace roofline {

/// Takes another repetition of the same point into its record: its samples join the others, and the
/// figure is of all of them. One that failed or was wrong makes the whole so, one that was
/// interrupted or skipped is left out where another is whole. What was predicted and what
/// implements it stay those of the first.
void add_repetition(Record& into, Record next);

/// The repetitions that a record has samples of; empty where it was not repeated.
[[nodiscard]] std::vector<std::uint64_t> repetitions_of(const Record& record);

}  // namespace roofline
