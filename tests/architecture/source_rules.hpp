// What docs/architecture.md promises, as a check on source text: which module may include what,
// where each library may appear, and what every file must look like. Works on text alone; it opens
// no file.
#pragma once

#include <string>
#include <vector>

namespace architecture {

struct SourceFile {
  std::string path;  ///< relative to the repository, with '/'
  std::string text;
};

/// Breaches of the dependency rules in one file of src/, include/ or kernels/; one sentence each.
std::vector<std::string> include_faults(const SourceFile& file);

/// Libraries that more than one file includes though each is to be hidden behind one.
std::vector<std::string> single_home_faults(const std::vector<SourceFile>& files);

/// What every C++ file must look like: `#pragma once` in a header, at most 500 lines.
std::vector<std::string> form_faults(const SourceFile& file);

/// Words that put work off; what is left to do belongs in the list of issues.
std::vector<std::string> deferral_faults(const SourceFile& file);

}  // namespace architecture
