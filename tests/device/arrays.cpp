#include "arrays.hpp"

#include <algorithm>

namespace roofline::selftest {

Output::Output(cuda::Context& context, u64 bytes)
    : bytes_(bytes), buffer_(context, bytes + 2 * kGuard) {
  buffer_.set(0xff);
}

void Output::take() {
  taken_.resize(static_cast<std::size_t>(buffer_.bytes()));
  buffer_.copy_to(0, taken_);
}

bool Output::guards_whole() const {
  const auto untouched = [](std::byte byte) { return byte == std::byte{0xff}; };
  const auto contents = static_cast<std::ptrdiff_t>(kGuard);
  const auto end = contents + static_cast<std::ptrdiff_t>(bytes_);
  return std::all_of(taken_.begin(), taken_.begin() + contents, untouched) &&
         std::all_of(taken_.begin() + end, taken_.end(), untouched);
}

}  // namespace roofline::selftest
