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
    std::string path;
  };
  auto options = std::make_shared<Options>();
  app.add_option("--path", options->path,
                 "kernel (our own with no work), library (the smallest product), graph and "
                 "library_graph (those, replayed in a graph), event (nothing between two) "
                 "(default: kernel,library; on a GPU all)");
  add_session_options(app, options->session);
  return [options, invocation](Io& io) {
    const PointsFor points = [&](backend::DeviceKind kind) {
      const std::string usual = kind == backend::DeviceKind::gpu
                                    ? "kernel,library,graph,library_graph,event"
                                    : "kernel,library";
      std::vector<Workload> out;
      for (const std::string& word :
           split_list(options->path.empty() ? usual : options->path, "--path")) {
        const auto path = find_launch_path(word);
        if (!path)
          throw InputError("--path: '" + word + "' is not known; use " + launch_path_list());
        out.emplace_back(Launch{*path});
      }
      return out;
    };
    return run_family("launch", options->session, points, false, invocation, io);
  };
}

}  // namespace roofline::cli
