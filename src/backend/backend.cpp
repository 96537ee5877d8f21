#include "backend/backend.hpp"

#include <chrono>
#include <thread>

namespace roofline::backend {

void Backend::rest(const Device& /*device*/, Seconds time) {
  std::this_thread::sleep_for(std::chrono::duration<double>(in_second(time)));
}

}  // namespace roofline::backend
