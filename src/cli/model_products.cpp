#include "cli/model_products.hpp"

#include "cli/model_file.hpp"
#include "cli/warnings.hpp"
#include "model/config_reader.hpp"
#include "model/products.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {

ModelShapes model_shapes(const std::string& model, const std::string& tokens, Io& io) {
  const auto rows = parse_axis(tokens, "--tokens");
  const ModelFile file = find_model(model, {});
  const model::Architecture found = model::read_config(file.text, file.file);
  warn_each(io, found.warnings);
  ModelShapes out;
  for (const model::Product& product : model::products(found)) {
    for (const std::uint64_t count : rows) {
      const ProductShape shape{model::rows_of(product, count), product.outputs, product.inputs};
      const auto [known, fresh] = out.names.try_emplace(shape, product.name);
      if (fresh) {
        out.shapes.push_back(shape);
      } else if ((", " + known->second + ",").find(", " + product.name + ",") ==
                 std::string::npos) {
        known->second += ", " + product.name;
      }
    }
  }
  return out;
}

}  // namespace roofline::cli
