#include "model/products.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/tensors.hpp"

namespace roofline::model {
namespace {

/// Tensors that an engine multiplies in one go, having the same input.
struct Fused {
  std::string_view tensor;
  std::string_view product;
};
constexpr Fused kFused[] = {
    {"query", "qkv"},
    {"key", "qkv"},
    {"value", "qkv"},
    {"query down", "qkv_down"},
    {"kv down", "qkv_down"},
    {"gate", "gate_up"},
    {"up", "gate_up"},
    {"shared gate", "shared_gate_up"},
    {"shared up", "shared_gate_up"},
};

std::string spelled(std::string_view name) {
  std::string out(name);
  std::replace(out.begin(), out.end(), ' ', '_');
  return out;
}

/// The product that a tensor is part of; `alone`: nothing else of its layer is.
std::string product_name(const Tensor& tensor, bool alone) {
  std::string out = spelled(tensor.name);
  for (const Fused& entry : kFused) {
    if (!alone && entry.tensor == tensor.name) out = entry.product;
  }
  return tensor.kind == TensorClass::experts ? "expert_" + out : out;
}

/// Of one kind of layer, or of what stands outside of them.
std::vector<const Tensor*> multiplied(const std::vector<Tensor>& all,
                                      std::optional<std::size_t> layer_kind) {
  std::vector<const Tensor*> out;
  for (const Tensor& tensor : all) {
    if (tensor.use == Use::multiplied && tensor.layer_kind == layer_kind) out.push_back(&tensor);
  }
  return out;
}

/// Whether no other tensor of the layer is fused with it: a query beside latent keys, an MLP
/// without a gate.
bool stands_alone(const std::vector<const Tensor*>& layer, const Tensor& tensor) {
  const std::string fused = product_name(tensor, false);
  return std::count_if(layer.begin(), layer.end(), [&](const Tensor* other) {
           return product_name(*other, false) == fused;
         }) == 1;
}

void add_products(std::vector<Product>& out, const std::vector<const Tensor*>& layer) {
  std::vector<Product> found;
  for (const Tensor* tensor : layer) {
    const std::string name = product_name(*tensor, stands_alone(layer, *tensor));
    const auto same = std::find_if(found.begin(), found.end(),
                                   [&](const Product& one) { return one.name == name; });
    if (same != found.end()) {
      same->outputs += tensor->rows;
      continue;
    }
    found.push_back({name, tensor->rows, tensor->columns, tensor->used / tensor->layers,
                     tensor->copies / tensor->layers});
  }
  for (Product& product : found) {
    if (std::find(out.begin(), out.end(), product) == out.end()) out.push_back(std::move(product));
  }
}

}  // namespace

std::vector<Product> products(const Architecture& model) {
  const std::vector<Tensor> all = tensors(model);
  std::vector<Product> out;
  for (std::size_t i = 0; i < model.layers.size(); ++i) add_products(out, multiplied(all, i));
  add_products(out, multiplied(all, std::nullopt));
  return out;
}

std::uint64_t rows_of(const Product& product, std::uint64_t tokens) {
  const auto share =
      static_cast<std::uint64_t>(static_cast<double>(tokens) * static_cast<double>(product.chosen) /
                                     static_cast<double>(product.experts) +
                                 0.5);
  return product.experts == 1 ? tokens : std::max<std::uint64_t>(1, share);
}

}  // namespace roofline::model
