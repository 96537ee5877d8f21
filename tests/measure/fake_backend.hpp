// A backend whose times are arithmetic: every call takes what its workload costs under known roofs,
// with slowness, noise, disturbance and faults as a test asks for them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/backend.hpp"

namespace roofline::test {

struct FakeBehaviour {
  double peak_flop_per_s = 1e12;
  double bandwidth_byte_per_s = 1e11;
  double overhead_s = 0;
  /// Factor on the ideal time of the n-th timed call of a run (0-based).
  std::function<double(std::size_t call)> slowness = [](std::size_t) { return 1.0; };
  std::function<bool(std::size_t call)> clean = [](std::size_t) { return true; };
  Disturbance disturbance = Disturbance::contended;  ///< of a call that is not clean
  VerificationState verification = VerificationState::verified;
  std::string unsupported;  ///< reason, when not empty
  std::string prepare_error;
  std::string time_error;
  bool lost = false;             ///< an error above is the end of the device
  std::size_t calls_before = 0;  ///< timed calls that go well before time_error
};

class FakeBackend final : public backend::Backend {
 public:
  FakeBehaviour behaviour;
  std::map<std::string, FakeBehaviour> by_kind;  ///< overrides, by kind_name of the workload
  std::vector<std::string> log;                  ///< `prepare gemm`, `verify gemm`, `time gemm` ...
  std::vector<std::string> order;                ///< shapes, in the order timed
  std::size_t timed_calls = 0;
  Bytes memory = byte(1e12);
  Seconds clock;  ///< all that was timed, and rests
  Seconds rested;
  Seconds load;  ///< timed since the last rest
  /// Factor on every time, by the load so far.
  std::function<double(Seconds load)> heat = [](Seconds) { return 1.0; };
  double drift_per_s = 0;  ///< everything takes longer by this share with every second on the clock

  std::vector<backend::Device> devices() override { return {{"fake", "Fake device", {}}}; }

  std::variant<Workload, backend::Unsupported> supports(const Workload& workload,
                                                        const backend::Device&) override {
    const FakeBehaviour& b = of(workload);
    if (!b.unsupported.empty()) return backend::Unsupported{b.unsupported};
    Workload out = workload;
    if (auto* stream = std::get_if<Stream>(&out); stream != nullptr && stream->elements == 0)
      stream->elements = 1'000'000;
    if (auto* probe = std::get_if<PeakProbe>(&out)) probe->flops = 1'000'000;
    return out;
  }

  std::unique_ptr<backend::PreparedRun> prepare(const Workload& workload,
                                                const backend::Device&) override;
  Bytes footprint(const Workload& workload, const backend::Device&) override {
    return byte(total_traffic(account(workload)).as_double());
  }
  Bytes memory_left(const backend::Device&) override { return memory; }
  Seconds now() override { return clock; }
  void rest(const backend::Device&, Seconds time) override {
    if (log.empty() || log.back() != "rest") log.emplace_back("rest");
    clock = clock + time;
    rested = rested + time;
    load = second(0);
  }

  const FakeBehaviour& of(const Workload& workload) const {
    const auto found = by_kind.find(std::string(kind_name(workload)));
    return found == by_kind.end() ? behaviour : found->second;
  }
};

[[noreturn]] inline void fail(const FakeBehaviour& behaviour, const std::string& why) {
  if (behaviour.lost) throw backend::DeviceLost(why);
  throw backend::BackendError(why);
}

class FakeRun final : public backend::PreparedRun {
 public:
  FakeRun(FakeBackend& backend, const Workload& workload)
      : backend_(backend), workload_(workload), kind_(kind_name(workload_)) {}

  Sample time(std::uint64_t iterations) override {
    const FakeBehaviour& b = backend_.of(workload_);
    if (!b.time_error.empty() && calls_ >= b.calls_before) fail(b, b.time_error);
    const Account cost = account(workload_);
    const double compute = cost.work->as_double() / b.peak_flop_per_s;
    const double memory = total_traffic(cost).as_double() / b.bandwidth_byte_per_s;
    const double call = b.overhead_s + std::max(compute, memory);
    backend_.log.push_back("time " + kind_);
    backend_.order.push_back(shape_label(workload_));
    ++backend_.timed_calls;
    const std::size_t index = calls_++;
    const double drift = 1 + backend_.drift_per_s * in_second(backend_.clock);
    Sample out{.duration = second(call * static_cast<double>(iterations) * drift *
                                  b.slowness(index) * backend_.heat(backend_.load)),
               .iterations = iterations,
               .cpu_share = b.clean(index) ? 1.0 : 0.5};
    if (!b.clean(index)) out.disturbance = b.disturbance;
    backend_.clock = backend_.clock + out.duration;
    backend_.load = backend_.load + out.duration;
    return out;
  }

  Verification verify() override {
    backend_.log.push_back("verify " + kind_);
    return {backend_.of(workload_).verification, "by the fake"};
  }

  Facts facts() const override { return {{"provider", std::string("fake")}}; }

 private:
  FakeBackend& backend_;
  Workload workload_;
  std::string kind_;
  std::size_t calls_ = 0;
};

inline std::unique_ptr<backend::PreparedRun> FakeBackend::prepare(const Workload& workload,
                                                                  const backend::Device&) {
  log.push_back("prepare " + std::string(kind_name(workload)));
  if (!of(workload).prepare_error.empty()) fail(of(workload), of(workload).prepare_error);
  return std::make_unique<FakeRun>(*this, workload);
}

}  // namespace roofline::test
