#include "backend/cuda/timing.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "backend/cuda/launcher.hpp"

namespace roofline::cuda {
namespace {

/// Shorter launches than this are replayed from graphs: the host launches about every 3 us, and
/// may be held up for longer.
constexpr double kShortLaunch_s = 50e-6;
/// So many launches ahead of the device, the host never falls behind again: each launch takes it
/// less time than the device needs for one. The queue of a stream holds about a thousand.
constexpr std::uint64_t kAhead = 256;
constexpr std::uint64_t kGraphsAhead = 32;
/// At first; doubled whenever it proves too short.
constexpr double kHostCall_s = 5e-6;
constexpr double kLeastSpin_s = 20e-6;
constexpr double kLongestSpin_s = 0.5;
constexpr int kAttempts = 8;
/// The device's nanoseconds may step by a thousand: 1 % of this.
constexpr u64 kClockWindow_ns = 100'000;
/// Shorter intervals are over before the management library has answered.
constexpr Seconds kWorthWatching = second(2e-3);

}  // namespace

Timer::Timer(Gpu& gpu, TimedWork work)
    : gpu_(gpu),
      work_(std::move(work)),
      begin_(gpu.context()),
      end_(gpu.context()),
      clocks_(gpu.context(), 4 * sizeof(u64)),
      host_s_per_call_(kHostCall_s) {}

Sample Timer::time(std::uint64_t launches) {
  if (!method_) choose_method();
  if (*method_ == Method::graphs) make_graphs(launches);
  Sample out;
  out.iterations = launches;
  bool hidden = false;
  for (int attempt = 0; attempt < kAttempts && !hidden; ++attempt) {
    out.duration = interval(launches, *method_, &hidden);
    if (hidden || !work_.hide_gaps) break;
    ++repeats_;
    host_s_per_call_ *= 2;
  }
  if (!hidden && work_.hide_gaps) {
    // The host can't keep ahead of the device: something else has its CPU.
    ++visible_;
    out.disturbance = Disturbance::contended;
  }
  out.clock = sampled_clock();
  out.telemetry = telemetry_;
  if (throttled(telemetry_) && !out.disturbance) out.disturbance = Disturbance::throttled;
  return out;
}

Seconds Timer::interval(std::uint64_t launches, Method method, bool* hidden) {
  sample_clock(0);
  if (work_.hide_gaps) {
    const std::uint64_t calls = std::min(launches, kAhead);
    const double spin_s =
        std::min(kLongestSpin_s, kLeastSpin_s + host_s_per_call_ * static_cast<double>(calls));
    launch<Family::spin>(gpu_.context(), kernel_named("spin"), Grid{},
                         static_cast<u64>(spin_s * 1e9));
  }
  begin_.record();
  *hidden = enqueue_all(launches, method);
  end_.record();
  sample_clock(1);
  watch(launches);
  gpu_.context().synchronize();
  const Seconds out = end_.since(begin_);
  launch_ = out / static_cast<double>(launches);
  return out;
}

/// What is read after the end says nothing of the work.
void Timer::watch(std::uint64_t launches) {
  telemetry_ = {};
  const Seconds expected = static_cast<double>(launches) * launch_;
  if (expected < kWorthWatching) return;
  const auto seen = gpu_.monitor().read(expected);
  if (seen && !end_.reached()) telemetry_ = *seen;
}

void Timer::choose_method() {
  using Replay = TimedWork::Replay;
  method_ = Method::launches;
  if (work_.replay == Replay::never) return;
  // The first launch loads code, which can't be done while a graph is captured, and wakes the
  // device up; the second tells.
  bool hidden = false;
  static_cast<void>(interval(1, Method::launches, &hidden));
  const Seconds one = interval(1, Method::launches, &hidden);
  const DriverApi& driver = gpu_.context().driver();
  const bool graphs = driver.capture_begin.present() && driver.graph_instantiate.present() &&
                      driver.graph_launch.present();
  if (work_.replay == Replay::always || (graphs && in_second(one) < kShortLaunch_s))
    method_ = Method::graphs;
}

bool Timer::enqueue_all(std::uint64_t launches, Method method) {
  return method == Method::graphs ? enqueue_graphs(launches) : enqueue_launches(launches);
}

/// False, and nothing more enqueued, once the device has caught up with the host.
bool Timer::enqueue_launches(std::uint64_t launches) {
  for (std::uint64_t i = 0; i < launches; ++i) {
    work_.enqueue(next_++);
    const bool last_look = i + 1 == std::min(launches, kAhead);
    if (work_.hide_gaps && last_look && begin_.reached()) return false;
  }
  return true;
}

bool Timer::enqueue_graphs(std::uint64_t launches) {
  const std::uint64_t whole = graph_iterations(work_.sets);
  const std::uint64_t replays = launches / whole;
  const std::uint64_t rest = launches % whole;
  for (std::uint64_t i = 0; i < replays; ++i) {
    graph_of(whole).launch();
    const bool last_look = i + 1 == std::min(replays, kGraphsAhead);
    if (last_look && begin_.reached()) return false;
  }
  if (rest > 0) graph_of(rest).launch();
  return replays > 0 || !begin_.reached();
}

/// Before anything spins: to capture a graph takes the host longer than to launch it.
void Timer::make_graphs(std::uint64_t launches) {
  const std::uint64_t whole = graph_iterations(work_.sets);
  const std::uint64_t rest = launches % whole;
  // Of those that other lengths of interval have left, none is needed again.
  std::erase_if(graphs_,
                [&](const auto& known) { return known.first != whole && known.first != rest; });
  if (launches >= whole) static_cast<void>(graph_of(whole));
  if (rest > 0) static_cast<void>(graph_of(rest));
}

Graph& Timer::graph_of(std::uint64_t launches) {
  std::unique_ptr<Graph>& graph = graphs_[launches];
  if (!graph) {
    graph = std::make_unique<Graph>(gpu_.context(), [&] {
      for (std::uint64_t i = 0; i < launches; ++i) work_.enqueue(i);
    });
  }
  return *graph;
}

void Timer::sample_clock(std::uint64_t place) {
  launch<Family::clock_sample>(gpu_.context(), kernel_named("clock_sample"), Grid{},
                               clocks_.as<u64>(place * 2 * sizeof(u64)), kClockWindow_ns);
}

std::optional<Frequency> Timer::sampled_clock() const {
  std::array<u64, 4> sampled{};
  clocks_.copy_to(0, std::as_writable_bytes(std::span(sampled)));
  double sum = 0;
  for (std::size_t place = 0; place < 2; ++place) {
    const u64 cycles = sampled[2 * place];
    const u64 nanoseconds = sampled[2 * place + 1];
    if (cycles == 0 || nanoseconds == 0) return std::nullopt;
    sum += static_cast<double>(cycles) / static_cast<double>(nanoseconds) * 1e9;
  }
  return hertz(sum / 2);
}

Facts Timer::facts() const {
  Facts out;
  const bool graphs = method_ == Method::graphs;
  std::string how = "events around ";
  how += graphs ? "replays of a graph" : "launches";
  if (work_.hide_gaps) how += " behind a spinning kernel";
  out.push_back({"timing", how});
  if (graphs) out.push_back({"graph_launches", graph_iterations(work_.sets)});
  if (repeats_ > 0) out.push_back({"timing_repeats", repeats_});
  if (visible_ > 0) out.push_back({"timing_gaps_visible", visible_});
  return out;
}

}  // namespace roofline::cuda
