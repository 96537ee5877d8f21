// The threads that run the own kernels: started once, each pinned to one CPU, idle (asleep) between
// runs. The thread that owns the team is never pinned, because libraries that start threads of
// their own hand its mask down to them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace roofline::cpu {

/// What one worker did in a run, by its own clocks.
struct WorkerTime {
  double start_s = 0;
  double end_s = 0;
  double cpu_s = 0;  ///< of its CPU; less than end - start when something else ran there
};

struct TeamTime {
  double seconds = 0;    ///< last end - first start
  double cpu_share = 0;  ///< smallest CPU time / wall time over the workers
};

/// What every worker does right before and right after a timed job, in the same waking. Not timed.
struct Around {
  std::function<void(unsigned)> before;
  std::function<void(unsigned)> after;
};

class Team {
 public:
  /// One worker for each CPU number.
  explicit Team(std::vector<unsigned> cpus);
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;
  ~Team();

  [[nodiscard]] unsigned size() const { return static_cast<unsigned>(cpus_.size()); }
  [[nodiscard]] const std::vector<unsigned>& cpus() const { return cpus_; }
  /// True when every worker's mask, read back, holds its one CPU.
  [[nodiscard]] bool pinned() const { return pinned_; }

  /// job(worker) on every worker at once; returns when all are done. The job must not throw: others
  /// may wait for it.
  TeamTime run(const std::function<void(unsigned)>& job, const Around& around = {});
  /// Of the last run.
  [[nodiscard]] const std::vector<WorkerTime>& times() const { return times_; }

  /// Called by every worker inside a job: all wait for the last. Spins, so that it costs well under
  /// a microsecond.
  void meet();

 private:
  void work(unsigned worker, unsigned cpu);

  std::vector<unsigned> cpus_;
  bool pinned_ = true;
  std::vector<WorkerTime> times_;

  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable done_;
  const std::function<void(unsigned)>* job_ = nullptr;
  const Around* around_ = nullptr;
  std::uint64_t round_ = 0;
  unsigned running_ = 0;
  bool stop_ = false;

  alignas(64) std::atomic<unsigned> arrived_ = 0;
  alignas(64) std::atomic<std::uint64_t> meetings_ = 0;
  std::vector<std::jthread> threads_;
};

/// The part of `bytes` that a worker owns: first touch, timing and checking all use the same parts.
/// Boundaries are whole pages, so no cache line is shared.
struct Part {
  std::size_t begin = 0;
  std::size_t end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};
[[nodiscard]] Part part_of(std::size_t bytes, unsigned worker, unsigned workers);

/// As part_of, in whole pieces of any kind.
[[nodiscard]] Part pieces_of(std::size_t pieces, unsigned worker, unsigned workers);

}  // namespace roofline::cpu
