// Which devices of several reports are the same one, and what each is called when they stand beside
// each other. Part of merge.hpp.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/merge.hpp"

namespace roofline::report {

/// A device of the merged report, and where it is in the sources.
struct MergedDevice {
  struct Place {
    std::size_t source;
    std::string id;  ///< there
  };
  std::string id;  ///< here
  std::string name;
  std::string label;
  Facts all_facts;            ///< of its first source, the environment's among them
  std::vector<Place> places;  ///< in the order of the sources
};

/// In the order of their first appearance, with ids that are told apart; what got another id is
/// noted.
[[nodiscard]] std::vector<MergedDevice> merged_devices(const std::vector<MergeSource>& sources,
                                                       std::vector<std::string>& notes);

/// Facts that every device has, equal in all; and those that `device` has beside them.
[[nodiscard]] Facts shared_facts(const std::vector<MergedDevice>& devices);
[[nodiscard]] Facts facts_beside(const MergedDevice& device, const Facts& shared);

}  // namespace roofline::report
