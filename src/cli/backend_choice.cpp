#include "cli/backend_choice.hpp"

#include "backend/cpu/cpu_backend.hpp"
#include "backend/scripted/scripted_backend.hpp"
#include "cli/doctor.hpp"
#include "cli/operation_options.hpp"
#include "cli/session.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"

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

/// A wish for more threads than there are is granted in part, and that is said.
void tell_thread_limit(const cpu::CpuOptions& asked, const backend::Device& device, Io& io) {
  for (const Fact& fact : device.facts) {
    const auto* used = fact.key == "threads" ? std::get_if<std::uint64_t>(&fact.value) : nullptr;
    if (used == nullptr || asked.threads <= *used) continue;
    io.err << "roofline: warning: --threads: " << asked.threads
           << " are more than this process may use; measuring with " << *used << '\n';
  }
}

ChosenBackend choose_cpu(const SessionOptions& options, Io& io) {
  const cpu::CpuOptions limits = cpu_options(options);
  // The CPU is the default where there is no GPU; anything else asked for by name is not in this
  // build.
  if (options.device.empty()) {
    io.err << "roofline: measuring the CPU (GPU support is not in this build)\n";
  } else if (options.device != "cpu") {
    throw NotAvailable(
        "--device: '" + options.device + "' is not here; this build measures the device cpu only" +
        (options.device.starts_with("cuda") ? " (GPU support is not in this build)" : ""));
  }
  ChosenBackend out{cpu::make_cpu_backend(limits), {}};
  out.device = out.backend->devices().at(0);
  tell_thread_limit(limits, out.device, io);
  if (!options.dry_run) {
    if (const auto spoilt = spoilt_now()) io.err << "roofline: warning: " << *spoilt << '\n';
  }
  return out;
}

/// A machine that is described, not here: what belongs to this one has no meaning for it.
ChosenBackend choose_scripted(const SessionOptions& options, const std::string& path, Io& io) {
  if (path.empty())
    throw InputError("--backend: scripted: names no file; give one, as in scripted:machine.txt");
  if (!options.threads.empty() || !options.isa.empty())
    throw InputError(
        "--threads and --isa are of this machine, not of a scripted one; leave them out");
  if (!options.device.empty() && options.device != "scripted")
    throw NotAvailable("--device: '" + options.device +
                       "' is not in the script; its one device is scripted");
  ChosenBackend out{
      scripted::make_scripted_backend(scripted::parse_script(report::read_file(path), path)), {}};
  out.device = out.backend->devices().at(0);
  io.err << "roofline: replaying " << out.device.name << "; nothing is measured on this machine\n";
  return out;
}

}  // namespace

ChosenBackend choose_backend(const SessionOptions& options, Io& io) {
  constexpr std::string_view kScripted = "scripted:";
  if (options.backend.starts_with(kScripted))
    return choose_scripted(options, options.backend.substr(kScripted.size()), io);
  if (options.backend.empty() || options.backend == "cpu") return choose_cpu(options, io);
  throw InputError("--backend: '" + options.backend + "' is not known; use cpu or scripted:FILE");
}

}  // namespace roofline::cli
