// The documents' own commands, run: every `$ command` of a ```console block must end with status 0
// (or with the N of a trailing `# exit N`), and print the lines that the document shows below it. A
// line `...` stands for any lines, and ` ...` at the end of one for any rest of it. Where a choice
// by time is part of what is shown (an algorithm), figures may differ by kNearby.
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <sstream>

#include "support/run_tool.hpp"

namespace roofline::test {
namespace {

struct Example {
  std::string place;  ///< file:line
  std::string command;
  int status = 0;
  std::vector<std::string> shown;
};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

std::vector<Example> examples_in(const std::string& name, const std::string& text) {
  std::vector<Example> out;
  bool inside = false;
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.starts_with("```")) {
      inside = line == "```console";
      continue;
    }
    if (!inside) continue;
    if (line.starts_with("$ ")) {
      Example example{name + ":" + std::to_string(number), line.substr(2), 0, {}};
      const std::size_t note = example.command.rfind(" # exit ");
      if (note != std::string::npos) {
        example.status = std::stoi(example.command.substr(note + 8));
        example.command.resize(note);
      }
      out.push_back(std::move(example));
    } else if (!out.empty()) {
      out.back().shown.push_back(line);
    }
  }
  return out;
}

enum class Figures { exact, nearby };
constexpr double kNearby = 0.02;

