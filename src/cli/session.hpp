// One measuring session: choose the devices, say what will run, run it on one after the other, save
// what is finished, show the result. Where the backends, the measuring engine and the report meet.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"
#include "cli/command.hpp"
#include "measure/sampling_plan.hpp"
#include "roofline/workload.hpp"

namespace CLI {
class App;
}

namespace roofline::cli {

/// Options that every measuring command has.
struct SessionOptions {
  std::string device;   ///< one or more, separated by commas; all
  std::string require;  ///< empty or gpu
  std::string output;
  std::string backend;
  std::string threads;
  std::string isa;
  std::string algo;         ///< empty, first or best
  std::string libcublaslt;  ///< a path
  std::string budget;
  std::string seed;
  std::string resume;
  std::string point_timeout;
  std::string repeat = "1";
  bool json = false;
  bool dry_run = false;
  bool strict = false;
};

void add_session_options(CLI::App& app, SessionOptions& options);

/// What a device of a kind is asked to measure: defaults may differ between a CPU and a GPU.
using PointsFor = std::function<std::vector<Workload>(backend::DeviceKind kind)>;

/// Names of points beside their ids, by id: which products of a model they are.
using PointNames = std::map<std::string, std::string>;

struct SessionPlan {
  std::string suite;  ///< what the report calls it: a suite's name or the command's
  PointsFor points;
  measure::SamplingPlan sampling;
  /// The kind_name of what a command named by dtype and shape; the other workloads only measure its
  /// roofs. If none of that kind can run, that is status 3. Empty for a suite.
  std::string_view asked_kind = {};
  std::string config_dir = {};  ///< accelerators of the user's own, for rated roofs
  PointNames names = {};        ///< becomes the fact `product` of the point

  /// Whether it is a result by itself, and no roof that only serves those.
  [[nodiscard]] bool asks_for(const Workload& workload) const {
    return asked_kind.empty() || kind_name(workload) == asked_kind;
  }
};

/// Throws InputError, NotAvailable and FileError before anything is measured.
[[nodiscard]] ExitStatus run_session(const SessionOptions& options, const SessionPlan& plan,
                                     const Invocation& invocation, Io& io);

}  // namespace roofline::cli
