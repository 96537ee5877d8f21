// The repository obeys its own rules (Architecture), and each rule can see a breach (SourceRules).
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "source_rules.hpp"

namespace {

namespace fs = std::filesystem;
using architecture::deferral_faults;
using architecture::form_faults;
using architecture::include_faults;
using architecture::single_home_faults;
using architecture::SourceFile;
using Faults = std::vector<std::string>;

const fs::path source_dir = ROOFLINE_SOURCE_DIR;

std::vector<SourceFile> files_below(const std::vector<std::string>& folders,
                                    const std::vector<std::string>& extensions) {
  std::vector<SourceFile> files;
  for (const std::string& folder : folders) {
    if (!fs::exists(source_dir / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(source_dir / folder)) {
      const std::string extension = entry.path().extension().string();
      if (!entry.is_regular_file() || std::ranges::count(extensions, extension) == 0) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      if (!in) throw std::runtime_error("cannot read " + entry.path().string());
      files.push_back({entry.path().lexically_relative(source_dir).generic_string(),
                       {std::istreambuf_iterator<char>(in), {}}});
    }
  }
  return files;
}

const std::vector<std::string> cpp{".cpp", ".hpp", ".h", ".inc", ".cu", ".cuh", ".def"};

void expect_none(const Faults& faults) {
  for (const std::string& fault : faults) ADD_FAILURE() << fault;
}

TEST(Architecture, ModulesUseOnlyWhatTheyMay) {
  const auto files = files_below({"src", "include", "kernels"}, cpp);
  EXPECT_GE(files.size(), 20U);  // else the search itself is broken
  for (const SourceFile& file : files) expect_none(include_faults(file));
}

TEST(Architecture, HardwareLibrariesAreHiddenBehindOneFileEach) {
  expect_none(single_home_faults(files_below({"src", "include", "kernels"}, cpp)));
}

TEST(Architecture, EveryFileHasItsForm) {
  for (const SourceFile& file : files_below({"src", "include", "kernels", "tests", "bench"}, cpp)) {
    expect_none(form_faults(file));
  }
}

TEST(Architecture, ThePageShowsEveryFolder) {
  const auto pages = files_below({"docs"}, {".md"});
  const auto page = std::ranges::find(pages, "docs/architecture.md", &SourceFile::path);
  ASSERT_NE(page, pages.end());
  for (const auto& entry : fs::directory_iterator(source_dir / "src")) {
    const std::string folder = "`src/" + entry.path().filename().string() + "`";
    EXPECT_NE(page->text.find(folder), std::string::npos)
        << "docs/architecture.md lacks " << folder;
  }
}

TEST(Architecture, NothingIsPutOff) {
  const std::vector<std::string> text{".cpp", ".hpp", ".h",    ".inc", ".txt", ".cmake",
                                      ".sh",  ".md",  ".json", ".in",  ""};
  const std::vector<std::string> folders{"src",   "include", "kernels", "tests", "bench",
                                         "cmake", "scripts", "configs", "docs"};
  for (const SourceFile& file : files_below(folders, text)) expect_none(deferral_faults(file));
}

// ---- each rule sees a breach ----

Faults faults_of(std::string_view path, std::string_view line) {
  return include_faults({std::string(path), std::string(line) + "\n"});
}

struct Line {
  const char* path;
  const char* line;
};

void PrintTo(const Line& line, std::ostream* out) { *out << line.path << ": " << line.line; }

class Allowed : public testing::TestWithParam<Line> {};
class Refused : public testing::TestWithParam<Line> {};

TEST_P(Allowed, HasNoFault) { EXPECT_EQ(faults_of(GetParam().path, GetParam().line), Faults{}); }

TEST_P(Refused, HasOneFaultThatNamesTheFile) {
  const Faults faults = faults_of(GetParam().path, GetParam().line);
  ASSERT_EQ(faults.size(), 1U);
  EXPECT_TRUE(faults[0].starts_with(GetParam().path)) << faults[0];
}

INSTANTIATE_TEST_SUITE_P(
    SourceRules, Allowed,
    testing::Values(Line{"src/core/a.cpp", "#include <vector>"},
                    Line{"src/core/a.cpp", "#include \"roofline/units.hpp\""},
                    Line{"src/core/a.cpp", "#include \"text.hpp\""},
                    Line{"src/core/a.cpp", "// #include <chrono>"},
                    Line{"src/core/a.cpp", "int include;"},
                    Line{"src/machine/a.cpp", "#include <nlohmann/json.hpp>"},
                    Line{"src/measure/suite.cpp", "#include <nlohmann/json.hpp>"},
                    Line{"src/model/config_node.cpp", "#include <nlohmann/json.hpp>"},
                    Line{"src/model/a.cpp", "#include \"roofline/count.hpp\""},
                    Line{"src/cli/a.cpp", "#include \"model/parameters.hpp\""},
                    Line{"src/measure/a.cpp", "#include \"backend/backend.hpp\""},
                    Line{"src/backend/cpu/a.cpp", "#include \"backend/backend.hpp\""},
                    Line{"src/backend/cpu/a.cpp", "#include \"kernels/cpu/peak.hpp\""},
                    Line{"src/backend/cpu/a.cpp", "#include \"host/topology.hpp\""},
                    Line{"src/backend/cpu/a.cpp", "#include <oneapi/dnnl/dnnl.hpp>"},
                    Line{"src/backend/cpu/a.cpp", "#include <cblas.h>"},
                    Line{"src/backend/scripted/a.cpp", "#include \"backend/backend.hpp\""},
                    Line{"src/backend/scripted/a.cpp", "#include \"roofline/account.hpp\""},
                    Line{"src/host/a.cpp", "#include <hwloc.h>"},
                    Line{"src/host/a.cpp", "#include <sys/utsname.h>"},
                    Line{"src/report/sink.cpp", "#include <fstream>"},
                    Line{"kernels/cpu/a.cpp", "#include <immintrin.h>"},
                    Line{"kernels/cuda/a.cuh", "#include <cuda_runtime.h>"},
                    Line{"kernels/cuda/dialect.cuh", "#include \"simt/simt.hpp\""},
                    Line{"src/chart/a.cpp", "#include \"report/columns.hpp\""},
                    Line{"src/cli/a.cpp", "#include <CLI/CLI.hpp>"},
                    Line{"src/cli/a.cpp", "#include \"backend/cpu/cpu.hpp\""},
                    Line{"src/cli/a.cpp", "#include \"backend/scripted/script.hpp\""},
                    Line{"src/cli/a.cpp", "#include \"embedded/embedded.hpp\""}));

INSTANTIATE_TEST_SUITE_P(
    SourceRules, Refused,
    testing::Values(
        // core
        Line{"src/core/a.cpp", "#include <chrono>"}, Line{"src/core/a.cpp", "#include <thread>"},
        Line{"src/core/a.cpp", "#include <fstream>"}, Line{"src/core/a.cpp", "#include <cstdio>"},
        Line{"include/roofline/a.hpp", "#include <iostream>"},
        Line{"include/roofline/a.hpp", "  #  include  <sstream>  // blanks do not hide it"},
        Line{"src/core/a.cpp", "#include <unistd.h>"},
        Line{"src/core/a.cpp", "#include <fmt/core.h>"},
        Line{"src/core/a.cpp", "#include <nlohmann/json.hpp>"},
        Line{"src/core/a.cpp", "#include \"machine/catalogue.hpp\""},
        Line{"src/core/a.cpp", "#include \"embedded/embedded.hpp\""},
        // leaves know core only
        Line{"src/report/a.cpp", "#include \"machine/catalogue.hpp\""},
        Line{"src/report/a.cpp", "#include \"measure/suite.hpp\""},
        Line{"src/report/a.cpp", "#include \"backend/backend.hpp\""},
        Line{"src/report/a.cpp", "#include \"chart/figure.hpp\""},
        Line{"src/chart/a.cpp", "#include \"machine/catalogue.hpp\""},
        Line{"src/chart/a.cpp", "#include <nlohmann/json.hpp>"},
        Line{"src/chart/a.cpp", "#include <fstream>"},
        Line{"src/machine/a.cpp", "#include \"report/format.hpp\""},
        Line{"src/machine/a.cpp", "#include \"embedded/embedded.hpp\""},
        Line{"src/host/a.cpp", "#include \"backend/backend.hpp\""},
        Line{"src/machine/a.cpp", "#include <filesystem>"},
        Line{"src/model/a.cpp", "#include <fstream>"},
        Line{"src/model/a.cpp", "#include \"machine/catalogue.hpp\""},
        Line{"src/model/a.cpp", "#include \"embedded/embedded.hpp\""},
        Line{"src/model/parameters.cpp", "#include <nlohmann/json.hpp>"},
        Line{"src/report/a.cpp", "#include \"model/parameters.hpp\""},
        Line{"src/report/columns.cpp", "#include <cstdio>"},
        Line{"src/report/table.cpp", "#include <unistd.h>"},
        // measuring knows the interface, never what is behind it, nor what becomes of a point
        Line{"src/measure/a.cpp", "#include \"backend/cpu/cpu.hpp\""},
        Line{"src/measure/a.cpp", "#include \"report/sink.hpp\""},
        Line{"src/measure/sampling.cpp", "#include <nlohmann/json.hpp>"},
        Line{"src/measure/a.cpp", "#include <fstream>"},
        // backends
        Line{"src/backend/backend.hpp", "#include \"backend/cpu/cpu.hpp\""},
        Line{"src/backend/cpu/a.cpp", "#include \"measure/sampling.hpp\""},
        Line{"src/backend/cpu/a.cpp", "#include \"machine/catalogue.hpp\""},
        Line{"src/backend/cpu/a.cpp", "#include <hwloc.h>"},
        Line{"src/backend/cpu/a.cpp", "#include <nlohmann/json.hpp>"},
        Line{"src/backend/cpu/a.cpp", "#include <cuda.h>"},
        Line{"src/backend/backend.hpp", "#include \"backend/scripted/script.hpp\""},
        Line{"src/backend/cpu/a.cpp", "#include \"backend/scripted/random.hpp\""},
        Line{"src/backend/scripted/a.cpp", "#include \"backend/cpu/random.hpp\""},
        Line{"src/backend/scripted/a.cpp", "#include \"measure/sweep.hpp\""},
        Line{"src/backend/scripted/a.cpp", "#include \"host/host.hpp\""},
        Line{"src/backend/scripted/a.cpp", "#include <nlohmann/json.hpp>"},
        Line{"src/backend/scripted/a.cpp", "#include <fmt/core.h>"},
        Line{"src/backend/scripted/a.cpp", "#include <fstream>"},
        Line{"src/measure/a.cpp", "#include \"backend/scripted/script.hpp\""},
        Line{"kernels/cpu/a.cpp", "#include \"roofline/units.hpp\""},
        Line{"kernels/cpu/a.cpp", "#include <sys/mman.h>"},
        Line{"kernels/cpu/a.cpp", "#include <cuda.h>"},
        Line{"kernels/cuda/stream.cuh", "#include \"simt/simt.hpp\""},
        // only the command line puts modules together
        Line{"src/machine/a.cpp", "#include \"cli/command.hpp\""},
        Line{"src/report/a.cpp", "#include <CLI/CLI.hpp>"},
        Line{"src/host/a.cpp", "#include <cblas.h>"},
        Line{"src/cli/a.cpp", "#include <oneapi/dnnl/dnnl.hpp>"},
        Line{"src/cli/a.cpp", "#include <gtest/gtest.h>"},
        Line{"src/cli/a.cpp", "#include \"../machine/catalogue.hpp\""}));

TEST(SourceRules, AFolderWithoutAModuleIsAFault) {
  EXPECT_EQ(faults_of("src/surprise/a.cpp", "").size(), 1U);
}

TEST(SourceRules, EveryBadLineOfAFileIsReported) {
  EXPECT_EQ(
      faults_of("src/core/a.cpp", "#include <chrono>\n#include <vector>\n#include <thread>").size(),
      2U);
}

TEST(SourceRules, ASecondHomeOfAHardwareLibraryIsAFault) {
  const SourceFile one{"src/backend/cpu/one.cpp", "#include <oneapi/dnnl/dnnl.hpp>\n"};
  const SourceFile two{"src/backend/cpu/two.cpp", "#include <oneapi/dnnl/dnnl_version.h>\n"};
  const SourceFile blas{"src/backend/cpu/three.cpp", "#include <cblas.h>\n"};
  EXPECT_EQ(single_home_faults({one, blas}), Faults{});
  EXPECT_EQ(single_home_faults({one, two, blas}),
            Faults{"oneDNN is included by src/backend/cpu/one.cpp, src/backend/cpu/two.cpp"});
}

TEST(SourceRules, AHeaderNeedsItsGuard) {
  EXPECT_EQ(form_faults({"src/a.hpp", "// x\n#pragma once\n"}), Faults{});
  EXPECT_EQ(form_faults({"src/a.hpp", "// #pragma once\n"}).size(), 1U);
  EXPECT_EQ(form_faults({"src/a.cpp", ""}), Faults{});
}

TEST(SourceRules, AFileHasAtMostFiveHundredLines) {
  std::string text;
  for (int line = 0; line < 500; ++line) text += "\n";
  EXPECT_EQ(form_faults({"src/a.cpp", text}), Faults{});
  EXPECT_EQ(form_faults({"src/a.cpp", text + "\n"}).size(), 1U);
}

TEST(SourceRules, WorkIsNotPutOff) {
  const std::string word = std::string("TO") + "DO";
  EXPECT_EQ(deferral_faults({"a", "// " + word + ": later"}).size(), 1U);
  EXPECT_EQ(deferral_faults({"a", "// " + std::string("FIX") + "ME"}).size(), 1U);
  EXPECT_EQ(deferral_faults({"a", "AU" + word + "MATION"}), Faults{});
}

}  // namespace
