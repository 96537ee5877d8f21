// What is known of the GPUs of this machine, as lines, pages and JSON: the driver's facts beside
// the catalogue's, the roofs that follow, and why a GPU can't be measured.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "backend/cuda/cuda_backend.hpp"
#include "machine/rated_device.hpp"

namespace roofline::cli {

/// What a device calls itself, without the words that mark a simulated or replayed one.
[[nodiscard]] std::string product_name(const backend::Device& device);

/// What the catalogue makes of a device. Throws InputError where a file of it is malformed.
[[nodiscard]] machine::RatedDevice rate(const backend::Device& device,
                                        const machine::Catalogue& catalogue);

/// One GPU and what the catalogue makes of it.
struct RatedGpu {
  const cuda::ListedDevice& listed;
  machine::RatedDevice rated;
};
[[nodiscard]] RatedGpu rate(const cuda::ListedDevice& listed, const machine::Catalogue& catalogue);

/// `cuda:0  NVIDIA H100 PCIe (h100-80gb-pcie), 114 SMs, 79.6 GiB, SM up to 1.75 GHz, ...`, one
/// line, and one more where it can't be measured.
[[nodiscard]] std::string gpu_lines(const RatedGpu& gpu);
/// All facts, roofs, doubts and reasons.
[[nodiscard]] std::string gpu_page(const RatedGpu& gpu);
[[nodiscard]] nlohmann::ordered_json gpu_json(const RatedGpu& gpu);

/// A fact's value for people; `unknown: reason` where there is none.
[[nodiscard]] std::string fact_text(const FactValue& value);

}  // namespace roofline::cli
