// Sizes of memory in the sentences of backends: why something doesn't fit, and what would.
#pragma once

#include <string>

namespace roofline::backend {

/// `1.5 GB`: a number of bytes with a decimal prefix and, above bytes, one decimal.
[[nodiscard]] std::string size_text(double bytes);

}  // namespace roofline::backend
