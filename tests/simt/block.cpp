#include "simt/block.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace simt {

[[gnu::tls_model("initial-exec")]] constinit thread_local const Builtins* current = nullptr;

namespace {

[[gnu::tls_model("initial-exec")]] constinit thread_local Block* block_here = nullptr;
thread_local FiberPool pool;

struct Abandoned {};  // unwinds the threads of a block in which another one has failed

Block& running_block(const char* what) {
  if (block_here == nullptr) throw std::logic_error(std::string(what) + " outside of a launch");
  return *block_here;
}

std::string place(uint3 at, bool three) {
  if (!three) return std::to_string(at.x);
  return "(" + std::to_string(at.x) + "," + std::to_string(at.y) + "," + std::to_string(at.z) + ")";
}

[[noreturn, gnu::cold]] void refuse_misaligned(std::size_t bytes, std::size_t alignment,
                                               Access access) {
  throw Error(Cause::misaligned_address, std::string(access == Access::load ? "load" : "store") +
                                             " of " + std::to_string(bytes) +
                                             " bytes at an address that is no multiple of " +
                                             std::to_string(alignment));
}

bool same(Site a, Site b) { return a.line == b.line && std::strcmp(a.file, b.file) == 0; }

}  // namespace

Block::Block(const Launch& launch, const std::function<void()>& kernel)
    : launch_(launch), kernel_(kernel), shared_(launch.shared) {
  const Extent& e = launch.block;
  threads_.resize(std::size_t{e.x} * e.y * e.z);
  warps_.resize((threads_.size() + 31) / 32);
  for (unsigned i = 0; i < threads_.size(); ++i) {
    CudaThread& thread = threads_[i];
    thread.builtins = {uint3{i % e.x, i / e.x % e.y, i / (e.x * e.y)}, uint3{0, 0, 0},
                       dim3(e.x, e.y, e.z), dim3(launch.grid.x, launch.grid.y, launch.grid.z),
                       i % 32};
    thread.index = i;
    thread.block = this;
    warp_of(thread).present |= 1U << (i % 32);
  }
}

void Block::run(uint3 index, std::uint64_t number) {
  if (block_here != nullptr) throw std::logic_error("a kernel cannot launch another");
  number_ = number;
  begin(index);
  block_here = this;
  while (live_ != 0 && !fault_) {
    for (std::size_t i = 0; i < warps_.size() && !fault_; ++i) {
      while (run_lanes(turn(i, warps_.size()))) {
      }
    }
    if (live_ != 0 && !fault_) open_barrier();
  }
  if (fault_) abandon();
  block_here = nullptr;
  current = nullptr;
  end();
  if (fault_) throw Error(*fault_);
}

void Block::begin(uint3 index) {
  pool.begin_block(threads_.size());
  shared_.begin_block();
  for (Warp& warp : warps_) warp.waiting = warp.gone = 0;
  for (CudaThread& thread : threads_) {
    thread.builtins.block = index;
    thread.state = State::unborn;
  }
  live_ = threads_.size();
  happens_before(&start_tag_);
}

// Every lane that can run runs once. False when none could.
bool Block::run_lanes(std::size_t warp) {
  const std::size_t first = warp * 32;
  const std::size_t count = std::min<std::size_t>(32, threads_.size() - first);
  bool any = false;
  for (std::size_t i = 0; i < count && !fault_; ++i) {
    CudaThread& thread = threads_[first + turn(i, count)];
    if (thread.state != State::unborn && thread.state != State::ready) continue;
    run_thread(thread);
    any = true;
  }
  return any && !fault_;
}

void Block::run_thread(CudaThread& thread) {
  if (thread.state == State::unborn) {
    thread.fiber = pool.take();
    thread.fiber->start(&Block::body, &thread);
  }
  thread.state = State::ready;
  running_ = &thread;
  current = &thread.builtins;
  thread.fiber->resume();
  if (thread.state != State::gone) return;
  pool.give(std::move(thread.fiber));
  --live_;
}

