// launch: what a call costs that does nothing, the floor under every other one.
#include <CLI/CLI.hpp>
#include <memory>

#include "cli/families.hpp"
#include "cli/operation_options.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {

Action add_launch(CLI::App& app, const Invocation& invocation) {
  struct Options {
    SessionOptions session;
    std::string path = "kernel,library";
  };
  auto options = std::make_shared<Options>();
  app.add_option("--path", options->path,
                 "kernel (our own with no work), library (the smallest product), graph")
      ->capture_default_str();
  add_session_options(app, options->session);
  return [options, invocation](Io& io) {
    std::vector<Workload> points;
    for (const std::string& word : split_list(options->path, "--path")) {
      const auto path = find_launch_path(word);
      if (!path)
        throw InputError("--path: '" + word + "' is not known; use kernel, library or graph");
      points.emplace_back(Launch{*path});
    }
    return run_family("launch", options->session, std::move(points), false, invocation, io);
  };
}

}  // namespace roofline::cli
