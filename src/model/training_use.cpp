#include "model/training_use.hpp"

namespace roofline::model {

TrainingSpeed training_speed(const TrainingWork& work, TokenRate rate) {
  return {work.model() * rate, work.hardware() * rate};
}

TokenRate rate_achieving(const TrainingWork& work, Performance achieved) {
  return achieved / work.model();
}

TokenRate rate_executing(const TrainingWork& work, Performance executed) {
  return executed / work.hardware();
}

double mfu_ceiling(const TrainingWork& work) { return work.model() / work.hardware(); }

Seconds training_time(double tokens, std::uint64_t devices, TokenRate rate) {
  return second(tokens / (static_cast<double>(devices) * rate.si()));
}

TokenRate rate_of_budget(double tokens, Seconds devices_time) {
  return tokens_per_s(tokens / in_second(devices_time));
}

TokenRate rate_of_step(double tokens, std::uint64_t devices, Seconds step) {
  return tokens_per_s(tokens / (static_cast<double>(devices) * in_second(step)));
}

}  // namespace roofline::model
