// All known accelerators by id, from texts that someone else has read or embedded. A built-in text
// is only parsed when its device is asked for, so that naming an id costs one file; an override is
// parsed at once. Opens nothing.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "machine/accelerator.hpp"

namespace roofline::machine {

/// One file of configs/accelerators or of a user's own folder; the stem of `path` is the id.
struct CatalogueText {
  std::string path;
  std::string text;
};

/// Parses on demand behind const; not to be shared between threads.
class Catalogue {
 public:
  /// A text of `overrides` replaces that of the same id in `texts`, or adds a device. Throws
  /// InputError when one of the two lists holds an id twice.
  explicit Catalogue(std::vector<CatalogueText> texts, std::vector<CatalogueText> overrides = {});

  /// In alphabetical order.
  [[nodiscard]] std::vector<std::string> ids() const;

  /// Nothing for an unknown id. Pointers live as long as the catalogue. All below throw InputError
  /// when a text that they must parse is malformed.
  [[nodiscard]] const Accelerator* find(std::string_view id) const;
  /// Devices one of whose `names` is exactly `name`: parses only texts in which it appears.
  [[nodiscard]] std::vector<const Accelerator*> with_exact_name(std::string_view name) const;
  [[nodiscard]] std::vector<const Accelerator*> all() const;

 private:
  struct Entry {
    CatalogueText file;
    std::optional<Accelerator> parsed;
  };
  using Entries = std::map<std::string, Entry, std::less<>>;

  static Entries by_id(std::vector<CatalogueText> texts);
  static const Accelerator& parsed(Entry& entry);

  mutable Entries entries_;
};

}  // namespace roofline::machine
