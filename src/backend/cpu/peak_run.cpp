// The compute peak: register-only chains on every thread, held against the clock of the same
// moment.
#include <algorithm>

#include "backend/cpu/peak_operands.hpp"
#include "backend/cpu/timer.hpp"
#include "backend/cpu/verify.hpp"
#include "backend/cpu/workloads.hpp"
#include "kernels/cpu/peak.hpp"

namespace roofline::cpu {
namespace {

/// Cycles of one iteration: some 20 microseconds, so that a sample of 15 ms is many of them.
constexpr std::uint64_t kIterationCycles = 60000;
/// Above this share of what two full-width units can do, the loop did not do the work: a chain was
/// dropped.
constexpr double kImpossible = 1.03;
constexpr double kLow = 0.90;

std::optional<PeakElement> element_of(DType dtype) {
  switch (dtype) {
    case DType::fp64:
      return PeakElement::f64;
    case DType::fp32:
      return PeakElement::f32;
    case DType::bf16:
      return PeakElement::bf16;
    case DType::int8:
      return PeakElement::int8;
    default:
      return std::nullopt;
  }
}

bool available(PeakExtension extension, const host::IsaFeatures& f, Isa isa) {
  switch (extension) {
    case PeakExtension::fma:
      return isa >= Isa::avx2;
    case PeakExtension::avx_vnni:
      return isa >= Isa::avx2 && f.avx_vnni;
    case PeakExtension::avx512f:
      return isa == Isa::avx512;
    case PeakExtension::avx512_bf16:
      return isa == Isa::avx512 && f.avx512_bf16;
    case PeakExtension::avx512_vnni:
      return isa == Isa::avx512 && f.avx512_vnni;
  }
  return false;
}

const PeakKernel* find_kernel(DType dtype, const Context& context) {
  const auto element = element_of(dtype);
  for (const PeakKernel& kernel : peak_kernels()) {
    if (element == kernel.element && available(kernel.needs, context.host().isa, context.isa()))
      return &kernel;
  }
  return nullptr;
}

std::string what_lacks(DType dtype) {
  switch (dtype) {
    case DType::fp64:
    case DType::fp32:
      return "FMA units that this build has a probe for (x86-64 with AVX2 and FMA)";
    case DType::bf16:
      return "avx512_bf16; bf16 is converted to fp32 before it is multiplied";
    case DType::int8:
      return "VNNI (avx512_vnni or avx_vnni)";
    case DType::fp16:
      return "a probe for fp16 arithmetic (avx512_fp16) in this build";
    case DType::tf32:
      return "tf32, which only GPUs multiply in";
    default:
      return std::string(name(dtype)) + " arithmetic";
  }
}

std::uint64_t loops_per_iteration(const PeakKernel& kernel) {
  // Two passes over the accumulators, two instructions in each cycle.
  return std::max<std::uint64_t>(1, kIterationCycles / kernel.accumulators);
}

class PeakRun : public backend::PreparedRun {
 public:
  PeakRun(Context& context, const PeakKernel& kernel)
      : context_(context), kernel_(kernel), states_(context.threads() * sizeof(PeakState)) {
    fill(PeakOperands::cancelling);
  }

  Sample time(std::uint64_t iterations) override {
    Sample out = run_timed(iterations);
    shares_.push_back(share_of_ideal(iterations * loops_per_iteration(kernel_)));
    return out;
  }

  Verification verify() override {
    Comparison counted = check_sums(PeakOperands::counting);
    counted.merge(check_sums(PeakOperands::cancelling));
    Verification out =
        verdict(counted, "exact sums in every lane of every accumulator, counting and cancelling");
    if (out.state != VerificationState::verified) return out;
    // The rate is held against the clock as well: a dropped chain would leave the rest right.
    double share = timed_share();
    // A clock that was disturbed reads low once; a chain that is not there stays away.
    for (int again = 0; share > kImpossible && again < 3; ++again) share = timed_share();
    if (share > kImpossible) {
      out.state = VerificationState::incorrect;
      out.detail += "; but the rate is " + std::to_string(share) +
                    " of what two units can do at the clock of the moment: work was left out, or "
                    "the clock is wrong";
    }
    return out;
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string("roofline")});
    out.push_back({"kernel", std::string(kernel_.instruction)});
    out.push_back({"accumulators", std::uint64_t{kernel_.accumulators}});
    out.push_back({"ideal_flop_per_cycle", kernel_.ideal_flops_per_cycle});
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    if (!shares_.empty()) {
      const double share = median_of(shares_);
      out.push_back({"of_ideal", share});
      out.push_back({"flop_per_cycle", share * kernel_.ideal_flops_per_cycle});
      // A core with one unit of this width is rightly below; so is one that was disturbed.
      if (share < kLow) out.push_back({"below_ideal_of_two_units", true});
      if (lower_quartile_of(shares_) > kImpossible) out.push_back({"above_ideal", true});
    }
    return out;
  }

