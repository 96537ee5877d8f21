// A config.json from anywhere: it is refused with an InputError of one line that names it, or is a
// model whose counts hold together.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "demand.hpp"
#include "model/config_reader.hpp"
#include "model/decode_limits.hpp"
#include "model/kv_cache.hpp"
#include "model/parameters.hpp"
#include "model/step_bounds.hpp"
#include "roofline/error.hpp"

namespace {

void demand_sane(const roofline::model::Architecture& model) {
  const auto counted = roofline::model::count_parameters(model);
  fuzz::demand(counted.active <= counted.total, "a token uses at most all weights");
  fuzz::demand(counted.matmul_active <= counted.matmul_resident, "of matrices, too");
  fuzz::demand(counted.matmul_resident <= counted.text, "matrices are weights");
  fuzz::demand(counted.text <= counted.total, "the text model is a part");
  static_cast<void>(roofline::model::weight_bytes(model, model.weights));
  const auto type = roofline::DType::bf16;
  fuzz::demand(roofline::model::kv_bytes_in_windows(model, type, 1000) <=
                   roofline::model::kv_bytes_in_full(model, type, 1000),
               "windows hold at most everything");
}

/// A step of whatever was read is bounded by finite figures that hold together.
void demand_bounds(const roofline::model::Architecture& model) {
  namespace m = roofline::model;
  if (!model.weights.unknown.empty()) return;
  m::StepTypes types;
  types.weights = model.weights;
  m::PlanOptions options;
  options.account = m::TrafficAccount::full;
  const m::StepPlan plan(model, types, options);
  m::StepRoofs roofs;
  roofs.peaks.set(roofline::DType::bf16, roofline::tflop_per_s(312));
  roofs.bandwidth = roofline::gb_per_s(2039);
  for (const std::uint64_t batch : {std::uint64_t{1}, std::uint64_t{64}}) {
    const std::vector step{m::decode(batch, 4096), m::chunk(1, 100, 10, false)};
    const m::StepBounds bounds = m::bound(plan, step, roofs);
    fuzz::demand(std::isfinite(in_second(bounds.serial)), "times are finite");
    fuzz::demand(bounds.floor() <= bounds.serial * (1 + 1e-9), "nothing is faster than the floor");
    const double ceiling = m::mfu_ceiling(bounds, roofline::tflop_per_s(312));
    fuzz::demand(ceiling >= 0 && ceiling <= 1 + 1e-9, "no ceiling passes the peak");
  }
  static_cast<void>(m::decode_limits(m::decode_law(plan, 4096, roofs), roofs.bandwidth,
                                     roofline::tflop_per_s(312)));
  static_cast<void>(m::capacity_batch(plan, 4096, 0, m::CacheLayout::in_windows,
                                      {roofline::byte(8e10), 0.9, roofline::byte(2e9)}));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  roofline::model::Architecture model;
  try {
    model = roofline::model::read_config(text, "fuzz.json");
  } catch (const roofline::InputError& error) {
    fuzz::demand_sentence(error.what(), "fuzz.json");
    return 0;
  }
  for (const std::string& warning : model.warnings) fuzz::demand_sentence(warning, "");
  try {
    demand_sane(model);
    demand_bounds(model);
  } catch (const roofline::InputError& error) {
    fuzz::demand_sentence(error.what(), "64 bits");
  }
  return 0;
}
