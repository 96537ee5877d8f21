#include "cli/model_file.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "cli/configs.hpp"
#include "cli/suggest.hpp"
#include "embedded/embedded.hpp"
#include "model/known_names.hpp"
#include "report/sink.hpp"
#include "roofline/error.hpp"
#include "roofline/printable.hpp"

namespace roofline::cli {
namespace {

namespace fs = std::filesystem;

/// Of a folder of a person's own before the bundled ones, by name.
std::vector<ModelFile> known_models(const std::string& config_dir) {
  std::vector<ModelFile> out;
  for (const std::string& path : config_files(config_dir, "models"))
    out.push_back({fs::path(path).stem().string(), path, report::read_file(path)});
  const std::size_t own = out.size();
  for (const embedded::File& file : embedded::files_below("models/")) {
    const std::string name = fs::path(file.path).stem().string();
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(own);
    const bool replaced = std::any_of(
        out.begin(), end, [&](const ModelFile& model) { return lower(model.name) == name; });
    if (!replaced) out.push_back({name, name, std::string(file.text)});
  }
  return out;
}

std::optional<ModelFile> file_at(const std::string& path) {
  std::error_code error;
  if (path == "-") return ModelFile{"standard input", "standard input", report::read_file(path)};
  if (fs::is_directory(path, error)) {
    const std::string inside = (fs::path(path) / "config.json").string();
    return ModelFile{path, inside, report::read_file(inside)};
  }
  if (fs::exists(path, error)) return ModelFile{path, path, report::read_file(path)};
  return std::nullopt;
}

[[noreturn]] void refuse_name(const std::string& word, const std::vector<ModelFile>& models) {
  std::vector<std::string> names;
  std::string list;
  for (const ModelFile& model : models) {
    names.push_back(model.name);
    list += (list.empty() ? "" : ", ") + model.name;
  }
  const std::string last = word.substr(word.rfind('/') + 1);  // of `meta-llama/Llama-3.1-8B`
  const auto near = nearest(lower(last), names);
  constexpr std::size_t kLongest = 100;
  throw InputError("'" + printable(word.substr(0, kLongest), '?') +
                   "' is neither a file nor a bundled model (" + list + ")" +
                   (near ? "; did you mean " + *near + "?" : "; give a config.json"));
}

}  // namespace

ModelFile find_model(const std::string& name_or_path, const std::string& config_dir) {
  const std::vector<ModelFile> models = known_models(config_dir);
  const std::string wanted = lower(name_or_path);
  for (const ModelFile& model : models) {
    if (lower(model.name) == wanted) return model;
  }
  if (auto file = file_at(name_or_path)) return *file;
  for (const ModelFile& model : models) {
    for (const std::string& name : model::known_names(model.text, model.file)) {
      if (lower(name) == wanted) return model;
    }
  }
  const bool path = wanted.ends_with(".json") || wanted.starts_with('/') || wanted.starts_with('.');
  if (path) static_cast<void>(report::read_file(name_or_path));  // says what is wrong with it
  refuse_name(name_or_path, models);
}

}  // namespace roofline::cli
