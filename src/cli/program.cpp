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

namespace roofline::cli {
namespace {

constexpr std::array kCommands{
    Command{"run", "measure this machine: bandwidth, compute, GEMM and matvec, into one report", add_run},
    Command{"bandwidth", "sustained memory bandwidth by stream kernels", add_bandwidth},
    Command{"gemm", "a sweep of matrix products", add_gemm},
    Command{"matvec", "decode projections: few rows against one weight matrix", add_matvec},
    Command{"devices", "what is here, and what the catalogue knows of a device", add_devices},
    Command{"explain", "place an operation under a device's roofs by arithmetic alone", add_explain},
    Command{"show", "print the table of a report", add_show},
};

constexpr std::string_view kFooter =
    "\nExit status: 0 done; 1 a check or (under --strict) a point failed; 2 wrong usage or refused input; 3 the "
    "device,\ndtype or feature asked for is not there; 4 a file could not be read or written; 5 measured, but "
    "nothing can be\ntrusted; 130, 143 interrupted.\n";

std::string joined(std::span<const std::string> arguments) {
  std::string out = "roofline";
  for (const std::string& argument : arguments) {
    const bool plain = !argument.empty() && argument.find_first_of(" \t\n'\"\\$*?;&|<>()") == std::string::npos;
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

/// The option names of the command that was meant, and those of the whole program for a misspelt command.
std::vector<std::string> known_words(const CLI::App& app) {
  std::vector<std::string> out;
  for (const CLI::App* sub : app.get_subcommands({})) out.push_back(sub->get_name());
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) out.push_back("--" + name);
  }
  return out;
}

/// CLI11's message as one sentence, with the nearest word that exists.
std::string usage_sentence(const CLI::ParseError& error, const CLI::App& app,
                           std::span<const std::string> arguments) {
  std::string text = error.what();
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && (text.back() == ' ' || text.back() == '.')) text.pop_back();
  const auto chosen = app.get_subcommands();
  const CLI::App& context = chosen.empty() ? app : *chosen.front();
  const std::string where =
      chosen.empty() ? "roofline --help" : "roofline " + chosen.front()->get_name() + " --help";
  // The error's own name is that of the command, so its class is asked.
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (extra || dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const auto known = known_words(context);
    for (const std::string& argument : arguments) {
      const std::string word = argument.substr(0, argument.find('='));
      if (std::find(known.begin(), known.end(), word) != known.end()) continue;
      if (extra && text.find(word) == std::string::npos) continue;
      if (word.empty() || (word.front() != '-' && !chosen.empty())) continue;
      if (const auto near = nearest(word, known)) {
        return "'" + word + "' is not known here; did you mean " + *near + "?";
      }
    }
  }
  return text + "; see " + where;
}

ExitStatus guarded(const Action& action, Io& io) {
  const auto say = [&](const std::exception& error, ExitStatus status) {
    io.err << "roofline: " << error.what() << '\n';
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
  CLI::App app{"How fast could this hardware run an operation, how fast does it, what limits it, what to change."};
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
    io.err << "roofline: " << usage_sentence(error, app, arguments) << '\n';
    return ExitStatus::usage;
  }
  return guarded(chosen, io);
}

}  // namespace roofline::cli
