// Which backend and device a session measures.
#pragma once

#include <memory>

#include "backend/backend.hpp"
#include "cli/command.hpp"

namespace roofline::cli {

struct SessionOptions;

struct ChosenBackend {
  std::unique_ptr<backend::Backend> backend;
  backend::Device device;
};

/// By --backend, --device, --threads and --isa. Says on stderr what was taken where nothing was
/// named. Throws InputError, NotAvailable and FileError.
[[nodiscard]] ChosenBackend choose_backend(const SessionOptions& options, Io& io);

}  // namespace roofline::cli
