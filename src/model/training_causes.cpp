#include "model/training_causes.hpp"

#include <cmath>
#include <string>

namespace roofline::model {
namespace {

double hfu_of(Flops hardware, const TrainingReading& reading) {
  return hardware * reading.rate / reading.peak;
}

/// Under `exact`, what the formula counts too much is gone.
bool fits_exactly(const Architecture& model, const TrainingWork& work,
                  const TrainingReading& reading) {
  const TrainingSetup& setup = work.setup;
  const bool exact_already =
      setup.convention == TrainingConvention::exact && setup.attention != TrainingAttention::full;
  if (exact_already || setup.sequence == 0) return false;
  const TrainingWork exactly =
      training_work(model, {.sequence = setup.sequence, .recompute = setup.recompute});
  return hfu_of(exactly.hardware(), reading) <= 1;
}

Flops without_attention(const TrainingWork& work) {
  Flops out;
  for (const TrainingPart& part : work.parts) {
    if (part.id != "attention") out = out + part.hardware;
  }
  return out;
}

}  // namespace

std::vector<Cause> training_causes(const Architecture& model, const TrainingWork& work,
                                   const TrainingReading& reading) {
  std::vector<Cause> out;
  const double hfu = hfu_of(work.hardware(), reading);
  if (reading.counts_devices)
    out.push_back({"several_devices",
                   "the tokens may be those of several devices together: " +
                       std::to_string(static_cast<std::uint64_t>(std::ceil(std::min(hfu, 1e18)))) +
                       " or more would bring it below the peak; say how many (--devices)"});
  if (work.model() * reading.rate <= reading.peak)
    out.push_back(
        {"less_recomputed",
         "MFU fits and HFU does not: less may be recomputed than was said (--recompute)"});
  if (fits_exactly(model, work, reading))
    out.push_back({"convention",
                   "the convention counts work that a causal mask or a look-up saves: counted as "
                   "exact, the same reading fits"});
  if (hfu_of(without_attention(work), reading) <= 1)
    out.push_back({"shorter_sequences",
                   "tokens may attend to fewer others than a whole sequence (packed documents, "
                   "padding): without attention the reading fits"});
  return out;
}

}  // namespace roofline::model
