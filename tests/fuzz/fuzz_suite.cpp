// A suite file from anywhere: it is refused with an InputError of one line that names it, or is a
// suite whose points can be counted.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "demand.hpp"
#include "measure/suite.hpp"
#include "roofline/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto suite = roofline::measure::parse_suite(text, "fuzz.json");
    fuzz::demand(!suite.points.empty() || !suite.gpu_points.empty(), "a suite has points");
  } catch (const roofline::InputError& error) {
    fuzz::demand_sentence(error.what(), "fuzz.json");
  }
  return 0;
}
