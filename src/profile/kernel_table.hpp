// A table of kernels that somebody else timed: a row a call, with its name, what it computes and
// moves, and how long it took. Rows of one kernel are its samples. Opens no file and knows no
// device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::profile {

struct TimedKernel {
  std::string name;
  std::string device;  ///< as the table names it; empty where it does not
  Kernel workload;
  bool directions_known = false;  ///< reads and writes apart, else all bytes count as read
  std::optional<std::uint64_t> threads = {};
  std::vector<Sample> samples;
  std::size_t line = 0;  ///< of its first row
};

struct KernelTable {
  std::vector<TimedKernel> kernels;  ///< in the order of their first rows
  std::size_t rows = 0;
  std::vector<std::string> notes;  ///< one sentence each: columns that were left out, names shared
};

/// `dtype`: of rows that name none. Throws InputError with file, line and column for whatever is no
/// such table; an empty one, or one without rows, is `0 results`.
[[nodiscard]] KernelTable read_kernel_table(std::string_view text, std::string_view file,
                                            std::optional<DType> dtype = {});

/// The record of a kernel, with its time and counts and without roofs. `device_id` and
/// `device_name` stand in it; `source` is the file.
[[nodiscard]] Record record_of(const TimedKernel& kernel, const std::string& device_id,
                               const std::string& device_name, std::string_view source);
/// Gives what would have the id of an earlier record of its device another one: `#2`, `#3` ...
void tell_apart(std::vector<Record>& records);

}  // namespace roofline::profile
