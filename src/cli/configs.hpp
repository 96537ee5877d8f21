// The configuration that the program carries, and the folder of a user's own that overrides it.
#pragma once

#include <string>
#include <vector>

#include "machine/catalogue.hpp"
#include "measure/suite.hpp"

namespace CLI {
class App;
}

namespace roofline::cli {

void add_config_option(CLI::App& app, std::string& config_dir);

/// The .json files of `config_dir`/`folder` in alphabetical order; none without the option or the
/// folder. Throws FileError where `config_dir` is none.
[[nodiscard]] std::vector<std::string> config_files(const std::string& config_dir,
                                                    const std::string& folder);

/// Embedded accelerators, those of `config_dir`/accelerators before them. Throws FileError and
/// InputError.
[[nodiscard]] machine::Catalogue load_catalogue(const std::string& config_dir);

/// A suite by name (`quick`), from `config_dir`/suites first, or by the path of a file. Throws
/// FileError for a file that is not there, InputError for an unknown name or a malformed suite.
[[nodiscard]] measure::Suite load_suite(const std::string& name_or_path,
                                        const std::string& config_dir);

}  // namespace roofline::cli
