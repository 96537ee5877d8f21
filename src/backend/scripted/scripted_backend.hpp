// A machine replayed from a script, behind the backend interface: the same samples on every run, in
// a time of its own that passes as fast as it is worked out.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "backend/scripted/script.hpp"

namespace roofline::scripted {

/// Starts no thread; sleeps only where the script asks for it (pace, hang).
[[nodiscard]] std::unique_ptr<backend::Backend> make_scripted_backend(Script script);

}  // namespace roofline::scripted
