// The columns of a table of kernels and what stands in their cells: headings with or without a
// unit, quantities with one of their own. Knows nothing of rows or of records.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/count.hpp"
#include "roofline/units.hpp"

namespace roofline::profile {

enum class Meaning { name, flop, bytes, read, write, time, dtype, device, threads };
[[nodiscard]] std::string_view name(Meaning meaning);

struct Column {
  std::size_t index = 0;
  std::string heading;  ///< as written
  std::string unit;     ///< `us`, `GB`, `GFLOP`; empty where the heading has none
};

/// The columns that are known, at their places, and what was not understood.
struct Columns {
  std::array<std::optional<Column>, 9> of;  ///< by Meaning
  std::vector<std::string> unknown;
  std::size_t count = 0;

  [[nodiscard]] const std::optional<Column>& operator[](Meaning meaning) const {
    return of[static_cast<std::size_t>(meaning)];
  }
};

/// `time_us`, `time (us)`, `time [us]`, `bytes_GB`, `GFLOP`, in any case. Throws InputError naming
/// `place` where a column is there twice or has a unit that is not its own.
[[nodiscard]] Columns columns_of(const std::vector<std::string>& headings,
                                 const std::string& place);

/// Throw InputError naming `place`, the column and a way out. A cell may carry its own unit; one
/// that contradicts the heading's is refused.
[[nodiscard]] Seconds time_cell(const Column& column, std::string_view text,
                                const std::string& place);
/// Exact; what a table wrote in GB with all its digits may miss a whole byte by its last digit.
[[nodiscard]] Count count_cell(const Column& column, std::string_view text, Meaning meaning,
                               const std::string& place);

}  // namespace roofline::profile
