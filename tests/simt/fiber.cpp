#include "simt/fiber.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <new>
#include <utility>

#include "simt/context_switch.hpp"

namespace simt {
namespace {

constexpr std::size_t kGuardBytes = 4096;
constexpr std::size_t kStackBytes =
    std::size_t{256} * 1024;  // address space; only touched pages cost memory

// enter() has no parameters: it is jumped to.
constinit thread_local Fiber* starting = nullptr;

}  // namespace

Fiber::Fiber() {
  void* const memory = mmap(nullptr, kGuardBytes + kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  // An overflow ends the program rather than writing into another stack.
  if (mprotect(memory, kGuardBytes, PROT_NONE) != 0) std::abort();
  stack_ = static_cast<char*>(memory) + kGuardBytes;
}

Fiber::~Fiber() { munmap(stack_ - kGuardBytes, kGuardBytes + kStackBytes); }

void Fiber::start(void (*body)(void*), void* argument) {
  notes_.before_first_use(stack_, kStackBytes);
  body_ = body;
  argument_ = argument;
  context_ = first_context(stack_, kStackBytes, &Fiber::enter);
}

void Fiber::enter() {
  Fiber& self = *starting;
  self.notes_.after_suspending(nullptr);
  self.body_(self.argument_);
  self.leave(true);
  std::abort();  // nobody resumes what has ended
}

void Fiber::resume() {
  starting = this;
  void* const kept = notes_.before_resuming(stack_, kStackBytes);
  switch_context(&resumer_, context_);
  notes_.after_resuming(kept);
}

void Fiber::leave(bool for_good) {
  void* const kept = notes_.before_suspending(for_good);
  switch_context(&context_, resumer_);
  notes_.after_suspending(kept);
}

void FiberPool::begin_block([[maybe_unused]] std::size_t threads) {
#if defined(ROOFLINE_SIMT_TSAN)
  while (idle_.size() < threads) idle_.push_back(std::make_unique<Fiber>());
#endif
}

std::unique_ptr<Fiber> FiberPool::take() {
  if (idle_.empty()) return std::make_unique<Fiber>();
  std::unique_ptr<Fiber> fiber = std::move(idle_.front());
  idle_.pop_front();
  return fiber;
}

void FiberPool::give(std::unique_ptr<Fiber> fiber) {
#if defined(ROOFLINE_SIMT_TSAN)
  idle_.push_back(std::move(fiber));
#else
  idle_.push_front(std::move(fiber));
#endif
}

}  // namespace simt
