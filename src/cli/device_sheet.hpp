// What the catalogue knows of one accelerator, as JSON and as a page: peaks and ridges for every
// type, with where each number is from.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "machine/accelerator.hpp"

namespace roofline::cli {

[[nodiscard]] nlohmann::ordered_json device_json(const machine::Accelerator& accelerator);
[[nodiscard]] std::string device_page(const machine::Accelerator& accelerator);
/// One line per accelerator: id, architecture, memory, bandwidth, bf16 or fp16 peak, ridge.
[[nodiscard]] std::string device_list(const std::vector<const machine::Accelerator*>& accelerators);

}  // namespace roofline::cli
