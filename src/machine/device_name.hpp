// Device names as drivers, clouds, vGPU managers and people write them, taken apart into whole
// tokens. Knows no catalogue: what the tokens mean for which product is match.hpp's business.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace roofline::machine {

/// `NVIDIA A100-SXM4-80GB`, `nvidia-a100-sxm4-80gb` and `A100 SXM 80 GB` have the same parts.
struct DeviceName {
  std::string normal;  ///< lower case, one space for each of `-_ `, vendor words dropped
  std::vector<std::string>
      brand;  ///< geforce, quadro, rtx, gtx: may be left out, must not contradict
  std::vector<std::string>
      model;         ///< sorted; whatever is not listed below: a100, rtx 6000's 6000, ti, laptop
  std::string form;  ///< sxm, pcie, nvl; empty when not named
  std::optional<double> memory_gb;  ///< the size in the name: not always the GPU's own memory
  std::string memory_type;          ///< hbm3, gddr6
  std::string share;  ///< vGPU profile (`8q`) or MIG profile (`1g.5gb`): part of a card
  bool mig = false;
};

[[nodiscard]] DeviceName take_apart(std::string_view name);

/// Edits (insert, delete, replace a character) that turn one text into the other.
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

}  // namespace roofline::machine
