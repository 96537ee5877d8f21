// Launches whose time is known and whose work is put off until somebody looks at what they write.
// A benchmark repeats kernels thousands of times and reads the last result: what is overwritten
// unread is never computed. Knows memory by address only.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernel_library.hpp"

namespace fakegpu {

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;

  [[nodiscard]] bool overlaps(const Range& other) const {
    return begin < other.end && other.begin < end;
  }
  [[nodiscard]] bool contains(const Range& other) const {
    return begin <= other.begin && other.end <= end;
  }
};

/// What a launch does to one allocation.
struct Touch {
  Range allocation;
  bool reads = false;
  bool writes = false;
  Range written = {};  ///< exactly; empty: somewhere in the allocation
};

struct PendingLaunch {
  const Kernel* kernel = nullptr;
  LaunchShape shape = {};
  std::vector<std::vector<std::byte>> arguments = {};  ///< with host pointers
  std::vector<KernelRegion> regions = {};
  std::vector<Touch> touches = {};
};

class LaunchQueue {
 public:
  /// The launch must have been run before with the same arguments: it does not fail.
  void put_off(PendingLaunch launch);
  /// Before the bytes are looked at, or a launch that may read or write them is run.
  void before_use(const Range& bytes);
  /// Before all of these bytes are written, without having been read, or given back.
  void before_overwrite(const Range& bytes);
  /// The same of several at once: what is written to one of them need not be computed for another.
  void before_overwrite(const std::vector<Range>& all);
  /// Whether a launch that was put off writes to the allocation of these bytes.
  [[nodiscard]] bool writes_to(const Range& bytes) const;
  /// An allocation is given back that is only read: its contents live on in `backing` while a
  /// launch that was put off needs them.
  void keep(const Range& bytes, std::shared_ptr<void> backing);

  [[nodiscard]] std::uint64_t executed() const { return executed_; }

 private:
  [[nodiscard]] std::vector<bool> tied_to(const Range& bytes) const;
  void run_tied_to(const Range& bytes);
  void run(PendingLaunch& launch);
  /// Leaves out what is written and never read, if `dead` will not be.
  void leave_out_dead(std::vector<Range> dead);
  [[nodiscard]] bool involves(const Range& bytes) const;

  void let_go();

  std::vector<PendingLaunch> pending_;
  std::vector<std::pair<Range, std::shared_ptr<void>>> kept_;
  std::size_t tidy_at_ = 64;
  std::uint64_t executed_ = 0;
};

}  // namespace fakegpu