std::optional<double> figure(const std::string& word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// The words alike, and the same number of characters, so that columns stay columns.
bool nearly_same(const std::string& shown, const std::string& said) {
  if (shown.size() != said.size()) return false;
  const auto alike = [](const std::string& one, const std::string& other) {
    if (one == other) return true;
    const auto first = figure(one);
    const auto second = figure(other);
    return first && second && std::abs(*first - *second) <= kNearby * std::abs(*first);
  };
  const std::vector<std::string> left = words_of(shown);
  const std::vector<std::string> right = words_of(said);
  return std::ranges::equal(left, right, alike);
}

bool same_line(const std::string& shown, std::string said, Figures figures) {
  constexpr std::string_view kRest = " ...";
  std::string fixed = shown;
  if (fixed.ends_with(kRest)) {
    fixed.resize(fixed.size() - kRest.size());
    said.resize(std::min(said.size(), fixed.size()));
  }
  return fixed == said || (figures == Figures::nearby && nearly_same(fixed, said));
}

/// Whether `said` is `shown` with its `...` filled in.
bool matches(const std::vector<std::string>& shown, const std::vector<std::string>& said,
             Figures figures = Figures::exact, std::size_t i = 0, std::size_t j = 0) {
  if (i == shown.size()) return j == said.size();
  if (shown[i] == "...") {
    for (std::size_t next = j; next <= said.size(); ++next) {
      if (matches(shown, said, figures, i + 1, next)) return true;
    }
    return false;
  }
  return j < said.size() && same_line(shown[i], said[j], figures) &&
         matches(shown, said, figures, i + 1, j + 1);
}

std::string read(const std::string& path) {
  const std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// Runs the examples of one document in order, in one folder, with the binary first on PATH. The
/// folder has the repository's tests/data/scripts and docs/pictures, as a reader's has.
void check_document(const std::string& name,
                    const std::map<std::string, std::string>& environment = {},
                    Figures figures = Figures::exact) {
  const auto examples = examples_in(name, read(std::string(ROOFLINE_SOURCE_DIR) + "/" + name));
  ASSERT_FALSE(examples.empty()) << name << " shows no command";
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder.path("tests/data"));
  std::filesystem::create_directories(folder.path("docs"));
  for (const char* part : {"tests/data/scripts", "docs/pictures"}) {
    std::filesystem::copy(std::string(ROOFLINE_SOURCE_DIR) + "/" + part, folder.path(part));
  }
  const std::string binary = roofline_path();
  const std::string path = binary.substr(0, binary.rfind('/')) + ":/usr/local/bin:/usr/bin:/bin";
  RunOptions options{.environment = environment, .directory = folder.path("")};
  options.environment["PATH"] = path;
  for (const Example& example : examples) {
    // A document shows what a person sees: both streams, in order.
    const Run run = run_program("/bin/sh", {"-c", "exec 2>&1; " + example.command}, options);
    EXPECT_EQ(run.status, example.status) << example.place << ": " << example.command << "\n"
                                          << run.out;
    EXPECT_TRUE(matches(example.shown, lines_of(run.out), figures))
        << example.place << ": `" << example.command
        << "` does not print what the document shows, but\n"
        << run.out;
  }
}

TEST(DocsCheck, SeesADifference) {
  const std::vector<std::string> said{"a", "b", "c"};
  EXPECT_TRUE(matches({"a", "b", "c"}, said));
  EXPECT_TRUE(matches({"...", "c"}, said));
  EXPECT_TRUE(matches({"a", "..."}, said));
  EXPECT_FALSE(matches({"a", "c"}, said));
  EXPECT_TRUE(matches({"one two ..."}, {"one two three"}));
  EXPECT_FALSE(matches({"one two ..."}, {"one three"}));
  EXPECT_FALSE(matches({"a", "b"}, said));
  EXPECT_FALSE(matches({"...", "b"}, said));
}

TEST(DocsCheck, FiguresMayBeNearbyWhereThatIsSaid) {
  const std::vector<std::string> said{"  64x64  27.1 T  of 64"};
  EXPECT_FALSE(matches({"  64x64  27.2 T  of 64"}, said));
  EXPECT_TRUE(matches({"  64x64  27.2 T  of 64"}, said, Figures::nearby));
  EXPECT_TRUE(matches({"  64x64  27.2 ..."}, said, Figures::nearby));
  EXPECT_FALSE(matches({"  64x64  29.2 T  of 64"}, said, Figures::nearby));
  EXPECT_FALSE(matches({"  64x64  27.2 G  of 64"}, said, Figures::nearby));
  EXPECT_FALSE(matches({"  64x65  27.2 T  of 64"}, said, Figures::nearby));
  EXPECT_FALSE(matches({" 64x64 27.2 T of 64"}, said, Figures::nearby));
}

TEST(DocsCheck, ReadsCommandsAndStatuses) {
  const auto found =
      examples_in("x.md", "```console\n$ one\nout\n$ two # exit 3\n```\n```\n$ three\n```\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].shown, std::vector<std::string>{"out"});
  EXPECT_EQ(found[1].command, "two");
  EXPECT_EQ(found[1].status, 3);
}

TEST(Docs, Readme) { check_document("README.md"); }
TEST(Docs, ThePictureIsWhatItsCommandDraws) {
  const std::string pictures = std::string(ROOFLINE_SOURCE_DIR) + "/docs/pictures/";
  const auto run = roofline({"plot", pictures + "run.json", "--format", "svg"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, read(pictures + "roofline.svg"))
      << "draw it again and look: roofline plot docs/pictures/run.json -o "
         "docs/pictures/roofline.svg";
}
TEST(Docs, Doctor) { check_document("docs/doctor.md"); }
TEST(Docs, Gpu) {
#ifdef FAKEGPU_FOLDER
  if (ROOFLINE_SANITIZED) GTEST_SKIP() << "minutes of computing without sanitizers";
  check_document("docs/gpu.md",
                 {{"FAKEGPU", ROOFLINE_SOURCE_DIR "/tests/data/gpu/a100.scenario"},
                  {"ROOFLINE_LIBCUDA", FAKEGPU_FOLDER "/libcuda.so.1"},
                  {"ROOFLINE_NVML", FAKEGPU_FOLDER "/libnvidia-ml.so.1"},
                  {"ROOFLINE_CUBLASLT", FAKEGPU_FOLDER "/libcublasLt.so.13"}},
                 Figures::nearby);
#else
  GTEST_SKIP() << "this build has no CUDA";
#endif
}
TEST(Docs, Advise) { check_document("docs/advise.md"); }
TEST(Docs, Audit) { check_document("docs/audit.md"); }
TEST(Docs, Ci) { check_document("docs/ci.md"); }
TEST(Docs, Model) { check_document("docs/model.md"); }
TEST(Docs, Tutorial) { check_document("docs/tutorial.md"); }

}  // namespace
}  // namespace roofline::test
