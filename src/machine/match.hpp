// Which product is it? From a name (an id, a driver's name, what a person types) and, where a
// device is at hand, its SM count and memory size. Whole tokens, never substrings; in doubt the
// answer says so and names what is near.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <roofline/units.hpp>

#include "machine/accelerator.hpp"
#include "machine/catalogue.hpp"

namespace roofline::machine {

struct DeviceQuery {
  std::string_view name;
  std::optional<unsigned> sm_count = {};  ///< as the driver reports it
  std::optional<Bytes> memory = {};       ///< total memory as the driver reports it
};

enum class MatchStatus {
  found,
  partial,  ///< a share of `accelerator`'s card (vGPU, MIG) or not quite it: its peaks do not hold,
            ///< so no MFU
  ambiguous,  ///< several products fit; `near` lists their ids
  unknown,    ///< none fits; `near` lists ids that look alike, nearest first
};
[[nodiscard]] std::string_view name(MatchStatus status);

struct Match {
  MatchStatus status = MatchStatus::unknown;
  /// The product when found; of a partial match the base card, where it is one entry of the
  /// catalogue.
  const Accelerator* accelerator = nullptr;
  std::string base;               ///< partial: the base card in words, `A100 80GB`
  std::string by;                 ///< found: `id`, `exact name`, `name`, `name and SM count` ...
  std::string reason;             ///< one sentence, unless found
  std::vector<std::string> near;  ///< ids
  std::vector<std::string> cautions;  ///< found: what else reports this name
};

/// Throws InputError only where a text of the catalogue is malformed.
[[nodiscard]] Match match(const Catalogue& catalogue, const DeviceQuery& query);

/// Whether what a driver reports can be this product: SM counts are equal; memory lies within 3 %
/// of what a driver has reported before, or else between 90 % (ECC, firmware) and 102 % of the
/// nameplate in GiB; that, too, where ECC takes its part of the memory, since it can be switched.
[[nodiscard]] bool facts_agree(const Accelerator& accelerator, const DeviceQuery& query);

}  // namespace roofline::machine
