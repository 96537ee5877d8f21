// How many weights a model has, and how many of them a token uses: exact integers by tensor class.
// Knows shapes, not how weights are stored.
#pragma once

#include <optional>
#include <vector>

#include "model/architecture.hpp"
#include "model/tensors.hpp"
#include "roofline/count.hpp"

namespace roofline::model {

struct ClassParameters {
  TensorClass kind;
  Count total;
  Count active;
  Count matmul_resident;
  Count matmul_active;
};

/// Every weight tensor: embeddings, norms, biases, router and its terms; a tied matrix once;
/// neither extra prediction layers nor the scales of quantised weights.
struct Parameters {
  Count total;   ///< text and vision
  Count text;    ///< the decoder
  Count vision;  ///< tower and projector where they were counted
  Count active;  ///< total without the routed experts that a token does not choose
  /// Of the decoder, what a decode step multiplies or reads once: the input embedding is a look-up.
  /// A tied one is the head, and stays in.
  Count active_without_input_embedding;
  Count input_embedding;  ///< of the matrix, tied or not
  /// Of matrices multiplied by activations: no norms, biases, look-ups; the head also when tied.
  Count matmul_resident;
  Count matmul_active;
  std::vector<ClassParameters> by_class;  ///< classes the model has, in order
};

/// Throws InputError when a count does not fit 64 bits.
[[nodiscard]] Parameters count_parameters(const Architecture& model);

struct ClassBytes {
  TensorClass kind;
  Count bytes;
};

struct WeightBytes {
  Count total;   ///< text and vision
  Count vision;  ///< in the type of what is not quantised
  std::vector<ClassBytes> by_class;
};

/// Exact bytes of all weights as stored, scales included. Nothing where weights.unknown says why.
/// Throws InputError when they do not fit 64 bits.
[[nodiscard]] std::optional<WeightBytes> weight_bytes(const Architecture& model,
                                                      const StoredWeights& weights);

}  // namespace roofline::model
