#include "roofline/roof.hpp"

namespace roofline {

std::string_view name(Origin origin) {
  constexpr std::string_view names[] = {"datasheet", "derived", "clock_adjusted", "measured",
                                        "user"};
  return names[static_cast<std::size_t>(origin)];
}

std::string_view name(Sparsity sparsity) {
  return sparsity == Sparsity::dense ? "dense" : "sparse_2_4";
}

}  // namespace roofline
