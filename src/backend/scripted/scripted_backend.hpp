// Devices replayed from a script, behind the backend interface: the same samples on every run, in a
// time of their own that passes as fast as it is worked out.
#pragma once

#include <memory>
#include <vector>

#include "backend/backend.hpp"
#include "backend/scripted/script.hpp"

namespace roofline::scripted {

/// Starts no thread; sleeps only where the script asks for it (pace, hang).
[[nodiscard]] std::unique_ptr<backend::Backend> make_scripted_backend(Script script);
/// Of several devices, which share one clock. At least one.
[[nodiscard]] std::unique_ptr<backend::Backend> make_scripted_backend(std::vector<Script> scripts);

}  // namespace roofline::scripted
