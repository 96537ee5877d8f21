#include "cli/backend_choice.hpp"

#include <algorithm>

#include "backend/cpu/cpu_backend.hpp"
#include "backend/cuda/cuda_backend.hpp"
#include "backend/scripted/scripted_backend.hpp"
#include "cli/doctor.hpp"
#include "cli/operation_options.hpp"
#include "cli/session.hpp"
#include "cli/suggest.hpp"
#include "cli/warnings.hpp"
#include "host/host.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"
#include "roofline/fact_lookup.hpp"

namespace roofline::cli {
namespace {

cpu::CpuOptions cpu_options(const SessionOptions& options) {
  cpu::CpuOptions out;
  if (!options.threads.empty() && options.threads != "all") {
    const std::uint64_t threads = whole_option(options.threads, "--threads");
    if (threads > 4096)
      throw InputError("--threads: " + options.threads + " is more than 4096; use all");
    out.threads = static_cast<unsigned>(threads);
  }
  if (!options.isa.empty()) {
    out.isa_cap = cpu::find_isa(options.isa);
    if (!out.isa_cap)
      throw InputError("--isa: '" + options.isa + "' is not known; use portable, avx2 or avx512");
  }
  return out;
}

cuda::CudaOptions cuda_options(const SessionOptions& options) {
  cuda::CudaOptions out;
  out.libcublaslt = options.libcublaslt;
  if (options.algo == "first") {
    out.algo = cuda::AlgoChoice::first;
  } else if (!options.algo.empty() && options.algo != "best") {
    throw InputError("--algo: '" + options.algo + "' is not known; use first or best");
  }
  return out;
}

/// A wish for more threads than there are is granted in part, and that is said.
void tell_thread_limit(const cpu::CpuOptions& asked, const backend::Device& device, Io& io) {
  for (const Fact& fact : device.facts) {
    const auto* used = fact.key == "threads" ? std::get_if<std::uint64_t>(&fact.value) : nullptr;
    if (used == nullptr || asked.threads <= *used) continue;
    warn(io, "--threads: " + std::to_string(asked.threads) +
                 " are more than this process may use; measuring with " + std::to_string(*used));
  }
}

/// Work of others on a GPU shows in every figure, and in none of them alone.
void tell_processes(const backend::Device& device, Io& io) {
  const auto others = number_fact(device.facts, "other_processes");
  if (!others) return;
  const std::string working =
      *others == 1 ? "another process works"
                   : std::to_string(static_cast<std::uint64_t>(*others)) + " other processes work";
  warn(io, device.id + ": " + working +
               " on this GPU, which takes from its bandwidth, units and power; end what nvidia-smi "
               "lists, or measure another GPU");
}

/// The devices of this machine: the driver is loaded when a GPU is first asked for.
class Machine {
 public:
  Machine(const SessionOptions& options, Io& io)
      : options_(options), io_(io), limits_(cpu_options(options)), gpu_(cuda_options(options)) {}

  ChosenDevices choose() {
    const std::vector<std::string> words = device_words(options_.device);
    if (words.empty()) {
      choose_usual();
    } else {
      for (const std::string& word : words) choose_by(word);
    }
    refuse_unfit();
    tell_conditions();
    return std::move(out_);
  }

 private:
  const cuda::Inventory& inventory() {
    if (!inventory_) inventory_ = cuda::take_inventory(gpu_);
    return *inventory_;
  }

  [[nodiscard]] bool chosen(const std::string& id) const {
    return std::any_of(out_.targets.begin(), out_.targets.end(),
                       [&](const Target& target) { return target.device.id == id; });
  }

  void add_cpu() {
    if (chosen("cpu")) return;
    std::shared_ptr<backend::Backend> backend = cpu::make_cpu_backend(limits_);
    backend::Device device = backend->devices().at(0);
    out_.targets.push_back({std::move(backend), std::move(device)});
  }

  void add_gpu(const backend::Device& device) {
    if (chosen(device.id)) return;
    if (!gpus_) gpus_ = cuda::make_cuda_backend(gpu_);
    out_.targets.push_back({gpus_, device});
  }

