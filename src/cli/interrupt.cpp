#include "cli/interrupt.hpp"

#include <csignal>

namespace roofline::cli {
namespace {

volatile std::sig_atomic_t received = 0;

extern "C" void note(int signal) {
  received = signal;
  std::signal(signal, SIG_DFL);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  received = 0;
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

bool InterruptGuard::requested() { return received != 0; }

std::optional<ExitStatus> InterruptGuard::status() {
  if (received == SIGINT) return ExitStatus::interrupted;
  if (received == SIGTERM) return ExitStatus::terminated;
  return std::nullopt;
}

}  // namespace roofline::cli
