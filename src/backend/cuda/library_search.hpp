// Where a library of the driver may lie, in the order in which it is tried, and opening the first
// that loads. Knows nothing of what the libraries do.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "roofline/fact.hpp"

namespace roofline::cuda {

enum class DriverLibrary { libcuda, libnvidia_ml };

struct Candidate {
  std::string path;  ///< a path, or a bare name that the loader searches for itself
  std::string why;   ///< `--libcuda`, `ROOFLINE_LIBCUDA`, `the loader`, `CUDA_HOME` ...
};

/// The value of an environment variable; null where it isn't set.
using Environment = std::function<const char*(const char*)>;

/// A path that was named, by `option` or else by ROOFLINE_LIBCUDA or ROOFLINE_NVML, is the only
/// candidate: what was asked for by name isn't replaced by something else.
[[nodiscard]] std::vector<Candidate> candidates(DriverLibrary library, const std::string& option,
                                                const Environment& environment);

/// An opened library; nothing when `handle` is null. Never closed by its destructor: a driver that
/// was initialised can't be taken out of a process again.
struct OpenedLibrary {
  void* handle = nullptr;
  std::string path;     ///< of the file that was really loaded
  std::string problem;  ///< what was tried and why nothing came of it; empty when something did
};

/// Whether an opened library is what is wanted: empty, or why not (a stub of the toolkit).
using Acceptance = std::function<std::string(void* handle)>;

/// The first candidate that opens and is accepted; one that isn't is closed again.
[[nodiscard]] OpenedLibrary open_first(const std::vector<Candidate>& list,
                                       const Acceptance& accept);

}  // namespace roofline::cuda
