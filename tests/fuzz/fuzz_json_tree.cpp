// Any text at all: what the quick parser takes, nlohmann/json takes as well and makes the same of.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "demand.hpp"
#include "support/json_agreement.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using roofline::test::Outcome;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  fuzz::demand(roofline::test::parse_twice(text) != Outcome::differ,
               "both parsers say the same of a text");
  return 0;
}
