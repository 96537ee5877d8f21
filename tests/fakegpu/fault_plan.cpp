#include "fault_plan.hpp"

namespace fakegpu {

const Fault* FaultPlan::next(std::string_view site, int device) {
  const Fault* happens = nullptr;
  for (std::size_t i = 0; i < faults_->size(); ++i) {
    const Fault& fault = (*faults_)[i];
    const bool here = fault.device == kEveryDevice || fault.device == device;
    if (!here || !matches(fault.site, site)) continue;
    const std::uint64_t call = ++calls_[{i, device}];
    if (happens == nullptr && call >= fault.first && call <= fault.last) happens = &fault;
  }
  return happens;
}

}  // namespace fakegpu
