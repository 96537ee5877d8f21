// Everything that is said of one step of a deployment, worked out once for page and JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/deployment.hpp"
#include "model/decode_limits.hpp"
#include "model/step_bounds.hpp"
#include "roofline/roof.hpp"

namespace roofline::cli {

/// A product of the step, and how many token rows would make it compute-bound.
struct OperationFigures {
  model::OperationBound bound;
  double rows = 0;  ///< of one matrix: those of an expert that is read, where tokens choose
  std::optional<double> rows_to_ridge;  ///< nothing without roofs, and where none are enough
};

/// Of a mixture of experts: how many of one layer's experts a step reads.
struct ExpertsRead {
  double experts = 0;
  double expected = 0;
  double least = 0;  ///< all tokens choose the same
  double most = 0;   ///< no two tokens choose the same
};

/// A batch that something allows, and what it comes to.
struct AllowedBatch {
  std::uint64_t batch = 0;
  std::optional<model::StepBounds> bounds;  ///< nothing for a batch of 0
};

struct StepFigures {
  explicit StepFigures(const Deployment& deployment);

  const Deployment* deployment;
  model::StepPlan plan;
  model::Step step;
  TokensPassed tokens;
  model::StepBounds bounds;  ///< times only with roofs
  std::vector<OperationFigures> operations;
  model::ByClass by_class;
  std::optional<ExpertsRead> experts;
  std::optional<Seconds> upper;  ///< measured roofs, nothing overlapped
  std::string upper_reason;
  std::optional<AllowedBatch> in_memory;  ///< where the memory is known; of any phase
  [[nodiscard]] bool fits() const { return !in_memory || deployment->batch <= in_memory->batch; }
  // With roofs:
  std::optional<Intensity> ridge;  ///< of the type of the products
  std::optional<double> mfu_ceiling;
  std::optional<double> hfu_ceiling;
  // Of a decode batch with roofs:
  std::optional<model::DecodeLimits> limits;
  std::optional<AllowedBatch> in_deadline;  ///< where one is asked for
  std::optional<Seconds> first_token;       ///< of a prompt as long as the context
  std::optional<std::uint64_t> half_limit;  ///< of a mixture of experts

  [[nodiscard]] bool timed() const { return deployment->roofs.has_value(); }
};

}  // namespace roofline::cli
