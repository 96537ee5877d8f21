#include "backend/cpu/team.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>

#include "backend/cpu/pause.hpp"
#include "backend/cpu/timer.hpp"

namespace roofline::cpu {
namespace {

/// True when the calling thread's mask, read back, is that one CPU.
bool pin_to(unsigned cpu) {
  const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
  cpu_set_t* const set = CPU_ALLOC(cpu + 1);
  if (set == nullptr) return false;
  CPU_ZERO_S(bytes, set);
  CPU_SET_S(cpu, bytes, set);
  const bool pinned = sched_setaffinity(0, bytes, set) == 0;
  CPU_FREE(set);
  return pinned && sched_getcpu() == static_cast<int>(cpu);
}

}  // namespace

Team::Team(std::vector<unsigned> cpus) : cpus_(std::move(cpus)), times_(cpus_.size()) {
  threads_.reserve(cpus_.size());
  running_ = size();
  for (unsigned worker = 0; worker < size(); ++worker) {
    threads_.emplace_back([this, worker] { work(worker, cpus_[worker]); });
  }
  std::unique_lock lock(mutex_);
  done_.wait(lock, [this] { return running_ == 0; });
}

Team::~Team() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
}

TeamTime Team::run(const std::function<void(unsigned)>& job, const Around& around) {
  {
    std::unique_lock lock(mutex_);
    job_ = &job;
    around_ = &around;
    running_ = size();
    ++round_;
    wake_.notify_all();
    done_.wait(lock, [this] { return running_ == 0; });
    job_ = nullptr;
    around_ = nullptr;
  }
  double first = times_.front().start_s;
  double last = times_.front().end_s;
  double share = 1;
  for (const WorkerTime& t : times_) {
    first = std::min(first, t.start_s);
    last = std::max(last, t.end_s);
    if (t.end_s > t.start_s) share = std::min(share, t.cpu_s / (t.end_s - t.start_s));
  }
  return {last - first, share};
}

void Team::work(unsigned worker, unsigned cpu) {
  const bool pinned = pin_to(cpu);
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  pinned_ = pinned_ && pinned;
  if (--running_ == 0) done_.notify_one();
  while (true) {
    wake_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    const std::function<void(unsigned)>& job = *job_;
    const Around& around = *around_;
    lock.unlock();
    if (around.before) around.before(worker);
    // Woken one after the other; they start together.
    meet();
    WorkerTime time;
    time.start_s = wall_s();
    const double cpu_start = thread_cpu_s();
    job(worker);
    time.cpu_s = thread_cpu_s() - cpu_start;
    time.end_s = wall_s();
    times_[worker] = time;
    if (around.after) around.after(worker);
    lock.lock();
    if (--running_ == 0) done_.notify_one();
  }
}

void Team::meet() {
  const std::uint64_t meeting = meetings_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == size()) {
    arrived_.store(0, std::memory_order_relaxed);
    meetings_.store(meeting + 1, std::memory_order_release);
    return;
  }
  spin_until([&] { return meetings_.load(std::memory_order_acquire) != meeting; });
}

Part pieces_of(std::size_t pieces, unsigned worker, unsigned workers) {
  const std::size_t each = pieces / workers;
  const std::size_t more = pieces % workers;  // the first `more` workers take one more
  const std::size_t begin = worker * each + std::min<std::size_t>(worker, more);
  return {begin, begin + each + (worker < more ? 1 : 0)};
}

Part part_of(std::size_t bytes, unsigned worker, unsigned workers) {
  constexpr std::size_t kPage = 4096;
  const Part pages = pieces_of(bytes / kPage + (bytes % kPage != 0 ? 1 : 0), worker, workers);
  return {std::min(pages.begin * kPage, bytes), std::min(pages.end * kPage, bytes)};
}

}  // namespace roofline::cpu
