// What a file says of a point against what is written of the point that was read: where they
// differ, the file has a value that the rest of the point does not give. Knows nothing of rules.
#pragma once

#include <string>
#include <string_view>

#include "report/json_out.hpp"
#include "report/json_reader.hpp"
#include "roofline/audit.hpp"

namespace roofline::report {

/// One is used for many points, and allocates little then.
class MisstatementFinder {
 public:
  /// `text`: what the point was read from.
  void look(const Record& point, const Node& text, AsWritten& out);

 private:
  JsonOut out_;
  std::string line_;
  JsonTree tree_;
};

/// read_report(), and what its points say that nothing gives.
[[nodiscard]] Report read_report(std::string_view text, std::string_view name, AsWritten& file,
                                 const ReadOptions& options = {});

}  // namespace roofline::report
