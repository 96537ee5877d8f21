#include "source_rules.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace architecture {
namespace {

using Faults = std::vector<std::string>;
using Words = std::vector<std::string_view>;

struct Module {
  std::string_view name;
  Words folders;   // of the repository; the longest match counts
  Words includes;  // how its headers are written; the longest match counts
  Words may_use;   // beside itself
};

// docs/architecture.md shows the same as a drawing. Everything may use core but kernels and
// embedded, which are bare.
const std::vector<Module>& modules() {
  static const std::vector<Module> table{
      {"core", {"include/roofline/", "src/core/"}, {"roofline/", "core/"}, {}},
      {"embedded", {"src/embedded/"}, {"embedded/"}, {}},
      {"kernels", {"kernels/"}, {"kernels/"}, {}},
      {"host", {"src/host/"}, {"host/"}, {"core"}},
      {"machine", {"src/machine/"}, {"machine/"}, {"core"}},
      {"model", {"src/model/"}, {"model/"}, {"core"}},
      {"report", {"src/report/"}, {"report/"}, {"core"}},
      {"chart", {"src/chart/"}, {"chart/"}, {"core", "report"}},
      {"profile", {"src/profile/"}, {"profile/"}, {"core"}},
      {"backend", {"src/backend/"}, {"backend/"}, {"core"}},
      {"cpu", {"src/backend/cpu/"}, {"backend/cpu/"}, {"core", "backend", "kernels", "host"}},
      {"cuda", {"src/backend/cuda/"}, {"backend/cuda/"}, {"core", "backend", "kernels"}},
      {"scripted", {"src/backend/scripted/"}, {"backend/scripted/"}, {"core", "backend"}},
      {"measure", {"src/measure/"}, {"measure/"}, {"core", "backend"}},
      {"cli",
       {"src/cli/"},
       {"cli/"},
       {"core", "embedded", "kernels", "host", "machine", "model", "report", "profile", "chart",
        "backend", "cpu", "cuda", "scripted", "measure"}},
  };
  return table;
}

struct Library {
  std::string_view name;
  Words includes;
  Words homes;  // path prefixes that may include it
  bool one_file = false;
};

const std::vector<Library>& libraries() {
  static const std::vector<Library> table{
      {"nlohmann/json",
       {"nlohmann/"},
       {"src/report/", "src/machine/", "src/measure/suite", "src/model/config_",
        "src/model/known_names", "src/cli/"}},
      {"CLI11", {"CLI/"}, {"src/cli/"}},
      {"fmt",
       {"fmt/"},
       {"src/cli/", "src/report/", "src/chart/", "src/machine/", "src/measure/", "src/host/"}},
      {"hwloc", {"hwloc.h", "hwloc/"}, {"src/host/"}, true},
      {"oneDNN", {"oneapi/", "dnnl"}, {"src/backend/cpu/"}, true},
      {"OpenBLAS", {"cblas.h", "openblas"}, {"src/backend/cpu/"}, true},
      {"CUDA", {"cuda", "cublas", "nvml"}, {"src/backend/cuda/", "kernels/cuda/"}},
      {"SIMT emulator", {"simt/"}, {"kernels/cuda/dialect.cuh"}, true},
      {"GoogleTest", {"gtest/", "gmock/"}, {}},
      {"valijson", {"valijson/"}, {}},
  };
  return table;
}

// Core computes. It neither reads nor writes, knows no clock and starts no thread.
constexpr std::string_view kNotInCore[] = {
    "atomic", "chrono",  "condition_variable", "cstdio",  "ctime",      "filesystem", "fstream",
    "future", "iomanip", "iostream",           "istream", "locale",     "mutex",      "ostream",
    "print",  "random",  "semaphore",          "sstream", "stop_token", "streambuf",  "syncstream",
    "thread",
};

// Files and streams: host reads what the system says, input.cpp and sink.cpp what reports are in,
// and the command line does the rest.
constexpr std::string_view kFileHeaders[] = {"cstdio",   "fcntl.h", "filesystem", "fstream",
                                             "iostream", "stdio.h", "sys/stat.h", "unistd.h"};
constexpr std::string_view kFileHomes[] = {"src/host/",         "src/backend/cpu/",
                                           "src/backend/cuda/", "src/report/input.",
                                           "src/report/sink.",  "src/cli/"};

bool may_touch_files(std::string_view path) {
  return std::ranges::any_of(kFileHomes,
                             [&](std::string_view home) { return path.starts_with(home); });
}

// A standard header has neither a folder nor an extension.
bool is_standard(std::string_view header) {
  return header.find_first_of("/.") == std::string_view::npos;
}

std::optional<std::size_t> longest_match(std::string_view text, const Words& prefixes) {
  std::optional<std::size_t> longest;
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix) && (!longest || prefix.size() > *longest)) longest = prefix.size();
  }
  return longest;
}

