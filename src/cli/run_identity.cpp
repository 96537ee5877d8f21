#include "cli/run_identity.hpp"

#include <unistd.h>

#include <chrono>
#include <ctime>

namespace roofline::cli {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[] = "YYYY-MM-DDThh:mm:ssZ";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

RunInfo new_run(const std::string& suite, const Invocation& invocation) {
  RunInfo out;
  out.started = utc_now();
  out.id = out.started + "-" + std::to_string(getpid());
  out.command_line = invocation.command_line;
  out.suite = suite;
  return out;
}

}  // namespace roofline::cli
