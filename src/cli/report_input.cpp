#include "cli/report_input.hpp"

#include <filesystem>

#include "report/input.hpp"
#include "report/journal.hpp"
#include "report/misstatements.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

Report load_report(const std::string& path, report::Reading keep) {
  report::Input input(path);
  if (report::is_journal(input.text())) return report::read_journal(input.text(), path);
  const auto passed = [&](std::size_t before) { input.let_go(before); };
  return report::read_report(input.text(), path, {.keep = keep, .passed = passed});
}

Report load_report(const std::string& path, AsWritten& file) {
  report::Input input(path);
  if (report::is_journal(input.text())) return report::read_journal(input.text(), path);
  const auto passed = [&](std::size_t before) { input.let_go(before); };
  return report::read_report(input.text(), path, file, {.passed = passed});
}

report::ComparedRun load_run(const std::string& path) {
  report::Input input(path);
  if (report::is_journal(input.text()))
    return report::compared_run(report::read_journal(input.text(), path));
  const auto passed = [&](std::size_t before) { input.let_go(before); };
  return report::read_run(input.text(), path, {.passed = passed});
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
