// The operations that one pass of a model consists of, each with what it costs for any step: the
// one place from which the work, the traffic and the bounds of a step come. A plan is made once for
// a model, its types and the way they are counted; a step is then evaluated in well under a
// microsecond. Knows no roof.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/architecture.hpp"
#include "model/step.hpp"
#include "model/step_class.hpp"
#include "model/stored_weights.hpp"
#include "roofline/dtype.hpp"
#include "roofline/units.hpp"

namespace roofline::model {

/// Which bytes are counted.
enum class TrafficAccount {
  minimal,      ///< matrices that are multiplied, and the cache that is read: the textbook's
  full,         ///< all that must cross the memory's boundary
  all_weights,  ///< every weight, the input embedding whole, and the cache: goes with 2N
};

/// How far operations are fused, which decides what of the activations leaves the chip; of the full
/// account.
enum class Fusion {
  blocks,    ///< a layer reads and writes the residual stream once: the least
  products,  ///< every product and every attention reads its input and writes its output; norms,
             ///< gates and rotations are part of them
};

/// How attention over latents is computed: on the cached latents themselves, with the
/// up-projections applied to queries and results, or on keys and values made from them.
enum class LatentForm {
  cheapest,  ///< of the two below, for each request the one that takes less arithmetic
  absorbed,
  expanded,
};

enum class WorkConvention {
  exact,  ///< 2 FLOP for each active weight of a product and each token, and the attention
  two_n,  ///< 2 N a token, N all active weights with the input embedding; no attention
  palm,   ///< 2 N, and 4 L H d a token and token of context
};

struct WorkCounting {
  WorkConvention convention = WorkConvention::exact;
  // Of `exact` alone:
  bool attention = true;
  Pairs attended = Pairs::causal;
  bool input_embedding = false;  ///< as if the look-up were a product
  bool lm_head = true;
  friend bool operator==(const WorkCounting&, const WorkCounting&) = default;
};

/// What numbers are stored and multiplied in.
struct StepTypes {
  StoredWeights weights;
  DType kv = DType::bf16;
  DType activation = DType::bf16;  ///< between operations, and in attention
  /// The products of the layers are computed in it; where it has few bits, those of the matrices
  /// that are stored in few bits, too, and the others in `activation`.
  DType linear = DType::bf16;
  DType head = DType::bf16;    ///< the vocabulary head is
  DType logits = DType::fp32;  ///< stored
};

struct PlanOptions {
  TrafficAccount account = TrafficAccount::minimal;
  Fusion fusion = Fusion::blocks;
  LatentForm latent = LatentForm::cheapest;
  WorkCounting counting = {};
  /// Devices that share each layer; all figures are then of one of them.
  std::uint64_t tensor_parallel = 1;
  bool head_replicated = false;  ///< every one of them holds the whole head
};

/// What one operation costs in one step, all layers of its kind together.
struct OperationCost {
  Flops work;      ///< that the model's mathematics asks for
  Flops repeated;  ///< executed beyond it: latents of earlier tokens expanded once more, and what
                   ///< every device does that shares a layer
  Bytes weights;
  Bytes vectors;  ///< norms, biases, sinks
  Bytes gathered;
  Bytes kv_read;
  Bytes kv_write;
  Bytes activations;
  Bytes logits;
};

/// The attention of the layers of one kind.
struct AttentionShape {
  Span span;
  double flop_per_pair = 0;
  double absorbed_flop_per_pair = 0;  ///< where the cheaper form is taken; else 0
  double byte_per_cached_token = 0;
  double repeated_flop_per_cached_token = 0;
};

struct Operation {
  StepClass kind = StepClass::norms;
  std::string_view name;                  ///< `qkv`, `gate_up`, `attention`
  std::optional<std::size_t> layer_kind;  ///< index into Architecture::layers
  double launches = 1;                    ///< a step: its layers
  bool on_logits = false;                 ///< meets the rows of logits, not all fresh tokens
  DType arithmetic = DType::bf16;         ///< of what computes
  std::uint64_t d_out = 0;                ///< of the matrix of one layer or expert; 0: no product
  std::uint64_t d_in = 0;
  double flop_per_row = 0;
  double repeated_flop_per_row = 0;  ///< of what other devices do too, beyond this one's share
  double weight_bytes = 0;           ///< of all that is resident
  double vector_bytes = 0;
  double gathered_byte_per_row = 0;
  double activation_byte_per_row = 0;
  double kv_written_byte_per_row = 0;
  double logits_byte_per_row = 0;
  double experts = 0;  ///< 0: all weights are read; else those of the experts that tokens choose
  double chosen = 0;
  std::optional<AttentionShape> attention;

  /// Whether any arithmetic of it is counted; that of norms and look-ups is not.
  [[nodiscard]] bool computes() const { return flop_per_row > 0 || attention; }
};

/// Expected number of `experts` that `rows` tokens, of which each chooses `chosen`, choose together
/// when all are equally likely: E (1 - (1 - k/E)^T).
[[nodiscard]] double expected_experts(double experts, double chosen, double rows);

class StepPlan {
 public:
  /// Throws InputError where the bytes of the weights are not known, where heads cannot be divided
  /// among `tensor_parallel` devices, and for counts that do not fit 64 bits.
  StepPlan(const Architecture& model, const StepTypes& types, const PlanOptions& options);

  /// In the order in which a token meets them.
  [[nodiscard]] std::span<const Operation> operations() const { return operations_; }
  [[nodiscard]] const StepTypes& types() const { return types_; }
  [[nodiscard]] const PlanOptions& options() const { return options_; }

  /// `rows` are rows_of(step), which is the same for every operation.
  [[nodiscard]] OperationCost cost(const Operation& operation, std::span<const Requests> step,
                                   const RowCounts& rows) const;
  /// The part of a cost that the account counts.
  [[nodiscard]] Bytes traffic(const OperationCost& cost) const;
  /// What `all_weights` counts beyond the operations: the input embedding as a whole.
  [[nodiscard]] Bytes beyond_operations() const { return beyond_; }

  /// FLOP of one device by the plan's convention; exact_work is what the operations come to.
  [[nodiscard]] Flops model_work(std::span<const Requests> step, const RowCounts& rows,
                                 Flops exact_work) const;

  /// Weights that each of the devices holds: embedding, norms and a vision tower included.
  [[nodiscard]] Bytes resident() const { return resident_; }

 private:
  class Builder;
  void lay_out(const Architecture& model);
  [[nodiscard]] Flops excluded(std::span<const Requests> step, const RowCounts& rows) const;
  /// Of pairs that no causal model computes.
  [[nodiscard]] Flops beyond_causal(std::span<const Requests> step) const;

  StepTypes types_;
  PlanOptions options_;
  std::vector<Operation> operations_;
  Bytes beyond_;
  Bytes resident_;
  double flop_two_n_ = 0;      ///< a token
  double flop_palm_pair_ = 0;  ///< a token and token of context
  double flop_embedding_ = 0;  ///< a token, were the look-up a product
};

/// `minimal`, `full`, `all-weights`.
[[nodiscard]] std::string_view name(TrafficAccount account);
[[nodiscard]] std::string_view name(Fusion fusion);
[[nodiscard]] std::string_view name(LatentForm form);
/// In words, for people and for the record: `exact (causal attention)`, `2N`.
[[nodiscard]] std::string text_of(const WorkCounting& counting);

}  // namespace roofline::model
