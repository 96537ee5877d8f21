// A config.json from anywhere: it is refused with an InputError of one line that names it, or is a
// model whose counts hold together.
#include <cstddef>
#include <cstdint>
#include <string>

#include "demand.hpp"
#include "model/config_reader.hpp"
#include "model/kv_cache.hpp"
#include "model/parameters.hpp"
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
  } catch (const roofline::InputError& error) {
    fuzz::demand_sentence(error.what(), "64 bits");
  }
  return 0;
}
