// PTX as far as the gates ask: entry points and how often a kind of instruction stands in each.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace gates {

struct Ptx {
  std::filesystem::path path;
  unsigned sm = 0;                            ///< virtual architecture: 75, 80
  std::map<std::string, std::string> bodies;  ///< by entry point
};

/// All *.ptx of a folder, by name.
std::vector<Ptx> read_ptx(const std::filesystem::path& folder);

/// Instructions whose name starts with `start` and contains `part`: `ld.global`, `.v4`.
unsigned count_instructions(std::string_view body, std::string_view start, std::string_view part);

}  // namespace gates
