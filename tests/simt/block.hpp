// One block under way: the turns of its threads, where they meet, and what is wrong when they
// don't. Threads run one at a time, each until it waits or ends, warp by warp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "simt/fiber.hpp"
#include "simt/launch.hpp"
#include "simt/sectors.hpp"
#include "simt/shared_memory.hpp"
#include "simt/simt.hpp"
#include "simt/stack_notes.hpp"

namespace simt {

enum class State : std::uint8_t { unborn, ready, at_barrier, in_collective, gone };

struct CudaThread {
  Builtins builtins{};
  unsigned index = 0;  // x fastest
  State state = State::unborn;
  std::unique_ptr<Fiber> fiber;
  Site site{};  // where it waits
  // The collective that it waits in, and what it got.
  Collective kind{};
  unsigned mask = 0;
  std::uint64_t value = 0;
  unsigned source = 0;
  std::uint64_t result = 0;
  void* meeting_tag = nullptr;
  AccessLog accesses;
  class Block* block = nullptr;
};

struct Warp {
  static constexpr std::size_t kTags = 4;  // a lane cannot fall this many meetings behind
  unsigned present = 0;                    // lanes that the block has
  unsigned waiting = 0;                    // in a collective
  unsigned gone = 0;
  std::size_t meetings = 0;
  std::array<std::uint64_t, 32> lane_tags{};
  std::array<std::uint64_t, kTags> meeting_tags{};
};

class Block {
 public:
  /// Both are kept by reference.
  Block(const Launch& launch, const std::function<void()>& kernel);

  /// Runs block `number` of the launch, at `index` of the grid. Throws Error.
  void run(uint3 index, std::uint64_t number);
  [[nodiscard]] const Stats& stats() const { return stats_; }

  // For the thread that runs.
  void meet_block(Site site);
  std::uint64_t meet_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned source,
                          Site site);
  void touch(const void* address, std::size_t bytes, std::size_t alignment, Access access,
             bool counted);
  SharedMemory& shared() { return shared_; }

 private:
  void begin(uint3 index);
  bool run_lanes(std::size_t warp);
  void run_thread(CudaThread& thread);
  void wait(State state, Site site);
  void open_barrier();
  void end();
  void abandon();
  static void body(void* argument);
  void leave(CudaThread& thread);
  void record(Cause cause, const std::string& text, const CudaThread* thread);
  Warp& warp_of(const CudaThread& thread) { return warps_[thread.index / 32]; }
  CudaThread& lane_of(const CudaThread& thread, unsigned lane) {
    return threads_[thread.index / 32 * 32 + lane];
  }
  void check_call(const CudaThread& self, const Warp& warp) const;
  void meet(const CudaThread& last, Warp& warp, unsigned lanes);
  [[nodiscard]] std::string who_waits() const;
  [[nodiscard]] std::size_t turn(std::size_t i, std::size_t count) const {
    return launch_.order == Order::forward ? i : count - 1 - i;
  }

  const Launch& launch_;
  const std::function<void()>& kernel_;
  std::vector<CudaThread> threads_;
  std::vector<Warp> warps_;
  SharedMemory shared_;
  std::uint64_t number_ = 0;
  CudaThread* running_ = nullptr;
  std::size_t live_ = 0;
  std::optional<Error> fault_;
  bool abandoned_ = false;
  std::size_t barriers_ = 0;
  Stats stats_;
  // Two, in turns: who is late at one barrier must not learn what others did on the way to the
  // next.
  std::array<std::uint64_t, 2> barrier_tags_{};
  std::uint64_t start_tag_ = 0;
  std::uint64_t end_tag_ = 0;
};

/// `fast.cuh:12`: the file without its folders.
std::string text_of(Site site);
std::string name_of(Collective kind);
/// `threads 0-15, 32`.
std::string list_threads(const std::vector<unsigned>& sorted);

}  // namespace simt
