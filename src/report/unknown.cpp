#include "report/unknown.hpp"

namespace roofline::report {

bool traffic_is_known(const Account& account) {
  return !account.traffic.empty() || account.work.has_value();
}

std::string_view unknown_counts_reason(const Account& account) {
  if (account.stated_intensity) return "the kernel is given by its intensity alone";
  return "the counts of this workload are not known";
}

bool is_judged(const Assessment& assessment) {
  return assessment.of_ceiling || assessment.mfu || assessment.above_roof || assessment.impossible;
}

std::string_view reason(const Outcome& outcome) {
  if (const auto* skipped = std::get_if<Skipped>(&outcome)) return skipped->reason;
  if (const auto* failed = std::get_if<Failed>(&outcome)) return failed->reason;
  if (const auto* wrong = std::get_if<Incorrect>(&outcome)) return wrong->verification.detail;
  return {};
}

const Verification* verification(const Outcome& outcome) {
  if (const auto* measured = std::get_if<Measured>(&outcome)) return &measured->verification;
  if (const auto* wrong = std::get_if<Incorrect>(&outcome)) return &wrong->verification;
  return nullptr;
}

}  // namespace roofline::report
