// Which device a person means.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>

#include "backend/cuda/cuda_backend.hpp"
#include "roofline/error.hpp"

namespace roofline::cuda {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

/// Lower case, with `-` and `_` as blanks: `A100-SXM4` and `a100 sxm4` are one name.
std::string words_of(std::string_view text) {
  std::string out = lower(text);
  std::replace(out.begin(), out.end(), '-', ' ');
  std::replace(out.begin(), out.end(), '_', ' ');
  return out;
}

/// `part` stands in `whole` from the beginning of a word to the end of one.
bool has_words(const std::string& whole, const std::string& part) {
  const auto is_edge = [&](std::size_t at) { return at >= whole.size() || whole[at] == ' '; };
  for (std::size_t at = whole.find(part); at != std::string::npos; at = whole.find(part, at + 1)) {
    if ((at == 0 || is_edge(at - 1)) && is_edge(at + part.size())) return true;
  }
  return false;
}

std::string uuid_of(const ListedDevice& listed) {
  for (const Fact& fact : listed.device.facts) {
    const auto* text = fact.key == "uuid" ? std::get_if<std::string>(&fact.value) : nullptr;
    if (text != nullptr) return *text;
  }
  return {};
}

std::optional<std::string> id_of(std::string_view text) {
  if (text.starts_with("cuda:")) text.remove_prefix(5);
  unsigned index = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), index);
  if (text.empty() || end.ec != std::errc{} || end.ptr != text.data() + text.size())
    return std::nullopt;
  return "cuda:" + std::to_string(index);
}

/// The one device that `fits`; nothing when none does.
template <class Fits>
const ListedDevice* the_one(const Inventory& inventory, std::string_view text, Fits&& fits) {
  const ListedDevice* found = nullptr;
  std::string all;
  for (const ListedDevice& listed : inventory.devices) {
    if (!fits(listed)) continue;
    all += (all.empty() ? "" : ", ") + listed.device.id;
    if (found != nullptr) continue;
    found = &listed;
  }
  if (found != nullptr && all != found->device.id) {
    throw InputError("'" + std::string(text) + "' is the name of several devices (" + all +
                     "); use one of these instead");
  }
  return found;
}

}  // namespace

const ListedDevice* find_device(const Inventory& inventory, std::string_view text) {
  if (text.empty()) return nullptr;
  if (const auto id = id_of(text))
    return the_one(inventory, text, [&](const ListedDevice& d) { return d.device.id == *id; });
  const std::string wanted = lower(text);
  if (wanted.starts_with("gpu-") || wanted.starts_with("mig-")) {
    const auto* exact = the_one(inventory, text,
                                [&](const ListedDevice& d) { return lower(uuid_of(d)) == wanted; });
    if (exact != nullptr) return exact;
    return the_one(inventory, text,
                   [&](const ListedDevice& d) { return lower(uuid_of(d)).starts_with(wanted); });
  }
  const std::string words = words_of(text);
  return the_one(inventory, text,
                 [&](const ListedDevice& d) { return has_words(words_of(d.device.name), words); });
}

}  // namespace roofline::cuda
