// What a call costs that does nothing: a launch, a node of a graph, two events with nothing between
// them, and the least that the GEMM library can be asked for.
#include <algorithm>
#include <array>

#include "backend/cuda/gemm_call.hpp"
#include "backend/cuda/gpu_run.hpp"
#include "backend/cuda/results.hpp"

namespace roofline::cuda {
namespace {

constexpr u64 kSeed = 51;

/// Launches in batches of as many as the device's queue holds: beyond them it would be the host's
/// pace that is timed.
Sample time_in_batches(Timer& timer, std::uint64_t iterations) {
  constexpr std::uint64_t kBatch = 256;
  Sample out;
  out.iterations = iterations;
  double clocks = 0;
  std::uint64_t batches = 0;
  for (std::uint64_t done = 0; done < iterations; done += kBatch) {
    const Sample batch = timer.time(std::min(kBatch, iterations - done));
    out.duration = out.duration + batch.duration;
    if (batch.disturbance) out.disturbance = batch.disturbance;
    if (!batch.clock) continue;
    clocks += in_hertz(*batch.clock);
    ++batches;
  }
  if (batches > 0) out.clock = hertz(clocks / static_cast<double>(batches));
  return out;
}

class LaunchRun : public GpuRun {
 public:
  LaunchRun(const Launch& launch, Gpu& gpu) : GpuRun(gpu), path_(launch.path) {}

 protected:
  void make() override {
    timer_.reset();
    timer_.emplace(gpu(),
                   TimedWork{.enqueue = [this](std::uint64_t) { enqueue_empty(); },
                             .replay = path_ == LaunchPath::graph ? TimedWork::Replay::always
                                                                  : TimedWork::Replay::never});
    probe_ = Buffer(context(), sizeof(float));
  }

  Sample measure(std::uint64_t iterations) override {
    return path_ == LaunchPath::graph ? timer_->time(iterations)
                                      : time_in_batches(*timer_, iterations);
  }

  /// An empty kernel leaves nothing to look at; one that writes a number, launched the same way,
  /// does.
  Verification check() override {
    probe_.set(0xff);
    const auto write = [this] { fill(gpu(), probe_.address(), DType::fp32, 1, kSeed); };
    const bool graph = path_ == LaunchPath::graph;
    if (graph) {
      Graph replayed(context(), write);
      replayed.launch();
      context().synchronize();
    } else {
      write();
    }
    std::array<std::byte, sizeof(float)> got{};
    probe_.copy_to(0, got);
    backend::Comparison all;
    all.add(0, element(got.data(), DType::fp32, 0), reference(DType::fp32, kSeed, 0), 0);
    return backend::verdict(all, graph ? "what a kernel in a replayed graph had to write"
                                       : "what a kernel launched in the same way had to write");
  }

  Facts describe() const override {
    Facts out{{"kernel", std::string("empty")}};
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  void enqueue_empty() { launch<Family::empty>(context(), kernel_named("empty"), Grid{}); }

  LaunchPath path_;
  std::optional<Timer> timer_;
  Buffer probe_;
};

Gemm smallest_product() { return {.m = 1, .n = 1, .k = 1, .input = DType::fp32}; }

bool of_library(LaunchPath path) {
  return path == LaunchPath::library || path == LaunchPath::library_graph;
}

/// The smallest product that the GEMM library can be asked for, as it suggests to do it.
class LibraryRun : public GpuRun {
 public:
  LibraryRun(const Launch& launch, Gpu& gpu)
      : GpuRun(gpu), graph_(launch.path == LaunchPath::library_graph) {}

 protected:
  void make() override {
    timer_.reset();
    call_.reset();
    with_context_asked(context(), [&] {
      call_.emplace(smallest_product(), gpu(), GemmCallSettings{.search = false});
    });
    timer_.emplace(
        gpu(), TimedWork{.enqueue = [this](std::uint64_t at) { call_->enqueue(at); },
                         .replay = graph_ ? TimedWork::Replay::always : TimedWork::Replay::never});
  }

  Sample measure(std::uint64_t iterations) override {
    return with_context_asked(context(), [&] {
      return graph_ ? timer_->time(iterations) : time_in_batches(*timer_, iterations);
    });
  }

  Verification check() override {
    return with_context_asked(context(), [&] { return call_->check(); });
  }

