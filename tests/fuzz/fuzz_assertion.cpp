// An assertion from anywhere: it is refused in one line, at a place in its text, or can be asked of
// a report, and speaks of no more points than that has.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "demand.hpp"
#include "report/assertion.hpp"
#include "roofline/error.hpp"

namespace {

using namespace roofline;

Report small_report() {
  Report out;
  out.device_name = "x";
  Record record;
  record.id = "stream/fp64/read";
  record.workload = Stream{StreamKind::read, 1'000'000, DType::fp64};
  record.account = account(record.workload);
  Measured measured;
  measured.time_median = second(1e-5);
  measured.end = MeasurementEnd::converged;
  record.outcome = measured;
  record.assessment.emplace();
  record.assessment->achieved_bandwidth = byte_per_s(8e11);
  out.points.push_back(record);
  out.roofs = {
      {"read", MemoryRoof{byte_per_s(1e12), Boundary::dram, Origin::measured, "y"}, {}, {}}};
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Report report = small_report();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const report::Assertion assertion = report::parse_assertion(text);
    const report::Answer answer = report::ask(assertion, report);
    fuzz::demand(answer.points <= report.points.size(), "no more points than there are");
    fuzz::demand(!answer.holds || answer.points != 0, "what speaks of nothing does not hold");
    fuzz::demand(!answer.said.empty(), "an answer has a reason");
  } catch (const report::AssertionError& error) {
    fuzz::demand(error.position() <= text.size(), "the place lies in the text");
    fuzz::demand(*error.what() != '\0', "a refusal has a reason");
  }
  return 0;
}
