// The statements of a scenario about what goes wrong: throttle, power, fault, nvml, cublaslt.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "scenario.hpp"
#include "scenario_text.hpp"

namespace fakegpu {

// Each takes the words of its line; throws ScenarioError.
void throttle_statement(Line& line, Scenario& scenario);
void fault_statement(Line& line, Scenario& scenario);
void nvml_statement(Line& line, Scenario& scenario);
void cublaslt_statement(Line& line, Scenario& scenario);
void power_statement(Line& line, Scenario& scenario);

/// A CUresult, by its word or number.
[[nodiscard]] int result_of(const Line& line, const std::string& word);
/// `device=N`
[[nodiscard]] int device_option(const Line& line, int otherwise = kEveryDevice);
void refuse_options_but(const Line& line, std::initializer_list<std::string_view> allowed);

}  // namespace fakegpu
