// Which devices a session measures, and through which backend.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backend/backend.hpp"
#include "cli/command.hpp"

namespace roofline::cli {

struct SessionOptions;

/// One device to measure.
struct Target {
  std::shared_ptr<backend::Backend> backend;
  backend::Device device;
};

struct ChosenDevices {
  std::vector<Target> targets;  ///< at least one, in the order to measure
  /// Of the machine, beside what each device knows. Empty where the one device knows it all.
  Facts environment;
};

/// By --backend, --device, --require, --threads and --isa. Says on stderr what was taken where
/// nothing was named, and why. Throws InputError, NotAvailable and FileError.
[[nodiscard]] ChosenDevices choose_devices(const SessionOptions& options, Io& io);

/// Words are separated by commas; upper and lower case are the same. Throws InputError for an empty
/// word and for one that is there twice.
[[nodiscard]] std::vector<std::string> device_words(const std::string& text);

}  // namespace roofline::cli