  std::string provider() const override { return "cuBLASLt"; }

  Facts describe() const override {
    Facts out;
    if (call_) out = call_->facts();
    out.push_back({"product", std::string("1x1x1 in fp32")});
    if (timer_) {
      for (Fact& fact : timer_->facts()) out.push_back(std::move(fact));
    }
    return out;
  }

 private:
  bool graph_;
  std::optional<GemmCall> call_;
  std::optional<Timer> timer_;
};

/// Pairs of events, behind a kernel that keeps the device busy until a batch of them is enqueued.
class EventRun : public GpuRun {
 public:
  explicit EventRun(Gpu& gpu) : GpuRun(gpu) {}

 protected:
  void make() override {
    pairs_.clear();
    for (std::size_t i = 0; i < kPairs; ++i) {
      pairs_.push_back({std::make_unique<Event>(context()), std::make_unique<Event>(context())});
    }
  }

  Sample measure(std::uint64_t iterations) override {
    Sample out;
    out.iterations = iterations;
    for (std::uint64_t done = 0; done < iterations; done += kPairs)
      out.duration = out.duration + batch(std::min<std::uint64_t>(kPairs, iterations - done));
    return out;
  }

  /// The distance of two events around a kernel that waits is at least what it waits.
  Verification check() override {
    constexpr u64 kWait_ns = 1'000'000;
    pairs_[0].begin->record();
    launch<Family::spin>(context(), kernel_named("spin"), Grid{}, kWait_ns);
    pairs_[0].end->record();
    context().synchronize();
    const double took_ns = in_second(pairs_[0].end->since(*pairs_[0].begin)) * 1e9;
    const std::string detail = "events around a kernel that waits for 1 ms";
    // The device's own clock may step by a microsecond.
    const bool right = took_ns >= 0.99 * static_cast<double>(kWait_ns) &&
                       took_ns <= 2.0 * static_cast<double>(kWait_ns);
    return {right ? VerificationState::verified : VerificationState::incorrect,
            detail + ": " + std::to_string(static_cast<std::uint64_t>(took_ns)) + " ns"};
  }

  Facts describe() const override {
    return {{"timing", std::string("pairs of events with nothing between them")}};
  }

 private:
  static constexpr std::size_t kPairs = 64;
  struct Pair {
    std::unique_ptr<Event> begin;
    std::unique_ptr<Event> end;
  };

  Seconds batch(std::uint64_t pairs) {
    constexpr double kHostCall_s = 5e-6;
    const double busy_s = 20e-6 + 2 * kHostCall_s * static_cast<double>(pairs);
    launch<Family::spin>(context(), kernel_named("spin"), Grid{}, static_cast<u64>(busy_s * 1e9));
    for (std::size_t i = 0; i < pairs; ++i) {
      pairs_[i].begin->record();
      pairs_[i].end->record();
    }
    context().synchronize();
    Seconds sum;
    for (std::size_t i = 0; i < pairs; ++i) sum = sum + pairs_[i].end->since(*pairs_[i].begin);
    return sum;
  }

  std::vector<Pair> pairs_;
};

}  // namespace

Support support_launch(const Launch& launch, Gpu& gpu) {
  if (of_library(launch.path)) {
    const std::string& problem = gpu.shared().cublaslt.get().problem;
    if (!problem.empty()) return backend::Unsupported{problem};
  }
  const DriverApi& driver = gpu.context().driver();
  if ((launch.path == LaunchPath::graph || launch.path == LaunchPath::library_graph) &&
      !(driver.capture_begin.present() && driver.graph_instantiate.present())) {
    return backend::Unsupported{
        "the driver can't capture graphs (cuStreamBeginCapture_v2, cuGraphInstantiateWithFlags); "
        "update the NVIDIA driver"};
  }
  return Workload{launch};
}

Run prepare_launch(const Launch& launch, Gpu& gpu) {
  std::unique_ptr<GpuRun> run;
  if (launch.path == LaunchPath::event) {
    run = std::make_unique<EventRun>(gpu);
  } else if (of_library(launch.path)) {
    run = std::make_unique<LibraryRun>(launch, gpu);
  } else {
    run = std::make_unique<LaunchRun>(launch, gpu);
  }
  run->prepare();
  return run;
}

}  // namespace roofline::cuda