  /// Why no GPU is measured: there is none, or none that can be.
  std::string no_gpu() {
    if (inventory().devices.empty()) return inventory().none_because;
    for (const cuda::ListedDevice& listed : inventory().devices) {
      if (listed.unusable.empty()) return listed.device.id + " is here, but --device leaves it out";
    }
    const cuda::ListedDevice& first = inventory().devices.front();
    return first.device.id + " can't be measured: " + first.unusable;
  }

  /// The first usable GPU, else the CPU.
  void choose_usual() {
    for (const cuda::ListedDevice& listed : inventory().devices) {
      if (!listed.unusable.empty()) continue;
      add_gpu(listed.device);
      io_.err << "roofline: measuring " << spoken_name(listed.device.id, listed.device.name)
              << ", the first GPU that can be (--device all: every one and the CPU)\n";
      return;
    }
    require_a_gpu();
    add_cpu();
    io_.err << "roofline: measuring the CPU: " << no_gpu() << '\n';
  }

  void choose_by(const std::string& word) {
    if (word == "cpu") return add_cpu();
    if (word == "all") return choose_all();
    const cuda::ListedDevice* found = nullptr;
    try {
      found = cuda::find_device(inventory(), word);
    } catch (const InputError& error) {
      throw InputError(std::string("--device: ") + error.what());
    }
    if (found == nullptr) {
      throw NotAvailable("--device: '" + word + "' is not here; " + here());
    }
    if (!found->unusable.empty()) {
      throw NotAvailable("--device: " + spoken_name(found->device.id, found->device.name) +
                         " can't be measured: " + found->unusable);
    }
    add_gpu(found->device);
  }

  /// What could have been named.
  std::string here() {
    if (inventory().devices.empty())
      return "this machine has the device cpu only: " + inventory().none_because;
    std::string out;
    for (const cuda::ListedDevice& listed : inventory().devices)
      out += spoken_name(listed.device.id, listed.device.name) + ", ";
    return "this machine has " + out + "and cpu";
  }

  void choose_all() {
    for (const cuda::ListedDevice& listed : inventory().devices) {
      if (listed.unusable.empty()) {
        add_gpu(listed.device);
      } else {
        warn(io_, spoken_name(listed.device.id, listed.device.name) +
                      " is left out: " + listed.unusable);
      }
    }
    if (inventory().devices.empty())
      io_.err << "roofline: measuring the CPU alone: " << inventory().none_because << '\n';
    add_cpu();
  }

  [[nodiscard]] bool any(backend::DeviceKind kind) const {
    return std::any_of(out_.targets.begin(), out_.targets.end(), [&](const Target& target) {
      return backend::kind_of(target.device.id) == kind;
    });
  }

  void require_a_gpu() {
    if (options_.require != "gpu" || any(backend::DeviceKind::gpu)) return;
    throw NotAvailable("--require gpu: " + no_gpu());
  }

  /// Options of a kind of device mean nothing where none is measured.
  void refuse_unfit() {
    require_a_gpu();
    if (!any(backend::DeviceKind::cpu) && !(options_.threads.empty() && options_.isa.empty())) {
      throw InputError(
          std::string(options_.threads.empty() ? "--isa" : "--threads") +
          " is of the CPU, which is not measured; leave it out, or add cpu to --device");
    }
    if (!any(backend::DeviceKind::gpu) &&
        !(options_.algo.empty() && options_.libcublaslt.empty())) {
      throw InputError(std::string(options_.algo.empty() ? "--libcublaslt" : "--algo") +
                       " is of GPUs, of which none is measured; leave it out, or name one with "
                       "--device");
    }
  }

  void tell_conditions() {
    const bool gpu = any(backend::DeviceKind::gpu);
    if (gpu) {
      out_.environment = host::facts(host::read_host());
      const Facts& libraries = inventory().libraries;
      out_.environment.insert(out_.environment.end(), libraries.begin(), libraries.end());
    }
    if (!options_.dry_run) {
      for (const Target& target : out_.targets) tell_processes(target.device, io_);
    }
    if (!any(backend::DeviceKind::cpu)) return;
    for (const Target& target : out_.targets) {
      if (target.device.id == "cpu") tell_thread_limit(limits_, target.device, io_);
    }
    if (options_.dry_run) return;
    if (const auto spoilt = spoilt_now()) warn(io_, *spoilt);
  }

