// `roofline model --phase train`: what a trained token costs under a named convention, MFU and HFU
// of a reading, and how long a budget of tokens takes.
#pragma once

#include <string>

#include "cli/command.hpp"
#include "cli/model_sheet.hpp"
#include "cli/roof_options.hpp"

namespace roofline::cli {

/// As a person wrote them; empty where left out. Convention, attention and head are chosen by the
/// options that a step has, too.
struct TrainOptions {
  std::string sequence;
  std::string recompute = "none";
  bool flash_attention = false;
  bool without_embedding = false;
  std::string dtype = "bf16";
  std::string devices = "1";
  std::string tokens_per_s;  ///< of all devices, as is what follows but the rates and ratios
  std::string step_time;
  std::string global_batch;  ///< sequences
  std::string micro_batch;   ///< sequences of one pass of one device
  std::string accumulation;  ///< passes
  std::string device_hours;
  std::string achieved;  ///< of one device
  std::string executed;
  std::string mfu;
  std::string hfu;
  std::string train_tokens;
  bool strict = false;
};

/// In an option group of their own.
void add_train_options(CLI::App& app, TrainOptions& options);
/// Throws InputError where one of them was given to another phase.
void refuse_train_options(const CLI::App& app);

struct TrainRequest {
  const TrainOptions& options;
  const std::string& convention;
  const std::string& attention;  ///< means nothing unless it was given
  bool without_head = false;
  const RoofOptions& roofs;
  const std::string& config_dir;
  bool json = false;
};

/// Throws InputError for options of `app` that mean nothing in training or contradict each other,
/// NotAvailable for an unknown device or a type that it cannot compute in.
[[nodiscard]] ExitStatus train_model(const CLI::App& app, const TrainRequest& request,
                                     const ModelSheet& sheet, Io& io);

}  // namespace roofline::cli
