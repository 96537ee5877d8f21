#include "cli/version.hpp"

#include "roofline/record.hpp"

namespace roofline::cli {

std::string version() { return ROOFLINE_VERSION; }

std::string version_line() {
  return "roofline " + version() + " (report schema " + std::to_string(Report::kSchemaVersion) +
         ")";
}

}  // namespace roofline::cli
