#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <vector>

#include "cli/command.hpp"
#include "cli/suggest.hpp"
#include "cli/version.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

constexpr std::array kCommands{
    Command{"run", "measure this machine: bandwidth, compute, GEMM and matvec, into one report",
            add_run},
    Command{"bandwidth", "sustained bandwidth of memory and caches by stream kernels",
            add_bandwidth},
    Command{"gemm", "a sweep of matrix products", add_gemm},
    Command{"matvec", "decode projections: few rows against one weight matrix", add_matvec},
    Command{"elementwise", "chains of elementwise operations, fused and not", add_elementwise},
    Command{"launch", "the floor: what a call costs that does nothing", add_launch},
    Command{"devices", "what is here, and what the catalogue knows of a device", add_devices},
    Command{"doctor", "what on this machine would spoil a measurement, and what to do about each",
            add_doctor},
    Command{"explain", "place an operation under a device's roofs by arithmetic alone",
            add_explain},
    Command{"model", "a transformer's weights and cache, counted from its config.json", add_model},
    Command{"advise", "a dashboard's figure held against its own ceiling, and what would raise it",
            add_advise},
    Command{"show", "print the table of a report", add_show},
    Command{"plot", "draw a roofline: SVG, one HTML file, or in the terminal", add_plot},
    Command{"compare", "two runs or more: slower, faster, the same, or more than they can tell",
            add_compare},
    Command{"check", "hold a report against what must be: status 1 where it fails", add_check},
    Command{"import", "place kernels that somebody else timed under their roofs", add_import},
    Command{"merge", "reports of several machines or runs as one", add_merge},
    Command{"audit", "every number of a report worked out again, and what is wrong with it",
            add_audit},
    Command{"export", "a report for boards, gates and spreadsheets", add_export},
    Command{"columns", "what a report says of a point, and in which unit", add_columns},
};

constexpr std::string_view kFooter =
    "\nExit status: 0 done; 1 a check or (under --strict) a point failed; 2 wrong usage or refused "
    "input; 3 the "
    "device,\ndtype or feature asked for is not there; 4 a file could not be read or written; 5 "
    "measured, but "
    "nothing can be\ntrusted, or doctor sees what would spoil it; 130, 143 interrupted.\n";

std::string joined(std::span<const std::string> arguments) {
  std::string out = "roofline";
  for (const std::string& argument : arguments) {
    const bool plain =
        !argument.empty() && argument.find_first_of(" \t\n'\"\\$*?;&|<>()") == std::string::npos;
    if (plain) {
      out += ' ' + argument;
      continue;
    }
    out += " '";
    for (const char c : argument) {
      if (c == '\'') {
        out += "'\\''";
      } else {
        out += c;
      }
    }
    out += '\'';
  }
  return out;
}

/// A word of the command line as part of a sentence.
std::string shown(const std::string& word) {
  constexpr std::size_t kLongest = 60;
  return word.size() <= kLongest ? word : word.substr(0, kLongest) + "...";
}

/// The option names of the command that was meant, and those of the whole program for a misspelt
/// command.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* sub : app.get_subcommands({})) out.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

/// The first word of the command line that nothing takes, where it may be a misspelling.
std::string stray_sentence(const std::string& word, const CLI::App& context,
                           const CLI::App* chosen) {
  const std::string bare = word.substr(0, word.find('='));
  const std::string quoted = "'" + shown(bare) + "'";
  const auto known = known_words(context);
  if (std::find(known.begin(), known.end(), bare) != known.end()) {
    return quoted + " may not stand there; the command comes first, then its options";
  }
  const auto near = nearest(bare, known);
  const std::string way_out = near ? "; did you mean " + *near + "?" : "; see roofline ";
  if (chosen == nullptr) return quoted + " is not known here" + way_out + (near ? "" : "--help");
  if (near) return quoted + " is not known here" + way_out;
  return quoted + " means nothing to roofline " + chosen->get_name() + way_out +
         chosen->get_name() + " --help";
}

/// CLI11's message as one sentence, with the nearest word that exists.
std::string usage_sentence(const CLI::ParseError& error, const CLI::App& app,
                           std::span<const std::string> arguments) {
  const auto chosen = app.get_subcommands();
  const CLI::App& context = chosen.empty() ? app : *chosen.front();
  // The error's own name is that of the command, so its class is asked.
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    const auto extra = app.remaining(true);
    for (const std::string& argument : arguments) {
      if (std::find(extra.begin(), extra.end(), argument) == extra.end()) continue;
      return stray_sentence(argument, context, chosen.empty() ? nullptr : chosen.front());
    }
  }
  if (chosen.empty() && dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    if (!arguments.empty()) return stray_sentence(arguments.front(), app, nullptr);
    std::string names;
    for (const Command& command : kCommands)
      names.append(names.empty() ? "" : ", ").append(command.name);
    return "give a command: " + names + "; see roofline --help";
  }
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  const std::string option = text.substr(0, text.find(':'));
  if (text.find(": At Most 1 required") != std::string::npos)
    return option + " is there twice; give it once";
  if (text.find(" required TEXT missing") != std::string::npos) text = option + " needs a value";
  return text + "; see roofline " + (chosen.empty() ? "" : chosen.front()->get_name() + " ") +
         "--help";
}

/// An option whose value is empty is a variable that was not set, and is never taken for an option
/// left out.
void refuse_empty_values(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty())
        throw InputError(option->get_name() + ": the value is empty; give one, or leave it out");
    }
  }
}

ExitStatus guarded(const Action& action, Io& io) {
  const auto say = [&](const std::exception& error, ExitStatus status) {
    io.err << "roofline: " << printable(error.what()) << '\n';
    return status;
  };
  try {
    return action(io);
  } catch (const InputError& error) {
    return say(error, ExitStatus::usage);
  } catch (const NotAvailable& error) {
    return say(error, ExitStatus::not_available);
  } catch (const FileError& error) {
    return say(error, ExitStatus::file);
  } catch (const NotComparable& error) {
    return say(error, ExitStatus::untrusted);
  } catch (const std::bad_alloc&) {
    io.err << "roofline: out of memory; use smaller shapes\n";
    return ExitStatus::failed;
  } catch (const std::exception& error) {
    io.err << "roofline: internal error: " << error.what() << "; please report it\n";
    return ExitStatus::failed;
  }
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

ExitStatus run_program(std::span<const std::string> arguments, Io& io) {
  CLI::App app{
      "How fast could this hardware run an operation, how fast does it, what limits it, what to "
      "change."};
  app.name("roofline");
  app.footer(std::string(kFooter));
  app.set_version_flag("--version", version_line());
  app.require_subcommand(1);
  const Invocation invocation{joined(arguments)};
  Action chosen;
  for (const Command& command : kCommands) {
    CLI::App* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
    sub->footer(std::string(kFooter));
    // Options are only declared for the command that is used: the others cost start-up time.
    if (std::find(arguments.begin(), arguments.end(), command.name) == arguments.end()) continue;
    Action action = command.add(*sub, invocation);
    sub->callback([&chosen, action = std::move(action)] { chosen = action; });
  }
  try {
    // CLI11 takes the arguments last first.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::Success& request) {
    return static_cast<ExitStatus>(app.exit(request, io.out, io.err));
  } catch (const CLI::ParseError& error) {
    io.err << "roofline: " << printable(usage_sentence(error, app, arguments)) << '\n';
    return ExitStatus::usage;
  }
  return guarded(
      [&](Io& open) {
        refuse_empty_values(*app.get_subcommands().front());
        return chosen(open);
      },
      io);
}

}  // namespace roofline::cli
