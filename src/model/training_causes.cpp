#include "model/training_causes.hpp"

#include <algorithm>
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

std::string whole_text(double value) {
  return std::to_string(static_cast<std::uint64_t>(std::min(value, 1e18)));
}

void add_causes_of_step(std::vector<Cause>& out, const TrainingReading& reading, double hfu) {
  const auto devices = static_cast<double>(reading.devices);
  if (reading.passes > 1 && hfu <= static_cast<double>(reading.passes))
    out.push_back({"time_of_one_pass", "the time may be that of one of the " +
                                           std::to_string(reading.passes) +
                                           " passes of an iteration (--accumulation)"});
  if (reading.passes > 0 && reading.devices > 1 && hfu <= devices)
    out.push_back(
        {"sequences_of_all_devices", "the sequences of a pass may be those of all " +
                                         std::to_string(reading.devices) +
                                         " devices together: --global-batch states them so"});
  const double fewer = std::floor(static_cast<double>(reading.sequences) / hfu);
  if (fewer >= 1)
    out.push_back({"fewer_sequences", "an iteration may take fewer sequences than the " +
                                          std::to_string(reading.sequences) +
                                          " that were said: " + whole_text(fewer) + " fit"});
  // Those of a pass are of each device, so that more of them are more sequences, too.
  if (reading.passes == 0)
    out.push_back({"several_devices",
                   "more devices may share the iteration: " + whole_text(std::ceil(devices * hfu)) +
                       " or more would bring it below the peak (--devices)"});
}

/// Of what was read, before what it is held against.
void add_causes_of_figure(std::vector<Cause>& out, const TrainingReading& reading, double hfu) {
  const std::string devices = whole_text(std::ceil(static_cast<double>(reading.devices) * hfu));
  switch (reading.figure) {
    case TrainingFigure::tokens:
      out.push_back({"several_devices",
                     (reading.devices == 1 ? "the tokens may be those of several devices together: "
                                           : "the tokens may be those of more devices than the " +
                                                 std::to_string(reading.devices) + " said: ") +
                         devices +
                         " or more would bring it below the peak; say how many (--devices)"});
      return;
    case TrainingFigure::step_time:
      return add_causes_of_step(out, reading, hfu);
    case TrainingFigure::hours:
      out.push_back(
          {"hours_of_nodes",
           "the hours may be those of nodes instead of devices: " + whole_text(std::ceil(hfu)) +
               " or more devices in each would bring it below the peak"});
      return;
    case TrainingFigure::of_peak:
      return;
  }
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
  add_causes_of_figure(out, reading, hfu_of(work.hardware(), reading));
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
