// CUDA_VISIBLE_DEVICES as CUDA reads it. The driver applies it; this only says what it asked for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace roofline::cuda {

struct VisibleDevices {
  std::string text;                  ///< as it is set
  std::vector<std::string> entries;  ///< numbers, GPU-... and MIG-... up to the first that is none
  std::string ended_by;  ///< that one, with which CUDA stops reading; empty when all were read
};

/// Entries are separated by commas; -1, an empty entry, a word that is none of the three forms and
/// an entry that was there before end the list, and nothing after them counts.
[[nodiscard]] VisibleDevices parse_visible_devices(std::string_view text);

/// `CUDA_VISIBLE_DEVICES is '1,0' and shows 2 devices in this order`, or that it hides all.
[[nodiscard]] std::string describe(const VisibleDevices& visible);

}  // namespace roofline::cuda
