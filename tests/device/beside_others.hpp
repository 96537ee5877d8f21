// Measured points beside what others published for the same device and what another program
// measured on it: the table of scripts/gpu-check. Knows files of neither kind, only their texts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::selftest {

enum class Figure { byte_per_s, flop_per_s, second };

/// A figure of somebody else's.
struct Anchor {
  std::string device;  ///< what the hardware calls itself, in full
  std::string point;   ///< id of a point; `*` stands for any characters
  double value = 0;
  Figure figure = Figure::byte_per_s;
  std::optional<double> stretch = {};  ///< what would be better still
  std::string source;
};

/// Lines `device,point,value,unit,stretch,source` behind one of headings; the source may have
/// commas; `#` begins a comment. `name` is what errors call the text. Throws InputError with the
/// line.
[[nodiscard]] std::vector<Anchor> read_anchors(std::string_view text, std::string_view name);

/// What a peer measured here: lines `point,value,unit,how` behind one of headings, as anchors
/// without a device.
[[nodiscard]] std::vector<Anchor> read_peers(std::string_view text, std::string_view name);

/// Markdown. Every figure of the reports that an anchor or a peer has one for, then the others. Of
/// several points that match, the best one stands. A device that the tests made up says so.
[[nodiscard]] std::string beside_others(const std::vector<Report>& reports,
                                        const std::vector<Anchor>& anchors,
                                        const std::vector<Anchor>& peers);

}  // namespace roofline::selftest
