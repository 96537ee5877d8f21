// One step of a deployment, for people and as JSON. Counts nothing itself.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "cli/step_figures.hpp"

namespace roofline::cli {

/// Of the pages of a step and of a sweep, in columns.
inline constexpr std::size_t kPageWidth = 100;

/// Adds the keys of the step to those of the model.
void add_step_json(nlohmann::ordered_json& out, const StepFigures& figures);
[[nodiscard]] std::string step_page(const StepFigures& figures);

/// Which step of which model on which device, in one line with its end.
[[nodiscard]] std::string heading(const Deployment& deployment);
/// What a step has besides its batch: `, 1 024 shared, a chunk of 64 tokens ... riding along`.
[[nodiscard]] std::string beside_text(const Deployment& deployment, std::uint64_t shared);
/// What was left out and is taken by default, with the option that states it.
struct Assumption {
  std::string_view what;    ///< `context`
  std::string value;        ///< `4 096 tokens`
  std::string_view option;  ///< `--context`
};
[[nodiscard]] std::vector<Assumption> assumptions(const Deployment& deployment);
/// Lines of them without what a sweep states; empty where all was stated.
[[nodiscard]] std::string assumed_text(const Deployment& deployment,
                                       std::initializer_list<std::string_view> swept);
/// Adds batch, context and chunk, and which of them were stated.
void add_asked_json(nlohmann::ordered_json& out, const Deployment& deployment);
/// What a figure of a step stands on, in one line: `FLOP exact (causal attention), bytes minimal;
/// bf16 weights ...`.
[[nodiscard]] std::string conventions_text(const Deployment& deployment);
/// The same for a page of that width, broken between its parts, with its end.
[[nodiscard]] std::string conventions_lines(const Deployment& deployment, std::size_t width);

/// As JSON: a whole number where it is one, so that exact counts stay exact.
[[nodiscard]] nlohmann::ordered_json number_json(double value);

}  // namespace roofline::cli
