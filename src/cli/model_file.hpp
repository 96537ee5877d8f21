// Finds the configuration of a model: by the name of a bundled one, or where a person keeps it.
#pragma once

#include <string>

namespace roofline::cli {

struct ModelFile {
  std::string name;  ///< for titles: `llama-3.1-8b`, or the path
  std::string file;  ///< for complaints
  std::string text;
};

/// In this order: `config_dir`/models/NAME.json, a bundled NAME, a file or `-` for standard input,
/// a folder with a config.json, another name of a bundled model (`meta-llama/Llama-3.1-8B`). Names
/// are read in any case. Throws FileError for a file that cannot be read, InputError for an unknown
/// name, with the nearest one.
[[nodiscard]] ModelFile find_model(const std::string& name_or_path, const std::string& config_dir);

}  // namespace roofline::cli
