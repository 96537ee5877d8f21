// One subcommand of the program: its name, its options, what it does. Each is built in a file of
// its own and listed once in commands().
#pragma once

#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

#include "cli/exit_status.hpp"

namespace CLI {
class App;
}

namespace roofline::cli {

/// stdout carries the result, stderr the conversation.
struct Io {
  std::ostream& out;
  std::ostream& err;
};

using Action = std::function<ExitStatus(Io&)>;

/// What a run of the program needs to know of how it was called.
struct Invocation {
  std::string command_line;
};

struct Command {
  std::string_view name;
  std::string_view summary;
  /// Declares the options on `app` and returns what to do once they are parsed.
  Action (*add)(CLI::App& app, const Invocation& invocation);
};

[[nodiscard]] std::span<const Command> commands();

[[nodiscard]] Action add_run(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_bandwidth(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_gemm(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_matvec(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_elementwise(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_launch(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_devices(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_doctor(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_explain(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_advise(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_audit(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_check(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_columns(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_compare(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_export(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_plot(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_import(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_merge(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_model(CLI::App& app, const Invocation& invocation);
[[nodiscard]] Action add_show(CLI::App& app, const Invocation& invocation);

/// Parses and runs; turns every error into one sentence on `io.err` and its status. `arguments`
/// without the program's own name.
[[nodiscard]] ExitStatus run_program(std::span<const std::string> arguments, Io& io);

}  // namespace roofline::cli
