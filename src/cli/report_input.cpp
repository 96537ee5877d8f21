#include "cli/report_input.hpp"

#include "report/journal.hpp"
#include "report/json_reader.hpp"
#include "report/sink.hpp"

namespace roofline::cli {

Report load_report(const std::string& path) {
  const std::string text = report::read_file(path);
  return report::is_journal(text) ? report::read_journal(text, path)
                                  : report::read_report(text, path);
}

}  // namespace roofline::cli
