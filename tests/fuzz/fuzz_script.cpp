// A script from anywhere: it is refused with an InputError of one line that names it, or is a
// machine whose samples are finite and take time.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "backend/scripted/model.hpp"
#include "backend/scripted/scripted_backend.hpp"
#include "demand.hpp"
#include "roofline/error.hpp"

namespace {

using namespace roofline;

const std::vector<Workload>& workloads() {
  static const std::vector<Workload> all{
      Gemm{.m = 64, .n = 64, .k = 64},     Projection{.rows = 1, .d_in = 64, .d_out = 64},
      Stream{.kind = StreamKind::copy},    Stream{.level = Boundary::l1},
      Elementwise{.ops = 2, .inputs = 2},  PeakProbe{.dtype = DType::bf16},
      Launch{.path = LaunchPath::library}, Transfer{},
  };
  return all;
}

/// The script asks for real time, which a fuzzer has none of.
bool waits(const scripted::Script& script, const Workload& workload) {
  return script.pace > 0 ||
         scripted::behaviour_of(script, scripted::point_names(workload, script)).hangs;
}

void replay(backend::Backend& backend, const backend::Device& device, const Workload& workload) {
  fuzz::demand(device.name.starts_with("scripted: "), "a replayed device says so");
  const auto answer = backend.supports(workload, device);
  if (const auto* refusal = std::get_if<backend::Unsupported>(&answer)) {
    fuzz::demand(!refusal->reason.empty(), "a refusal has a reason");
    return;
  }
  const auto run = backend.prepare(std::get<Workload>(answer), device);
  for (const std::uint64_t iterations : {1U, 1'000U, 1'000'000'000U, 1U}) {
    const double before = in_second(backend.now());
    const double duration = in_second(run->time(iterations).duration);
    fuzz::demand(std::isfinite(duration) && duration > 0, "a sample takes time");
    fuzz::demand(in_second(backend.now()) >= before, "time passes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto scripts = scripted::parse_devices(text, "fuzz.script");
    const auto machine = scripted::make_scripted_backend(scripts);
    const auto devices = machine->devices();
    fuzz::demand(devices.size() == scripts.size() && !devices.empty(), "a script has devices");
    // A few sections are enough; thousands would take time and show nothing new.
    for (std::size_t i = 0; i < std::min<std::size_t>(devices.size(), 4); ++i) {
      for (const Workload& workload : workloads()) {
        if (waits(scripts[i], workload)) continue;
        try {
          replay(*machine, devices[i], workload);
        } catch (const backend::BackendError&) {
          continue;  // as the script says
        }
      }
    }
  } catch (const InputError& error) {
    fuzz::demand_sentence(error.what(), "script fuzz.script line ");
  }
  return 0;
}
