// Times launches by events of the device: behind a kernel that keeps the device busy until all of
// them are enqueued, so that the host's pace isn't measured, and with the SM clock before and
// after. Knows nothing of what is launched.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "backend/cuda/event.hpp"
#include "backend/cuda/gpu.hpp"
#include "backend/cuda/graph.hpp"

namespace roofline::cuda {

struct TimedWork {
  /// Enqueues one launch into the context's stream; counts on from launch to launch.
  std::function<void(std::uint64_t launch)> enqueue;
  /// Launches after which operands come round again: a graph takes whole rounds of them.
  std::uint64_t sets = 1;
  enum class Replay {
    automatic,  ///< a graph where a launch is short
    never,
    always,
  } replay = Replay::automatic;
  /// False for what can't wait behind a kernel (copies of pageable memory).
  bool hide_gaps = true;
};

class Timer {
 public:
  Timer(Gpu& gpu, TimedWork work);

  /// `launches` of them in one interval; `iterations` of the sample is left to the caller's count.
  [[nodiscard]] Sample time(std::uint64_t launches);
  /// timing, graph_launches, clock_hz ...
  [[nodiscard]] Facts facts() const;

 private:
  enum class Method { launches, graphs };

  void choose_method();
  [[nodiscard]] bool enqueue_all(std::uint64_t launches, Method method);
  [[nodiscard]] bool enqueue_launches(std::uint64_t launches);
  [[nodiscard]] bool enqueue_graphs(std::uint64_t launches);
  [[nodiscard]] Seconds interval(std::uint64_t launches, Method method, bool* hidden);
  void make_graphs(std::uint64_t launches);
  [[nodiscard]] Graph& graph_of(std::uint64_t launches);
  /// While the device works on what lies between both events.
  void watch(std::uint64_t launches);
  void sample_clock(std::uint64_t place);
  [[nodiscard]] std::optional<Frequency> sampled_clock() const;

  Gpu& gpu_;
  TimedWork work_;
  Event begin_;
  Event end_;
  Buffer clocks_;  ///< cycles and nanoseconds, before and after
  std::map<std::uint64_t, std::unique_ptr<Graph>> graphs_;  ///< by launches
  std::optional<Method> method_;
  Telemetry telemetry_;  ///< of the last interval
  Seconds launch_;       ///< how long one took in it
  std::uint64_t next_ = 0;
  double host_s_per_call_;  ///< what the spin allows for each call that is enqueued behind it
  std::uint64_t repeats_ = 0;
  std::uint64_t visible_ = 0;  ///< intervals whose gaps couldn't be hidden
};

}  // namespace roofline::cuda
