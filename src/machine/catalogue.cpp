#include "machine/catalogue.hpp"

#include <algorithm>
#include <utility>

#include <roofline/error.hpp>

#include "machine/accelerator_json.hpp"

namespace roofline::machine {

Catalogue::Entries Catalogue::by_id(std::vector<CatalogueText> texts) {
  Entries entries;
  for (CatalogueText& file : texts) {
    const std::string id(id_of_path(file.path));
    const auto [place, inserted] = entries.try_emplace(id);
    if (!inserted) {
      throw InputError("accelerator '" + id + "' is described twice, in " +
                       place->second.file.path + " and in " + file.path + "; keep one of them");
    }
    place->second.file = std::move(file);
  }
  return entries;
}

Catalogue::Catalogue(std::vector<CatalogueText> texts, std::vector<CatalogueText> overrides)
    : entries_(by_id(std::move(overrides))) {
  // The built-in files are known to be good and are parsed when asked for. A file of somebody's own
  // is not, and its fault must not hide behind the device that happens to be asked for.
  for (auto& [id, entry] : entries_) (void)parsed(entry);
  entries_.merge(by_id(std::move(texts)));  // keeps what is there already
}

std::vector<std::string> Catalogue::ids() const {
  std::vector<std::string> out;
  for (const auto& [id, entry] : entries_) out.push_back(id);
  return out;
}

const Accelerator& Catalogue::parsed(Entry& entry) {
  if (!entry.parsed) entry.parsed = parse_accelerator(entry.file.text, entry.file.path);
  return *entry.parsed;
}

const Accelerator* Catalogue::find(std::string_view id) const {
  const auto found = entries_.find(id);
  return found == entries_.end() ? nullptr : &parsed(found->second);
}

std::vector<const Accelerator*> Catalogue::with_exact_name(std::string_view name) const {
  const std::string quoted = '"' + std::string(name) + '"';
  std::vector<const Accelerator*> out;
  for (auto& [id, entry] : entries_) {
    if (entry.file.text.find(quoted) == std::string::npos) continue;
    const Accelerator& accelerator = parsed(entry);
    const auto& names = accelerator.names;
    if (std::find(names.begin(), names.end(), name) != names.end()) out.push_back(&accelerator);
  }
  return out;
}

std::vector<const Accelerator*> Catalogue::all() const {
  std::vector<const Accelerator*> out;
  for (auto& [id, entry] : entries_) out.push_back(&parsed(entry));
  return out;
}

}  // namespace roofline::machine
