// What is known of training a model, for people and as JSON. Counts nothing itself.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/model_sheet.hpp"
#include "cli/roof_options.hpp"
#include "model/training_use.hpp"
#include "report/table.hpp"
#include "roofline/placement.hpp"

namespace roofline::cli {

/// A reading, as the rate of one device, and what it comes to.
struct TrainReading {
  std::string option;  ///< that it was given by
  std::string text;    ///< as it was written
  model::TokenRate rate;
  model::TrainingSpeed speed;
  std::optional<double> mfu;  ///< nothing without a peak
  std::optional<double> hfu;
  bool above_roof = false;
  bool impossible = false;
  std::vector<Cause> causes = {};
};

struct TrainSheet {
  const ModelSheet& model;
  model::TrainingWork work;
  std::optional<ChosenRoofs> roofs = {};  ///< nothing where neither a device nor a peak was named
  std::uint64_t devices = 1;
  std::optional<std::uint64_t> global_batch = {};  ///< sequences
  std::uint64_t passes = 0;  ///< of each device in an iteration, where its sequences are said so
  std::optional<double> train_tokens = {};
  std::optional<TrainReading> reading = {};
  std::vector<std::string> warnings = {};  ///< of the model, of what is asked of it, of its roofs
};

[[nodiscard]] nlohmann::ordered_json train_json(const TrainSheet& sheet);
[[nodiscard]] std::string train_page(const TrainSheet& sheet, const report::TableStyle& style);

}  // namespace roofline::cli
