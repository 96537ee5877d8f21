#include <CLI/CLI.hpp>
#include <memory>

#include "cli/command.hpp"
#include "cli/configs.hpp"
#include "cli/session.hpp"

namespace roofline::cli {

Action add_run(CLI::App& app, const Invocation& invocation) {
  struct Options {
    SessionOptions session;
    std::string suite = "quick";
    std::string config_dir;
  };
  auto options = std::make_shared<Options>();
  app.add_option("--suite", options->suite, "quick, standard, or a suite file")
      ->capture_default_str();
  add_session_options(app, options->session);
  add_config_option(app, options->config_dir);
  return [options, invocation](Io& io) {
    const measure::Suite suite = load_suite(options->suite, options->config_dir);
    const PointsFor points = [&](backend::DeviceKind kind) { return suite.points_for(kind); };
    return run_session(options->session, {suite.name, points, suite.plan, {}, options->config_dir},
                       invocation, io);
  };
}

}  // namespace roofline::cli
