#include "model/parameters.hpp"

#include <algorithm>
#include <utility>

namespace roofline::model {
namespace {

ClassParameters& entry_for(std::vector<ClassParameters>& list, TensorClass kind) {
  return *std::find_if(list.begin(), list.end(),
                       [&](const ClassParameters& entry) { return entry.kind == kind; });
}

Count vision_count(const Architecture& model) {
  return model.vision ? Count{model.vision->tower} + Count{model.vision->projector} : Count{0};
}

}  // namespace

Parameters count_parameters(const Architecture& model) {
  Parameters out{};
  for (const TensorClass kind : tensor_classes()) out.by_class.push_back({kind, {}, {}, {}, {}});
  for (const Tensor& tensor : tensors(model)) {
    const Count total = elements(tensor);
    const Count used = used_elements(tensor);
    ClassParameters& entry = entry_for(out.by_class, tensor.kind);
    entry.total += total;
    entry.active += used;
    out.text += total;
    out.active += used;
    if (tensor.kind != TensorClass::embedding) out.active_without_input_embedding += used;
    if (tensor.use != Use::multiplied) continue;
    entry.matmul_resident += total;
    entry.matmul_active += used;
    out.matmul_resident += total;
    out.matmul_active += used;
  }
  std::erase_if(out.by_class, [](const ClassParameters& entry) { return entry.total == Count{0}; });
  out.vision = vision_count(model);
  out.total = out.text + out.vision;
  out.active += out.vision;
  out.input_embedding = Count{model.vocabulary} * Count{model.hidden};
  return out;
}

std::optional<WeightBytes> weight_bytes(const Architecture& model, const StoredWeights& weights) {
  if (!weights.unknown.empty()) return std::nullopt;
  WeightBytes out{};
  for (const TensorClass kind : tensor_classes()) out.by_class.push_back({kind, {}});
  const WeightFormat plain = plain_format(weights.type);
  for (const Tensor& tensor : tensors(model)) {
    const bool quantised = tensor.use == Use::multiplied && is_quantised(weights, tensor.kind);
    const Count bytes = matrix_bytes(quantised ? *weights.quantised : plain, tensor.rows,
                                     tensor.columns, Count{tensor.copies});
    out.total += bytes;
    std::find_if(out.by_class.begin(), out.by_class.end(), [&](const ClassBytes& entry) {
      return entry.kind == tensor.kind;
    })->bytes += bytes;
  }
  std::erase_if(out.by_class, [](const ClassBytes& entry) { return entry.bytes == Count{0}; });
  out.vision = packed_bytes(vision_count(model), plain.bits);
  out.total += out.vision;
  return out;
}

}  // namespace roofline::model
