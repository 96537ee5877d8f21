// The errors of the library. They carry one sentence for a person: what is wrong, where, and a way
// out. Which exit status each becomes is the command line's business.
#pragma once

#include <stdexcept>

namespace roofline {

/// Input that a person can mend: a malformed text, an impossible shape, a refused combination.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A device, dtype or feature that was asked for by name and is not there.
class NotAvailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A file that cannot be read or written.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Measurements that may not stand in one report or be held against each other.
class NotComparable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace roofline
