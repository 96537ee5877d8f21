// Several reports as one: the devices of several machines beside each other, or the parts of one
// sweep put together. A pure function; nothing that says where a figure is from is lost.
#pragma once

#include <string>
#include <vector>

#include "roofline/record.hpp"

namespace roofline::report {

struct MergeSource {
  std::string file;   ///< for sentences, and for `merged_from`
  std::string label;  ///< what the user calls the machine; empty where nothing was said
  Report report;
};

/// Which of two unlike measurements of one point stays.
enum class Keep {
  none,   ///< neither: the merge is refused
  first,  ///< that of the report that was named first
  last,
  best,  ///< a verified and trusted one before another, and of two such the shorter time
};

struct Merged {
  Report report;
  std::vector<std::string> notes;  ///< one sentence each: what was renamed, joined, left out
};

/// Devices are one device if they have the same label (or none), name and facts, but for those that
/// change by themselves; a GPU's uuid decides before its index does. Devices that only share an id
/// get `@label`, or `@` and the name of the file. Points of one device are joined and placed under
/// the roofs of all its reports; those of a device of one report stay as they are. Facts that all
/// machines share are the environment's, others each device's. Throws InputError where one device
/// has two unlike measurements of a point and `keep` is none, and without two reports.
[[nodiscard]] Merged merge(std::vector<MergeSource> sources, Keep keep);

}  // namespace roofline::report
