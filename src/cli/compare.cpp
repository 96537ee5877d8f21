#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "cli/command.hpp"
#include "cli/report_input.hpp"
#include "cli/terminal.hpp"
#include "cli/warnings.hpp"
#include "report/asked.hpp"
#include "report/comparison_text.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"
#include "roofline/quantity_text.hpp"

namespace roofline::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<std::string> base;
  std::vector<std::string> fresh;
  std::string threshold = "1%";
  std::string fail_on = "broken,slower";
  std::string format = "table";
  std::string output = "-";
  bool force = false;
};

/// `3%`, `0.03`.
double share(const std::string& text) {
  const bool percent = text.ends_with('%');
  const std::string number = percent ? text.substr(0, text.size() - 1) : text;
  if (number.empty())
    throw InputError("--threshold: '" + text + "' has no number; give a part of the time, as 3%");
  const double value = parse_number(number, "--threshold") / (percent ? 100 : 1);
  if (value >= 1) {
    throw InputError("--threshold: " + text +
                     " is a doubling of the time or more; give a part of it, such as 3%");
  }
  return value;
}

/// What ends with status 1.
struct FailOn {
  std::vector<report::ComparedAs> verdicts;
  bool broken = false;  ///< of what is unusable, that which the new side broke

  [[nodiscard]] bool names(const report::ComparedPoint& point) const {
    return (broken && point.broken) ||
           std::find(verdicts.begin(), verdicts.end(), point.verdict) != verdicts.end();
  }
};

FailOn fail_on(const std::string& text) {
  FailOn out;
  const std::vector<std::string_view> all = report::separated(text);
  for (const std::string_view word : all) {
    const auto verdict = report::find_compared_as(word);
    if (word == "broken") {
      out.broken = true;
    } else if (word == "none") {
      if (all.size() > 1)
        throw InputError("--fail-on: none stands alone; leave it out, or what is beside it");
    } else if (!verdict || *verdict == report::ComparedAs::same) {
      throw InputError("--fail-on: '" + std::string(word) +
                       "' is not one of broken, slower, unusable, missing, ambiguous, faster, new, "
                       "unverified, none");
    } else {
      out.verdicts.push_back(*verdict);
    }
  }
  return out;
}

using Write = void (*)(const report::Comparison&, const report::TableStyle&,
                       const report::TextSink&);

Write writer(const std::string& format) {
  using report::Comparison;
  using report::TableStyle;
  using report::TextSink;
  if (format == "table") {
    return [](const Comparison& comparison, const TableStyle& style, const TextSink& to) {
      to(render_comparison_table(comparison, style));
    };
  }
  if (format == "markdown") {
    return [](const Comparison& comparison, const TableStyle&, const TextSink& to) {
      to(render_comparison_markdown(comparison));
    };
  }
  if (format == "json") {
    return [](const Comparison& comparison, const TableStyle&, const TextSink& to) {
      write_comparison_json(comparison, to);
    };
  }
  throw InputError("--format: '" + format + "' is not one of table, markdown, json");
}

struct Sides {
  std::vector<std::string> base;
  std::vector<std::string> fresh;
};

Sides sides_of(const Options& options) {
  Sides out{options.base, options.fresh};
  if (options.files.size() > 2) {
    throw InputError(
        "compare takes two files, base and new; more of a side go with --base FILE "
        "and --new FILE");
  }
  if (!options.files.empty()) out.base.insert(out.base.begin(), options.files[0]);
  if (options.files.size() == 2) out.fresh.insert(out.fresh.begin(), options.files[1]);
  if (out.base.empty() || out.fresh.empty()) {
    throw InputError(
        "compare needs two sides: roofline compare base.json new.json, or --base and "
        "--new, each as often as there are runs");
  }
  std::vector<std::string> all = out.base;
  all.insert(all.end(), out.fresh.begin(), out.fresh.end());
  if (std::count(all.begin(), all.end(), "-") > 1)
    throw InputError("compare: standard input (-) can be one report only");
  for (const std::string& path : all)
    require_other_file(options.output, path, "one of the reports");
  for (const auto* side : {&out.base, &out.fresh}) {
    for (const std::string& path : *side) {
      if (std::count(side->begin(), side->end(), path) > 1)
        throw InputError("compare: " + path + " is there twice on one side; a run counts once");
    }
  }
  return out;
}

std::vector<report::ComparedRun> load(const std::vector<std::string>& paths) {
  std::vector<report::ComparedRun> out;
  for (const std::string& path : paths) {
    out.push_back(load_run(path));
    const std::string& id = out.back().head.run.id;
    for (std::size_t i = 0; i + 1 < out.size(); ++i) {
      if (id.empty() || out[i].head.run.id != id) continue;
      throw InputError("compare: " + paths[i] + " and " + path + " are the same run (" + id +
                       "); a run counts once on a side");
    }
  }
  return out;
}

