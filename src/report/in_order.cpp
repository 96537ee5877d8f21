#include "report/in_order.hpp"

#include <algorithm>

namespace roofline::report {

unsigned useful_threads() {
  constexpr unsigned kMost = 8;
  return std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
}

void on_all_cores(std::size_t count,
                  const std::function<void(std::size_t begin, std::size_t end)>& work) {
  constexpr std::size_t kAtATime = 1024;  // fewer are not worth a thread
  struct Part {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  std::size_t begun = 0;
  const auto next = [&](Part& part) {
    part.begin = begun;
    part.end = begun = std::min(count, begun + kAtATime);
    return part.begin != part.end;
  };
  InOrder<Part> parts(
      next, [&](Part& part, const std::atomic<bool>&) { work(part.begin, part.end); },
      count > kAtATime ? useful_threads() : 1);
  while (parts.take()) continue;
}

}  // namespace roofline::report