template <Words Module::*prefixes>
const Module* module_of(std::string_view text) {
  const Module* best = nullptr;
  std::size_t longest = 0;
  for (const Module& module : modules()) {
    const auto match = longest_match(text, module.*prefixes);
    if (match && *match > longest) {
      best = &module;
      longest = *match;
    }
  }
  return best;
}

const Library* library_of(std::string_view header) {
  for (const Library& library : libraries()) {
    if (longest_match(header, library.includes)) return &library;
  }
  return nullptr;
}

struct Include {
  std::string_view header;
  bool quoted = false;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

std::optional<Include> include_of(std::string_view line) {
  line = without_blanks(line);
  if (!line.starts_with('#')) return std::nullopt;
  line = without_blanks(line.substr(1));
  if (!line.starts_with("include")) return std::nullopt;
  line = without_blanks(line.substr(7));
  if (line.empty() || (line[0] != '"' && line[0] != '<')) return std::nullopt;
  const bool quoted = line[0] == '"';
  const std::size_t end = line.find(quoted ? '"' : '>', 1);
  if (end == std::string_view::npos) return std::nullopt;
  return Include{line.substr(1, end - 1), quoted};
}

std::vector<Include> includes_of(std::string_view text) {
  std::vector<Include> includes;
  for (const std::string_view line : lines_of(text)) {
    if (const auto include = include_of(line)) includes.push_back(*include);
  }
  return includes;
}

bool is_kernel_header(std::string_view header) {
  return header.ends_with("intrin.h") || header == "cpuid.h" || header == "arm_neon.h" ||
         header == "arm_sve.h";
}

// What is wrong with this include line; empty when nothing is.
std::string complaint(const SourceFile& file, const Module& module, const Include& include) {
  const std::string header(include.header);
  const std::string subject = file.path + " includes " + header;
  if (const Library* library = library_of(include.header)) {
    if (longest_match(file.path, library->homes)) return {};
    return subject + ": " + std::string(library->name) + " has no place there";
  }
  const Module* used = module_of<&Module::includes>(include.header);
  if (used != nullptr) {
    if (used == &module || std::ranges::count(module.may_use, used->name) > 0) return {};
    return subject + ": " + std::string(module.name) + " may not use " + std::string(used->name);
  }
  if (include.quoted) {
    // A header of the same folder may be named alone.
    if (include.header.find('/') == std::string_view::npos) return {};
    return subject + ": no module has such headers; write the path from src/";
  }
  const bool bare = module.name == "core" || module.name == "embedded" || module.name == "kernels";
  if (std::ranges::count(kFileHeaders, include.header) > 0 && !may_touch_files(file.path)) {
    return subject + ": no files or streams there";
  }
  if (is_standard(include.header)) {
    if (module.name == "core" && std::ranges::count(kNotInCore, include.header) > 0) {
      return subject + ": core computes only; no I/O, clock, thread or locale";
    }
    return {};
  }
  if (bare && !(module.name == "kernels" && is_kernel_header(include.header))) {
    return subject + ": " + std::string(module.name) + " uses the standard library only";
  }
  return {};
}

bool is_word_character(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || !is_word_character(text[at - 1]);
    const bool ends = end == text.size() || !is_word_character(text[end]);
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

Faults include_faults(const SourceFile& file) {
  const Module* module = module_of<&Module::folders>(file.path);
  if (module == nullptr) {
    return {file.path + " lies in no module; give its folder a row here and in architecture.md"};
  }
  Faults faults;
  for (const Include& include : includes_of(file.text)) {
    std::string fault = complaint(file, *module, include);
    if (!fault.empty()) faults.push_back(std::move(fault));
  }
  return faults;
}

Faults single_home_faults(const std::vector<SourceFile>& files) {
  Faults faults;
  for (const Library& library : libraries()) {
    if (!library.one_file) continue;
    std::string homes;
    int count = 0;
    for (const SourceFile& file : files) {
      const auto includes = includes_of(file.text);
      const bool found = std::ranges::any_of(
          includes, [&](const Include& include) { return library_of(include.header) == &library; });
      if (!found) continue;
      ++count;
      homes += (homes.empty() ? "" : ", ") + file.path;
    }
    if (count > 1) faults.push_back(std::string(library.name) + " is included by " + homes);
  }
  return faults;
}

Faults form_faults(const SourceFile& file) {
  constexpr std::size_t longest = 500;
  Faults faults;
  const auto lines = lines_of(file.text);
  if (file.path.ends_with(".hpp") && std::ranges::count(lines, "#pragma once") != 1) {
    faults.push_back(file.path + " has no #pragma once");
  }
  if (lines.size() > longest) {
    faults.push_back(file.path + " has " + std::to_string(lines.size()) + " lines; split it");
  }
  return faults;
}

Faults deferral_faults(const SourceFile& file) {
  // In halves, so that this file does not report itself.
  static const std::string words[] = {std::string("TO") + "DO", std::string("FIX") + "ME"};
  Faults faults;
  for (const std::string& word : words) {
    if (has_word(file.text, word)) faults.push_back(file.path + " says " + word);
  }
  return faults;
}

}  // namespace architecture
