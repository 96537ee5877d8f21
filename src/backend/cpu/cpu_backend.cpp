#include "backend/cpu/cpu_backend.hpp"

#include <algorithm>

#include "backend/cpu/timer.hpp"
#include "backend/cpu/workloads.hpp"
#include "roofline/overloaded.hpp"

namespace roofline::cpu {
namespace {

constexpr const char* kNoLink =
    "a transfer needs a device with a link to the host, and the CPU is the host; measure it on a "
    "GPU (--device cuda:0)";

class CpuBackend : public backend::Backend {
 public:
  explicit CpuBackend(CpuOptions options) : context_(std::move(options)) {}

  std::vector<backend::Device> devices() override {
    backend::Device device;
    device.id = "cpu";
    const host::CpuInfo& cpu = context_.host().cpu;
    device.name =
        cpu.model.value_or(cpu.note.empty() ? "unknown CPU" : "unknown (" + cpu.note + ")");
    device.facts = host::facts(context_.host());
    for (Fact& fact : context_.thread_facts()) device.facts.push_back(std::move(fact));
    device.facts.push_back({"dram_array_byte", context_.dram_bytes()});
    return {std::move(device)};
  }

  Support supports(const Workload& workload, const backend::Device& /*device*/) override {
    // A stream or chain of no elements is no workload yet: how many it gets is decided here.
    Workload sized = workload;
    if (auto* const stream = std::get_if<Stream>(&sized);
        stream != nullptr && stream->elements == 0)
      stream->elements = 1;
    if (auto* const chain = std::get_if<Elementwise>(&sized);
        chain != nullptr && chain->elements == 0)
      chain->elements = 1;
    if (std::holds_alternative<Transfer>(workload)) return backend::Unsupported{kNoLink};
    validate(sized);
    return std::visit(
        Overloaded{
            [&](const Stream& w) { return support_stream(w, context_); },
            [&](const PeakProbe& w) { return support_peak(w, context_); },
            [&](const Gemm& w) { return support_gemm(w, context_); },
            [&](const Projection& w) { return support_projection(w, context_); },
            [&](const Elementwise& w) { return support_elementwise(w, context_); },
            [](const Kernel&) -> Support {
              return backend::Unsupported{
                  "a kernel given by its counts has no code to run; place it with explain"};
            },
            [&](const Launch& w) { return support_launch(w, context_); },
            [](const Transfer&) -> Support { return backend::Unsupported{kNoLink}; },
        },
        workload);
  }

  Bytes footprint(const Workload& workload, const backend::Device& /*device*/) override {
    const double operands = total_traffic(account(workload)).as_double();
    const bool once = std::holds_alternative<Stream>(workload);
    // Everything but streams keeps several sets of operands, together beyond the caches.
    const double rotated = std::max(operands, static_cast<double>(context_.dram_bytes()));
    return byte(operands == 0 || once ? operands : operands + rotated);
  }

  Bytes memory_left(const backend::Device& /*device*/) override {
    return byte(static_cast<double>(context_.memory_budget()));
  }

  Seconds now() override { return second(wall_s()); }

  std::unique_ptr<backend::PreparedRun> prepare(const Workload& workload,
                                                const backend::Device& /*device*/) override {
    using Run = std::unique_ptr<backend::PreparedRun>;
    return std::visit(
        Overloaded{
            [&](const Stream& w) { return prepare_stream(w, context_); },
            [&](const PeakProbe& w) { return prepare_peak(w, context_); },
            [&](const Gemm& w) { return prepare_gemm(w, context_); },
            [&](const Projection& w) { return prepare_projection(w, context_); },
            [&](const Elementwise& w) { return prepare_elementwise(w, context_); },
            [](const Kernel&) -> Run {
              throw backend::BackendError("a kernel given by its counts has no code to run");
            },
            [&](const Launch& w) { return prepare_launch(w, context_); },
            [](const Transfer&) -> Run { throw backend::BackendError(kNoLink); },
        },
        workload);
  }

 private:
  Context context_;
};

}  // namespace

std::unique_ptr<backend::Backend> make_cpu_backend(CpuOptions options) {
  return std::make_unique<CpuBackend>(std::move(options));
}

}  // namespace roofline::cpu
