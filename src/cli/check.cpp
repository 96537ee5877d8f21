#include <CLI/CLI.hpp>
#include <memory>
#include <sstream>

#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "report/assertion.hpp"
#include "report/grid.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

struct Demand {
  std::string place;  ///< `--assert`, or file and line
  std::string text;
};

/// Where `#` stands before a word; within one it is part of an id (cuda:0@x#1).
std::size_t comment_begin(std::string_view line) {
  for (std::size_t at = line.find('#'); at != line.npos; at = line.find('#', at + 1))
    if (at == 0 || line[at - 1] == ' ' || line[at - 1] == '\t') return at;
  return line.size();
}

/// One a line; what `#` begins is a comment.
void read_demands(const std::string& path, std::vector<Demand>& out) {
  std::string text = report::read_file(path);
  // Editors put it there, and nobody sees it.
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    line.resize(comment_begin(line));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t'))
      line.pop_back();
    if (line.find_first_not_of(" \t") == std::string::npos) continue;
    out.push_back({path + ", line " + std::to_string(number), line});
  }
}

/// The sentence, the text and a caret below what is wrong in it.
void tell_mistake(const Demand& demand, const report::AssertionError& error, Io& io) {
  const std::string before = printable(demand.text.substr(0, error.position()));
  const std::size_t columns_before = report::display_width(before);
  io.err << "roofline: " << printable(demand.place) << ": " << printable(error.what()) << "\n  "
         << printable(demand.text) << "\n  " << std::string(columns_before, ' ') << "^\n";
}

void tell(const report::Assertion& assertion, const report::Answer& answer, Io& io) {
  constexpr std::size_t kFew = 10;
  io.out << (answer.holds ? "ok    " : "FAIL  ") << printable(assertion.text);
  if (answer.points != 0) {
    io.out << "   (" << answer.points << (answer.points == 1 ? " point" : " points") << ")";
  }
  io.out << '\n';
  for (std::size_t i = 0; i < answer.said.size() && i < kFew; ++i) {
    io.out << (answer.holds && answer.points > 1 ? "      nearest: " : "      ")
           << printable(answer.said[i]) << '\n';
  }
  if (answer.said.size() > kFew)
    io.out << "      and " << answer.said.size() - kFew << " more points\n";
}

}  // namespace

Action add_check(CLI::App& app, const Invocation&) {
  struct Options {
    std::string path;
    std::vector<std::string> assertions;
    std::vector<std::string> files;
  };
  auto options = std::make_shared<Options>();
  app.add_option("report", options->path, kReportHelp)->required();
  app.add_option("--assert", options->assertions,
                 "what must hold of every point it speaks of: 'gemm[dtype=bf16].of_ceiling >= "
                 "0.6', 'read.bandwidth >= 90% of datasheet' (docs/ci.md); may be given often")
      ->allow_extra_args(false);
  app.add_option("--assert-file", options->files, "a file of such lines; # begins a comment")
      ->allow_extra_args(false);
  return [options](Io& io) {
    std::vector<Demand> demands;
    for (const std::string& text : options->assertions) demands.push_back({"--assert", text});
    for (const std::string& path : options->files) read_demands(path, demands);
    if (demands.empty()) {
      throw InputError(
          "check has nothing to check: give --assert 'gemm.of_ceiling >= 0.6', or --assert-file "
          "with at least one line");
    }
    std::vector<report::Assertion> assertions;
    for (const Demand& demand : demands) {
      try {
        assertions.push_back(report::parse_assertion(demand.text));
      } catch (const report::AssertionError& error) {
        tell_mistake(demand, error, io);
        return ExitStatus::usage;
      }
    }
    const Report report = load_report(options->path, report::Reading::figures);
    std::size_t failed = 0;
    for (const report::Assertion& assertion : assertions) {
      const report::Answer answer = report::ask(assertion, report);
      tell(assertion, answer, io);
      failed += answer.holds ? 0 : 1;
    }
    io.out << assertions.size() << (assertions.size() == 1 ? " assertion: " : " assertions: ");
    if (failed == 0) {
      io.out << "all hold\n";
    } else {
      io.out << failed << (failed == 1 ? " fails\n" : " fail\n");
    }
    return failed == 0 ? ExitStatus::ok : ExitStatus::failed;
  };
}

}  // namespace roofline::cli
