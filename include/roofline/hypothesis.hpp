// What may explain a figure, as data: for one point and for a whole report. How it was arrived at
// is diagnosis.hpp's business.
#pragma once

#include <string>
#include <vector>

#include "roofline/text.hpp"

namespace roofline {

/// One row of the table of failure modes that shows on a point. All sentences are for people; `id`
/// is stable.
struct Hypothesis {
  Text id;
  Text text;      ///< what would be the matter
  Text evidence;  ///< the figures of this point that speak for it
  Text counter;   ///< the profiler counter, event or own fact that would confirm it
  Text remedy;
  double score = 0;  ///< how well the evidence fits, 0 .. 1; no probability
};

/// The same of several points together.
struct Finding : Hypothesis {
  std::vector<std::string> points;  ///< ids of those that it was seen on
  std::string device = {};  ///< id of the one it is about; empty where the report is of one device
};

}  // namespace roofline
