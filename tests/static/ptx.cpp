#include "ptx.hpp"

#include <algorithm>
#include <charconv>

#include "cubin.hpp"

namespace gates {
namespace {

/// `.target sm_80`
unsigned target_of(std::string_view text) {
  constexpr std::string_view kTarget = ".target sm_";
  unsigned sm = 0;
  const std::size_t at = text.find(kTarget);
  if (at == std::string_view::npos) return sm;
  const std::string_view number = text.substr(at + kTarget.size());
  std::from_chars(number.data(), number.data() + number.size(), sm);
  return sm;
}

Ptx parse(const std::filesystem::path& path) {
  constexpr std::string_view kEntry = ".entry ";
  const std::string text = bytes_of(path);
  Ptx out{path, target_of(text), {}};
  for (std::size_t at = text.find(kEntry); at != std::string::npos;) {
    const std::size_t name = at + kEntry.size();
    const std::size_t next = text.find(kEntry, name);
    out.bodies[text.substr(name, text.find_first_of("( \n", name) - name)] =
        text.substr(at, next == std::string::npos ? next : next - at);
    at = next;
  }
  return out;
}

}  // namespace

std::vector<Ptx> read_ptx(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Ptx> out;
  out.reserve(paths.size());
  for (const auto& path : paths) out.push_back(parse(path));
  return out;
}

unsigned count_instructions(std::string_view body, std::string_view start, std::string_view part) {
  unsigned count = 0;
  for (std::size_t at = body.find(start); at != std::string_view::npos;
       at = body.find(start, at + 1)) {
    const std::string_view name = body.substr(at, body.find_first_of(" \t", at) - at);
    // No part of a longer name, such as that of a label.
    const bool begins = at == 0 || body[at - 1] == '\t' || body[at - 1] == ' ';
    if (begins && name.find(part) != std::string_view::npos) ++count;
  }
  return count;
}

}  // namespace gates
