// What the program's exit status says. Documented in README.md and in every help screen.
#pragma once

namespace roofline::cli {

enum class ExitStatus : int {
  ok = 0,
  failed = 1,         ///< a check, or (under --strict) a point failed
  usage = 2,          ///< wrong usage, malformed or refused input
  not_available = 3,  ///< the device, dtype or feature asked for by name is not there
  file = 4,           ///< a file could not be read or written
  untrusted = 5,      ///< measured, but nothing can be trusted
  interrupted = 130,
  terminated = 143,
};

}  // namespace roofline::cli