/// The runs are let go before anything is written.
report::Comparison compare(const Sides& sides, const report::ComparisonOptions& how) {
  const std::vector<report::ComparedRun> base = load(sides.base);
  const std::vector<report::ComparedRun> fresh = load(sides.fresh);
  return report::compare(base, fresh, how);
}

/// Says why, once, with the way to compare all the same.
void refuse(const report::Comparison& comparison) {
  std::string text = "these runs are not comparable: ";
  std::size_t said = 0;
  for (const report::Difference& difference : comparison.differences) {
    if (!difference.refuses) continue;
    constexpr std::size_t kFew = 5;
    if (++said > kFew) continue;
    text += (said == 1 ? "" : "; ") + report::text_of(difference);
    if (said == kFew) text += "; and more";
  }
  throw NotComparable(text + "; --force compares them all the same");
}

/// What a gate says in its log: the comparison itself may have gone into a file.
void tell_failures(const std::vector<const report::ComparedPoint*>& failed, Io& io) {
  constexpr std::size_t kFew = 5;
  io.err << "roofline: the comparison fails for " << failed.size()
         << (failed.size() == 1 ? " point:\n" : " points:\n");
  for (std::size_t i = 0; i < failed.size() && i < kFew; ++i) {
    const report::ComparedPoint& point = *failed[i];
    io.err << "  " << name(point.verdict) << ": " << printable(point.name);
    if (point.broken || point.verdict == report::ComparedAs::unusable) {
      io.err << ": " << printable(point.reason);
    } else if (point.ratio) {
      io.err << ": time " << report::change_text(point.ratio->value);
    }
    io.err << '\n';
  }
  if (failed.size() > kFew) io.err << "  and " << failed.size() - kFew << " more\n";
}

ExitStatus status_of(const report::Comparison& comparison, const FailOn& fail_on, Io& io) {
  std::vector<const report::ComparedPoint*> failed;
  for (const report::ComparedPoint& point : comparison.points) {
    if (fail_on.names(point)) failed.push_back(&point);
  }
  if (!failed.empty()) {
    tell_failures(failed, io);
    return ExitStatus::failed;
  }
  if (comparison.says_something()) return ExitStatus::ok;
  io.err << "roofline: nothing can be said: "
         << (comparison.points.empty() ? "no point is on both sides"
                                       : report::summary_text(comparison))
         << '\n';
  return ExitStatus::untrusted;
}

}  // namespace

Action add_compare(CLI::App& app, const Invocation&) {
  auto options = std::make_shared<Options>();
  app.add_option("reports", options->files,
                 "base and new: report files, the journal of a run, or - for standard input");
  app.add_option("--base", options->base, "another run of the base; may be given often")
      ->allow_extra_args(false);
  app.add_option("--new", options->fresh, "another run of the new side; may be given often")
      ->allow_extra_args(false);
  app.add_option(
         "--threshold", options->threshold,
         "change of the time that is worth a verdict: slower and faster are beyond it, same "
         "is within, each with what separate runs differ by")
      ->capture_default_str();
  app.add_option(
         "--fail-on", options->fail_on,
         "verdicts that end with status 1, separated by commas: slower, unusable, missing, "
         "ambiguous, faster, new, unverified; broken (the new side failed, is wrong, impossible, "
         "implausibly fast or verified no more); or none")
      ->capture_default_str();
  app.add_option("--format", options->format, "table, markdown (for a pull request) or json")
      ->capture_default_str();
  app.add_option("-o,--output", options->output, "file to write; - is standard output")
      ->capture_default_str();
  app.add_flag("--force", options->force,
               "compare runs of other devices, drivers, libraries, buffers or protocols, with a "
               "warning");
  app.footer(
      "\nExamples:\n"
      "  roofline compare base.json new.json --threshold 3% --fail-on broken,slower,missing\n"
      "  roofline compare --base a1.json --base a2.json --base a3.json --new b1.json --new b2.json "
      "--new b3.json --format markdown -o comment.md\n"
      "\nExit status: 0 nothing that --fail-on names; 1 a verdict that it names; 2 wrong usage or "
      "refused input;\n4 a file could not be read or written; 5 not comparable, or nothing can be "
      "said.\n");
  return [options](Io& io) {
    const report::ComparisonOptions how{share(options->threshold)};
    const FailOn failing = fail_on(options->fail_on);
    const Write write = writer(options->format);
    const report::Comparison comparison = compare(sides_of(*options), how);
    if (comparison.refused()) {
      if (!options->force) refuse(comparison);
      warn(io, "these runs are not comparable, and --force compares them; the output says why");
    }
    report::Sink sink(options->output);
    const report::TableStyle style = sink.is_stdout() ? stdout_style() : report::TableStyle{};
    const auto text = [&](const report::TextSink& to) { write(comparison, style, to); };
    if (sink.is_stdout()) {
      text([&](std::string_view piece) { io.out << piece; });
    } else {
      sink.replace(text);
    }
    return status_of(comparison, failing, io);
  };
}

}  // namespace roofline::cli
