// Work on the parts of something long, on several cores, handed on in their order. Knows nothing of
// what the parts are.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace roofline::report {

/// As many as the machine has, up to where one that takes the parts can't keep up.
[[nodiscard]] unsigned useful_threads();

template <class Part>
class InOrder {
 public:
  /// `next` fills in what the next part is of, and is false when there is none; it is called in
  /// order. `work` does the work on a part, on any thread; it may give up where the flag is set.
  /// With a single thread, and where the system gives none, all happens in take().
  InOrder(std::function<bool(Part&)> next,
          std::function<void(Part&, const std::atomic<bool>& abandoned)> work, unsigned threads)
      : next_(std::move(next)), work_(std::move(work)), ahead_(std::size_t{2} * threads) {
    try {
      for (unsigned i = 0; threads > 1 && i < threads; ++i)
        threads_.emplace_back([this] { run(); });
    } catch (const std::system_error&) {
      // As many as there are do.
    }
  }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;
  ~InOrder() {
    {
      const std::lock_guard lock(mutex_);
      abandoned_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  /// Nothing after the last one. Throws what a thread ran into.
  [[nodiscard]] std::optional<Part> take() {
    if (threads_.empty()) {
      std::optional<Part> out(std::in_place);
      if (!next_(*out)) return std::nullopt;
      work_(*out, abandoned_);
      return out;
    }
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] {
      return failure_ || done_.contains(taken_) || (all_begun_ && taken_ == begun_);
    });
    if (failure_) std::rethrow_exception(failure_);
    const auto found = done_.find(taken_);
    if (found == done_.end()) return std::nullopt;
    std::optional<Part> out(std::move(found->second));
    done_.erase(found);
    ++taken_;
    lock.unlock();
    changed_.notify_all();
    return out;
  }

 private:
  void run() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return abandoned_ || all_begun_ || begun_ < taken_ + ahead_; });
      if (abandoned_ || all_begun_) return;
      Part part;
      all_begun_ = !next_(part);
      if (all_begun_) break;
      const std::size_t number = begun_++;
      lock.unlock();
      std::exception_ptr failure;
      try {
        work_(part, abandoned_);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
      done_.emplace(number, std::move(part));
      changed_.notify_all();
    }
    changed_.notify_all();
  }

  std::function<bool(Part&)> next_;
  std::function<void(Part&, const std::atomic<bool>&)> work_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::size_t ahead_;  ///< so many parts may wait to be taken
  std::size_t begun_ = 0;
  std::size_t taken_ = 0;
  bool all_begun_ = false;
  std::map<std::size_t, Part> done_;
  std::exception_ptr failure_;
  std::atomic<bool> abandoned_ = false;
  std::vector<std::thread> threads_;
};

/// Calls `work` with parts of 0 .. count on all cores, and returns when all is done. Throws what
/// one of them ran into.
void on_all_cores(std::size_t count,
                  const std::function<void(std::size_t begin, std::size_t end)>& work);

}  // namespace roofline::report
