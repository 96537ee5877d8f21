#include "cli/report_input.hpp"

#include <filesystem>

#include "report/journal.hpp"
#include "report/json_reader.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

Report load_report(const std::string& path) {
  const std::string text = report::read_file(path);
  return report::is_journal(text) ? report::read_journal(text, path)
                                  : report::read_report(text, path);
}

void require_other_file(const std::string& output, const std::string& input,
                        std::string_view what) {
  if (output.empty() || output == "-" || input == "-") return;
  std::error_code not_there;
  if (output != input && !std::filesystem::equivalent(output, input, not_there)) return;
  throw InputError("-o: " + output + " is " + std::string(what) +
                   ", which would be lost; give another file");
}

}  // namespace roofline::cli