 private:
  PeakState& state(unsigned worker) const { return states_.as<PeakState>()[worker]; }

  /// A dropped chain makes every share too high; a clock that was disturbed while it was read makes
  /// one so.
  static double lower_quartile_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 4];
  }

  static double median_of(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
  }

  void fill(PeakOperands operands) {
    context_.team().run(
        [&](unsigned worker) { fill_peak_state(state(worker), kernel_, operands); });
  }

  Comparison check_sums(PeakOperands operands) {
    constexpr std::uint64_t kLoops = 1001;
    fill(operands);
    run(kLoops);
    context_.tamper({reinterpret_cast<std::byte*>(&state(0)), sizeof(PeakState)});
    Comparison out;
    for (unsigned worker = 0; worker < context_.threads(); ++worker) {
      out.merge(
          check_peak_state(state(worker), kernel_, operands, kLoops, worker * peak_lanes(kernel_)));
    }
    return out;
  }

  double timed_share() {
    constexpr std::uint64_t kIterations = 10;
    std::vector<double> shares;
    for (int i = 0; i < 5; ++i) {
      static_cast<void>(run_timed(kIterations));
      shares.push_back(share_of_ideal(kIterations * loops_per_iteration(kernel_)));
    }
    return median_of(shares);
  }

  Sample run_timed(std::uint64_t iterations) {
    const std::uint64_t loops = iterations * loops_per_iteration(kernel_);
    return conditions_.sample(iterations,
                              [&](unsigned worker) { kernel_.run(loops, state(worker)); });
  }

  void run(std::uint64_t loops) {
    context_.team().run([&](unsigned worker) { kernel_.run(loops, state(worker)); });
  }

  /// The smallest share over the workers, each by its own CPU time and the faster of its clocks
  /// around the run: what a disturbance does to one of them is not taken for a dropped chain, which
  /// all have.
  double share_of_ideal(std::uint64_t loops) const {
    const std::vector<WorkerTime>& times = context_.team().times();
    const std::vector<double>& before = conditions_.clocks_before();
    const std::vector<double>& after = conditions_.clocks_after();
    double least = 0;
    for (std::size_t worker = 0; worker < before.size(); ++worker) {
      const double clock = std::max(before[worker], after[worker]);
      if (clock <= 0 || times[worker].cpu_s <= 0) continue;
      const double flops = static_cast<double>(loops) * static_cast<double>(kernel_.flops_per_loop);
      const double share =
          flops / times[worker].cpu_s / ideal_flop_per_s(1, kernel_.ideal_flops_per_cycle, clock);
      if (least == 0 || share < least) least = share;
    }
    return least;
  }

  Context& context_;
  const PeakKernel& kernel_;
  Buffer states_;
  std::vector<double> shares_;
  Conditions conditions_ = context_.conditions();
};

}  // namespace

Support support_peak(const PeakProbe& probe, const Context& context) {
  const host::IsaFeatures& f = context.host().isa;
  const bool tiles = context.isa() == Isa::avx512 && ((probe.dtype == DType::bf16 && f.amx_bf16) ||
                                                      (probe.dtype == DType::int8 && f.amx_int8));
  if (tiles) {
    return backend::Unsupported{
        "this CPU multiplies " + std::string(name(probe.dtype)) +
        " in AMX tiles, which this build has no probe for; a probe of AVX-512 would be no roof"};
  }
  const PeakKernel* const kernel = find_kernel(probe.dtype, context);
  if (kernel == nullptr) return backend::Unsupported{"this CPU has no " + what_lacks(probe.dtype)};
  PeakProbe out = probe;
  out.flops = context.threads() * loops_per_iteration(*kernel) * kernel->flops_per_loop;
  return Workload{out};
}

std::unique_ptr<backend::PreparedRun> prepare_peak(const PeakProbe& probe, Context& context) {
  const PeakKernel* const kernel = find_kernel(probe.dtype, context);
  if (kernel == nullptr) throw backend::BackendError("this CPU has no " + what_lacks(probe.dtype));
  return prepare_peak_with(*kernel, context);
}

std::unique_ptr<backend::PreparedRun> prepare_peak_with(const PeakKernel& kernel,
                                                        Context& context) {
  return std::make_unique<PeakRun>(context, kernel);
}

}  // namespace roofline::cpu
