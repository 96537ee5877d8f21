// Calls that do nothing: a round of the team's barrier, which is what an iteration of our own
// kernels costs without work (no thread is woken for it), and the smallest product that a GEMM
// library can be asked for.
#include <array>
#include <atomic>
#include <span>

#include "backend/cpu/workloads.hpp"

namespace roofline::cpu {
namespace {

class BarrierRun : public backend::PreparedRun {
 public:
  explicit BarrierRun(Context& context) : context_(context) {}

  Sample time(std::uint64_t iterations) override {
    Team& team = context_.team();
    return conditions_.sample(iterations, [&](unsigned) {
      for (std::uint64_t i = 0; i < iterations; ++i) team.meet();
    });
  }

  Verification verify() override {
    constexpr std::uint64_t kRounds = 1000;
    Team& team = context_.team();
    std::atomic<std::uint64_t> arrived = 0;
    std::atomic<std::uint64_t> early = 0;
    team.run([&](unsigned) {
      for (std::uint64_t round = 1; round <= kRounds; ++round) {
        ++arrived;
        team.meet();
        if (arrived < round * team.size()) ++early;
        team.meet();
      }
    });
    std::array<std::uint64_t, 2> seen{arrived, early};
    context_.tamper(std::as_writable_bytes(std::span(seen)));
    const std::string detail = "arrivals of " + std::to_string(team.size()) + " workers in " +
                               std::to_string(kRounds) + " rounds, none ahead of the others";
    if (seen[0] != kRounds * team.size() || seen[1] != 0) {
      return {VerificationState::incorrect, detail + ": " + std::to_string(seen[0]) + " arrived, " +
                                                std::to_string(seen[1]) + " too early"};
    }
    return {VerificationState::verified, detail};
  }

  Facts facts() const override {
    Facts out = context_.thread_facts();
    out.push_back({"provider", std::string("roofline")});
    out.push_back({"kernel", std::string("a barrier of running threads")});
    for (Fact& fact : conditions_.facts()) out.push_back(std::move(fact));
    return out;
  }

 private:
  Context& context_;
  Conditions conditions_ = context_.conditions();
};

Gemm smallest_product() {
  Gemm out;
  out.m = out.n = out.k = 1;
  out.input = DType::fp32;
  return out;
}

}  // namespace

Support support_launch(const Launch& launch, Context& context) {
  if (launch.path == LaunchPath::graph || launch.path == LaunchPath::library_graph) {
    return backend::Unsupported{
        "a CPU has no captured graphs of kernels; use the paths kernel and library"};
  }
  if (launch.path == LaunchPath::event) {
    return backend::Unsupported{
        "a CPU is timed by its own clock and has no device events; use the paths kernel and "
        "library"};
  }
  if (launch.path == LaunchPath::library) {
    const auto answer = support_gemm(smallest_product(), context);
    if (const auto* refused = std::get_if<backend::Unsupported>(&answer)) return *refused;
  }
  return Workload{launch};
}

std::unique_ptr<backend::PreparedRun> prepare_launch(const Launch& launch, Context& context) {
  if (launch.path == LaunchPath::library) return prepare_gemm_in_cache(smallest_product(), context);
  return std::make_unique<BarrierRun>(context);
}

}  // namespace roofline::cpu