  const SessionOptions& options_;
  Io& io_;
  cpu::CpuOptions limits_;
  cuda::CudaOptions gpu_;
  std::optional<cuda::Inventory> inventory_;
  std::shared_ptr<backend::Backend> gpus_;
  ChosenDevices out_;
};

/// The devices of a script that were asked for; the first where none was.
std::vector<backend::Device> scripted_devices(const std::vector<backend::Device>& all,
                                              const std::string& asked) {
  const std::vector<std::string> words = device_words(asked);
  if (words.empty()) return {all.front()};
  std::vector<backend::Device> out;
  std::string known;
  for (const backend::Device& device : all) known += (known.empty() ? "" : ", ") + device.id;
  for (const std::string& word : words) {
    if (word == "all") return all;
    const auto found = std::find_if(all.begin(), all.end(), [&](const backend::Device& device) {
      return lower(device.id) == word;
    });
    if (found == all.end()) {
      throw NotAvailable("--device: '" + word + "' is not in the script; its " +
                         (all.size() == 1 ? "one device is " : "devices are ") + known);
    }
    out.push_back(*found);
  }
  return out;
}

/// A machine that is described, not here: what belongs to this one has no meaning for it.
ChosenDevices choose_scripted(const SessionOptions& options, const std::string& path, Io& io) {
  if (path.empty())
    throw InputError("--backend: scripted: names no file; give one, as in scripted:machine.txt");
  if (!options.threads.empty() || !options.isa.empty() || !options.algo.empty() ||
      !options.libcublaslt.empty()) {
    throw InputError(
        "--threads, --isa, --algo and --libcublaslt are of this machine, not of a scripted one; "
        "leave them out");
  }
  const std::shared_ptr<backend::Backend> backend =
      scripted::make_scripted_backend(scripted::parse_devices(report::read_file(path), path));
  ChosenDevices out;
  for (backend::Device& device : scripted_devices(backend->devices(), options.device)) {
    io.err << "roofline: replaying " << device.name << "; nothing is measured on this machine\n";
    out.targets.push_back({backend, std::move(device)});
  }
  const bool gpu = std::any_of(out.targets.begin(), out.targets.end(), [](const Target& target) {
    return backend::kind_of(target.device.id) == backend::DeviceKind::gpu;
  });
  if (options.require == "gpu" && !gpu)
    throw NotAvailable("--require gpu: none of the devices chosen from the script is one");
  // Nobody shall take replayed figures for measured ones.
  if (out.targets.size() > 1) {
    for (const Fact& fact : out.targets.front().device.facts) {
      if (fact.key == "backend" || fact.key == "script") out.environment.push_back(fact);
    }
  }
  return out;
}

/// A backend that was named measures what it can: devices of the other kind can't be meant as well.
void require_same_kind(const SessionOptions& options) {
  if (options.backend.empty()) return;
  for (const std::string& word : device_words(options.device)) {
    if (word == "all" || (word == "cpu") == (options.backend == "cpu")) continue;
    throw InputError("--device: '" + word + "' is not measured by --backend " + options.backend +
                     "; leave out --backend, which follows from the device");
  }
}

}  // namespace

std::vector<std::string> device_words(const std::string& text) {
  std::vector<std::string> out;
  if (text.empty()) return out;
  for (const std::string& word : split_list(text, "--device")) {
    const std::string plain = lower(word);
    if (std::find(out.begin(), out.end(), plain) != out.end())
      throw InputError("--device: '" + word + "' is there twice; name each device once");
    out.push_back(plain);
  }
  return out;
}

ChosenDevices choose_devices(const SessionOptions& options, Io& io) {
  if (!options.require.empty() && options.require != "gpu")
    throw InputError("--require: '" + options.require + "' is not known; use gpu");
  constexpr std::string_view kScripted = "scripted:";
  if (options.backend.starts_with(kScripted))
    return choose_scripted(options, options.backend.substr(kScripted.size()), io);
  if (!options.backend.empty() && options.backend != "cpu" && options.backend != "cuda")
    throw InputError("--backend: '" + options.backend +
                     "' is not known; use cpu, cuda or scripted:FILE");
  require_same_kind(options);
  SessionOptions asked = options;
  if (options.device.empty() && options.backend == "cpu") asked.device = "cpu";
  if (options.device.empty() && options.backend == "cuda") asked.require = "gpu";
  return Machine(asked, io).choose();
}

}  // namespace roofline::cli
