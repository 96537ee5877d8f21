#include "model/products.hpp"

#include <algorithm>
#include <cmath>

#include "model/step_plan.hpp"

namespace roofline::model {

std::vector<Product> products(const Architecture& model) {
  // Shapes alone are taken of it, which no type changes.
  const StepPlan plan(model, {}, {});
  std::vector<Product> out;
  for (const Operation& operation : plan.operations()) {
    if (operation.d_out == 0) continue;
    Product product{std::string(operation.name), operation.d_out, operation.d_in};
    if (operation.experts > 0) {
      product.chosen = static_cast<std::uint64_t>(operation.chosen);
      product.experts = static_cast<std::uint64_t>(operation.experts);
    }
    if (std::find(out.begin(), out.end(), product) == out.end()) out.push_back(std::move(product));
  }
  return out;
}

std::uint64_t rows_of(const Product& product, std::uint64_t tokens) {
  if (product.experts == 1) return tokens;
  const double share = static_cast<double>(tokens) * static_cast<double>(product.chosen) /
                       static_cast<double>(product.experts);
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(share)));
}

}  // namespace roofline::model