void Block::body(void* argument) {
  CudaThread& thread = *static_cast<CudaThread*>(argument);
  Block& block = *thread.block;
  happens_after(&block.start_tag_);
  try {
    block.kernel_();
    block.leave(thread);
  } catch (const Abandoned&) {
    // Its fault is not this one's.
  } catch (const Error& error) {
    block.record(error.cause(), error.what(), &thread);
  } catch (const std::exception& error) {
    block.record(Cause::kernel, error.what(), &thread);
  } catch (...) {
    block.record(Cause::kernel, "the kernel threw what is no std::exception", &thread);
  }
  thread.state = State::gone;
  happens_before(&block.end_tag_);
}

void Block::record(Cause cause, const std::string& text, const CudaThread* thread) {
  if (fault_) return;
  const Extent& g = launch_.grid;
  const Extent& b = launch_.block;
  std::string at = "block " + place(threads_[0].builtins.block, g.y * g.z != 1);
  if (thread != nullptr) at += " thread " + place(thread->builtins.thread, b.y * b.z != 1);
  fault_.emplace(cause, at + ": " + text);
}

void Block::wait(State state, Site site) {
  CudaThread& self = *running_;
  self.state = state;
  self.site = site;
  self.fiber->suspend();
  if (abandoned_) throw Abandoned{};
}

void Block::meet_block(Site site) {
  void* const tag = &barrier_tags_[barriers_ % 2];
  happens_before(tag);
  wait(State::at_barrier, site);
  happens_after(tag);
}

// Nobody can run. Fine when all of them wait at the same barrier.
void Block::open_barrier() {
  std::vector<unsigned> left;
  const CudaThread* first = nullptr;
  bool together = true;
  for (const CudaThread& thread : threads_) {
    if (thread.state == State::gone) {
      left.push_back(thread.index);
    } else if (thread.state != State::at_barrier) {
      return record(Cause::deadlock, "deadlock: " + who_waits(), nullptr);
    } else if (first == nullptr) {
      first = &thread;
    } else {
      together = together && same(first->site, thread.site);
    }
  }
  if (first != nullptr && !left.empty()) {
    return record(Cause::barrier,
                  "__syncthreads (" + text_of(first->site) + ") is not reached by " +
                      list_threads(left) + " of " + std::to_string(threads_.size()) +
                      ", which left the kernel",
                  nullptr);
  }
  if (!together) {
    return record(Cause::barrier, "threads of a block meet at different barriers: " + who_waits(),
                  nullptr);
  }
  ++stats_.barriers;
  ++barriers_;
  for (CudaThread& thread : threads_) thread.state = State::ready;
}

void Block::abandon() {
  abandoned_ = true;
  for (CudaThread& thread : threads_) {
    if (thread.state != State::unborn && thread.state != State::gone) run_thread(thread);
  }
  abandoned_ = false;
}

void Block::end() {
  happens_after(&end_tag_);
  if (!launch_.sectors) return;
  for (std::size_t first = 0; first < threads_.size(); first += 32) {
    std::vector<const AccessLog*> lanes;
    const std::size_t last = std::min(first + 32, threads_.size());
    for (std::size_t i = first; i < last; ++i) lanes.push_back(&threads_[i].accesses);
    count_sectors(lanes, stats_);
  }
  for (CudaThread& thread : threads_) thread.accesses.clear();
}

void Block::touch(const void* address, std::size_t bytes, std::size_t alignment, Access access,
                  bool counted) {
  if (counted) (access == Access::load ? stats_.loaded_bytes : stats_.stored_bytes) += bytes;
  if ((reinterpret_cast<std::uintptr_t>(address) & (alignment - 1)) != 0) {
    refuse_misaligned(bytes, alignment, access);
  }
  if (launch_.memory != nullptr) launch_.memory->touch(address, bytes, access, counted, number_);
  if (launch_.sectors) running_->accesses.add(access, address, bytes);
}

void meet_block(Site site) { running_block("__syncthreads").meet_block(site); }

std::uint64_t meet_warp(Collective kind, unsigned mask, std::uint64_t value, unsigned source,
                        Site site) {
  return running_block("a collective").meet_warp(kind, mask, value, source, site);
}

void touch(const void* address, std::size_t bytes, std::size_t alignment, Access access,
           bool counted) {
  running_block("a load or store").touch(address, bytes, alignment, access, counted);
}

void* dynamic_shared() { return running_block("shared memory").shared().dynamic(); }

void* shared_array(const void* key, std::size_t bytes) {
  return running_block("shared memory").shared().array(key, bytes);
}

}  // namespace simt
