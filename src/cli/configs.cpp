#include "cli/configs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "cli/suggest.hpp"
#include "embedded/embedded.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

void require_folder(const std::string& config_dir) {
  std::error_code error;
  if (!fs::is_directory(config_dir, error)) {
    throw FileError("--config-dir: '" + config_dir +
                    "' is not a folder; give one that holds accelerators/, models/ or suites/");
  }
}

std::string stem(std::string_view path) { return fs::path(path).stem().string(); }

}  // namespace

void add_config_option(CLI::App& app, std::string& config_dir) {
  app.add_option("--config-dir", config_dir,
                 "folder whose accelerators/, models/ and suites/ override the built-in ones");
}

std::vector<std::string> config_files(const std::string& config_dir, const std::string& folder) {
  if (config_dir.empty()) return {};
  require_folder(config_dir);
  std::vector<std::string> out;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(fs::path(config_dir) / folder, error)) {
    if (entry.path().extension() == ".json") out.push_back(entry.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

machine::Catalogue load_catalogue(const std::string& config_dir) {
  std::vector<machine::CatalogueText> built_in;
  for (const embedded::File& file : embedded::files_below("accelerators/")) {
    if (file.path.ends_with(".json"))
      built_in.push_back({std::string(file.path), std::string(file.text)});
  }
  std::vector<machine::CatalogueText> own;
  for (const std::string& path : config_files(config_dir, "accelerators"))
    own.push_back({path, report::read_file(path)});
  return machine::Catalogue(std::move(built_in), std::move(own));
}

measure::Suite load_suite(const std::string& name_or_path, const std::string& config_dir) {
  if (!config_dir.empty()) {
    require_folder(config_dir);
    const fs::path own = fs::path(config_dir) / "suites" / (name_or_path + ".json");
    std::error_code error;
    if (fs::exists(own, error))
      return measure::parse_suite(report::read_file(own.string()), own.string());
  }
  const std::string path = "suites/" + name_or_path + ".json";
  if (const auto text = embedded::find(path)) return measure::parse_suite(*text, name_or_path);
  const bool looks_like_path =
      name_or_path.find('/') != std::string::npos || name_or_path.ends_with(".json");
  std::error_code error;
  if (looks_like_path || fs::exists(name_or_path, error)) {
    return measure::parse_suite(report::read_file(name_or_path), name_or_path);
  }
  std::vector<std::string> names;
  std::string list;
  for (const embedded::File& file : embedded::files_below("suites/")) {
    if (!file.path.ends_with(".json")) continue;
    names.push_back(stem(file.path));
    list += (list.empty() ? "" : ", ") + names.back();
  }
  const auto near = nearest(name_or_path, names);
  throw InputError("--suite: '" + name_or_path + "' is neither a built-in suite (" + list +
                   ") nor a file" + (near ? "; did you mean " + *near + "?" : ""));
}

}  // namespace roofline::cli
