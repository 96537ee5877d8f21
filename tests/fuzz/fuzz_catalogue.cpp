// An accelerator file from anywhere: it is refused with an InputError of one line that names it, or
// is a device that can be found by its own id.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "demand.hpp"
#include "machine/accelerator_json.hpp"
#include "machine/catalogue.hpp"
#include "machine/match.hpp"
#include "roofline/error.hpp"

namespace {

// The file's name must be its id; without this no altered file would get past that check.
std::string name_for(std::string_view text) {
  constexpr std::string_view key = R"("id": ")";
  const std::size_t begin = text.find(key);
  if (begin == std::string_view::npos) return "fuzz.json";
  text.remove_prefix(begin + key.size());
  const std::string_view id = text.substr(0, text.find('"'));
  if (id.find('\n') != std::string_view::npos) return "fuzz.json";
  return std::string(id) + ".json";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::string name = name_for(text);
  std::string id;
  try {
    id = roofline::machine::parse_accelerator(text, name).id;
  } catch (const roofline::InputError& error) {
    fuzz::demand_sentence(error.what(), "");
    return 0;
  }
  const roofline::machine::Catalogue catalogue({{name, text}});
  fuzz::demand(catalogue.find(id) != nullptr, "a device is found by its id");
  fuzz::demand(roofline::machine::match(catalogue, {.name = id}).accelerator != nullptr,
               "a device is matched by its id");
  return 0;
}
