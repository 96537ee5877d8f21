// Quantities, shapes and axes as typed by people: whatever the text, the answer is a value that
// obeys its promise or an InputError of one line. The first byte chooses the parser.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "demand.hpp"
#include "roofline/error.hpp"
#include "roofline/quantity_text.hpp"

namespace {

constexpr std::size_t kMaxAxisValues = 4096;  // as quantity_text.hpp says

using fuzz::demand;

void demand_finite(double value) {
  demand(std::isfinite(value) && value >= 0, "finite and not negative");
}

void demand_positive(const std::vector<std::uint64_t>& values) {
  demand(!values.empty(), "at least one value");
  for (const std::uint64_t value : values) demand(value > 0, "every value is positive");
}

void parse(std::uint8_t choice, std::string_view text) {
  using namespace roofline;
  constexpr std::string_view what = "--option";
  switch (choice % 10) {
    case 0:
      return demand_finite(in_flop_per_s(parse_performance(text, what)));
    case 1:
      return demand_finite(in_byte_per_s(parse_bandwidth(text, what)));
    case 2:
      return demand_finite(in_second(parse_seconds(text, what)));
    case 3:
      return demand_finite(in_hertz(parse_frequency(text, what)));
    case 4:
      return demand_finite(in_flop_per_byte(parse_intensity(text, what)));
    case 5:
      return static_cast<void>(parse_count(text, "FLOP", what));
    case 6:
      return static_cast<void>(parse_count(text, "B", what));
    case 7:
      return demand_finite(parse_number(text, what));
    case 8: {
      const auto sizes = parse_shape(text, 3, what);
      demand(sizes.size() == 3, "as many sizes as were asked for");
      return demand_positive(sizes);
    }
    default: {
      const auto values = parse_axis(text, what);
      demand(values.size() <= kMaxAxisValues, "not more values than an axis may have");
      return demand_positive(values);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  try {
    parse(data[0], text);
  } catch (const roofline::InputError& error) {
    fuzz::demand_sentence(error.what(), "--option");
  }
  return 0;
}
