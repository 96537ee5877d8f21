// A report file from anywhere: it is refused with an InputError of one line that names it, or read;
// and what was read, written again, is read as the same report, in parts as in one piece.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "demand.hpp"
#include "report/json_reader.hpp"
#include "report/json_writer.hpp"
#include "roofline/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  roofline::Report report;
  try {
    report = roofline::report::read_report(text, "fuzz.json");
  } catch (const roofline::InputError& error) {
    fuzz::demand_sentence(error.what(), "fuzz.json");
    return 0;
  }
  fuzz::demand(roofline::report::non_finite_values(report).empty(), "no NaN or infinity is read");
  const std::string written = roofline::report::to_json(report);
  const std::string again =
      roofline::report::to_json(roofline::report::read_report(written, "written"));
  fuzz::demand(written == again, "what was written is read as it was");
  const std::string in_parts = roofline::report::to_json(
      roofline::report::read_report(text, "parts", {.threads = 2, .chunk = 100}));
  fuzz::demand(written == in_parts, "in parts it is read as in one piece");
  return 0;
}
