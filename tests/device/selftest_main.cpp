// roofline-selftest: every kernel of this program on a real device, held against references on the
// host. scripts/gpu-check runs it; its JSON is a fixture.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "backend/cuda/inventory.hpp"
#include "check.hpp"
#include "fixtures.hpp"
#include "roofline/error.hpp"

namespace {

using namespace roofline;
using selftest::Clock;
using Json = nlohmann::ordered_json;

enum class Exit { right = 0, wrong = 1, usage = 2, no_device = 3, file = 4 };

struct Options {
  std::string device = "cuda:0";
  std::string output;
  bool small = false;
  double budget_s = 60;
};

struct NoDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Found {
  const cuda::KernelEntry* kernel = nullptr;
  selftest::Findings findings;
  double seconds = 0;
  bool device_lost = false;  ///< nothing can be checked after it
};

cuda::ListedGpu pick(const cuda::Gpus& gpus, const std::string& text) {
  if (gpus.devices.empty()) throw NoDevice(gpus.none_because);
  cuda::Inventory inventory{{}, gpus.none_because, gpus.libraries};
  for (const auto& gpu : gpus.devices) inventory.devices.push_back(gpu.listed);
  const cuda::ListedDevice* const chosen = cuda::find_device(inventory, text);
  if (chosen == nullptr) throw NoDevice("there is no GPU '" + text + "'");
  if (!chosen->unusable.empty()) throw NoDevice(chosen->device.id + ": " + chosen->unusable);
  return gpus.devices[static_cast<std::size_t>(chosen - inventory.devices.data())];
}

cuda::MatvecDevice matvec_device(const cuda::DeviceReading& reading) {
  cuda::MatvecDevice out;
  if (reading.sm_count > 0) out.sm_count = static_cast<cuda::u32>(reading.sm_count);
  const int per_block =
      std::max(reading.shared_memory_opt_in_bytes, reading.shared_memory_per_block_bytes);
  if (per_block > 0) out.shared_per_block = static_cast<cuda::u64>(per_block);
  if (reading.shared_memory_per_sm_bytes > 0)
    out.shared_per_sm = static_cast<cuda::u64>(reading.shared_memory_per_sm_bytes);
  return out;
}

/// Checks one; a device that fails is made to work again where that goes.
Found check(const selftest::Bench& bench, const cuda::KernelEntry& kernel) {
  Found out;
  out.kernel = &kernel;
  const Clock::time_point begin = Clock::now();
  try {
    bench.context.use();
    selftest::check_kernel(bench, kernel, out.findings);
  } catch (const cuda::CudaError& error) {
    out.findings.set_fault(error.what());
    try {
      bench.context.recover(error);
    } catch (const backend::BackendError&) {
      out.device_lost = true;
    }
  } catch (const backend::BackendError& error) {
    out.findings.set_fault(error.what());
  }
  out.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  if (!out.findings.right()) {
    std::cerr << "roofline-selftest: " << kernel.name << ": "
              << (out.findings.fault().empty() ? "nothing was checked" : out.findings.fault())
              << "\n";
  }
  return out;
}

Found unchecked(const cuda::Context& context, const cuda::KernelEntry& kernel) {
  Found out;
  out.kernel = &kernel;
  out.findings.set_fault("not checked: " + context.lost_because());
  return out;
}

Json json_of(cuda::Context& context, const Found& found) {
  const auto& comparison = found.findings.comparison();
  Json out{{"name", found.kernel->name},
           {"right", found.findings.right()},
           {"cases", found.findings.cases()},
           {"cases_left_out", found.findings.cases_left_out()},
           {"values_compared", comparison.compared},
           {"values_wrong", comparison.wrong},
           {"worst_error_of_bound", comparison.worst},
           {"fault", nullptr},
           {"seconds", found.seconds},
           {"driver", nullptr}};
  if (!found.findings.fault().empty()) out["fault"] = found.findings.fault();
  if (const auto facts = selftest::kernel_facts(context, *found.kernel)) {
    out["driver"] = {
        {"registers", facts->registers},           {"local_bytes", facts->local_bytes},
        {"shared_bytes", facts->shared_bytes},     {"max_block", facts->max_block},
        {"binary_version", facts->binary_version}, {"ptx_version", facts->ptx_version}};
  }
  return out;
}

/// Asked last: a device that the kernels broke still gives what they found.
void add_fixtures(Json& out, cuda::Context& context, int index) {
  out["attributes"] = nullptr;
  out["events"] = nullptr;
  try {
    context.use();
    Json attributes = Json::object();
    for (const auto& [which, value] : selftest::device_attributes(context, index))
      attributes[std::to_string(which)] = value;
    out["attributes"] = std::move(attributes);
    const selftest::EventSteps steps = selftest::event_steps(context);
    out["events"] = {
        {"step_s", nullptr}, {"nothing_s", steps.nothing_s}, {"spins_s", steps.spins_s}};
    if (steps.step_s) out["events"]["step_s"] = *steps.step_s;
  } catch (const backend::BackendError& error) {
    std::cerr << "roofline-selftest: fixtures: " << error.what() << "\n";
  }
}

Exit write(const std::string& path, const Json& json) {
  const std::string text = json.dump(2) + "\n";
  if (path.empty()) {
    std::cout << text;
    return Exit::right;
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (out) return Exit::right;
  std::cerr << "roofline-selftest: " << path << " cannot be written\n";
  return Exit::file;
}

Exit run(const Options& options) {
  const auto libraries = cuda::load_libraries({});
  const cuda::ListedGpu gpu = pick(cuda::list_gpus(*libraries), options.device);
  cuda::Context context(libraries, gpu.reading.index, gpu.listed.device.id);
  context.use();
  selftest::Operands operands(context, selftest::most_elements(!options.small));
  const auto budget =
      std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.budget_s));
  const selftest::Bench bench{context,
                              operands,
                              matvec_device(gpu.reading),
                              1e3 * gpu.reading.clock_khz,
                              !options.small,
                              Clock::now() + budget};
  Json kernels = Json::array();
  std::uint64_t values = 0;
  unsigned cases = 0;
  unsigned wrong = 0;
  bool lost = false;
  for (const cuda::KernelEntry& kernel : cuda::kKernels) {
    const Found found = lost ? unchecked(context, kernel) : check(bench, kernel);
    lost = lost || found.device_lost;
    values += found.findings.comparison().compared;
    cases += found.findings.cases();
    wrong += found.findings.right() ? 0 : 1;
    kernels.push_back(json_of(context, found));
  }
  Json out{{"tool", "roofline-selftest " ROOFLINE_VERSION},
           {"device", {{"id", gpu.listed.device.id}, {"name", gpu.listed.device.name}}},
           {"sizes", options.small ? "small" : "all"},
           {"right", wrong == 0},
           {"cases", cases},
           {"values_compared", values},
           {"kernels", std::move(kernels)}};
  add_fixtures(out, context, gpu.reading.index);
  if (const Exit written = write(options.output, out); written != Exit::right) return written;
  std::cerr << "roofline-selftest: " << gpu.listed.device.name << ": " << std::size(cuda::kKernels)
            << " kernels, " << cases << " cases, " << values << " values; "
            << (wrong == 0 ? "all right" : std::to_string(wrong) + " kernels are not") << "\n";
  return wrong == 0 ? Exit::right : Exit::wrong;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app("Checks every CUDA kernel of roofline on a device against references on the host.",
               "roofline-selftest");
  app.add_option("--device", options.device, "cuda:N, a UUID or a name")->capture_default_str();
  app.add_option("-o,--output", options.output, "JSON file (default: standard output)");
  app.add_flag("--small", options.small, "small sizes only, for sanitizers and emulators");
  app.add_option("--budget", options.budget_s, "seconds after which large sizes are left out")
      ->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : static_cast<int>(Exit::usage);
  }
  try {
    return static_cast<int>(run(options));
  } catch (const NoDevice& error) {
    std::cerr << "roofline-selftest: " << error.what() << "\n";
    return static_cast<int>(Exit::no_device);
  } catch (const InputError& error) {
    std::cerr << "roofline-selftest: " << error.what() << "\n";
    return static_cast<int>(Exit::usage);
  } catch (const std::exception& error) {
    std::cerr << "roofline-selftest: " << error.what() << "\n";
    return static_cast<int>(Exit::wrong);
  }
}
