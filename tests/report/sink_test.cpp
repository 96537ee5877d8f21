// Where results are written: whole or not at all, and refused before measuring where they cannot
// be.
#include "report/sink.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "roofline/error.hpp"

namespace roofline::report {
namespace {

namespace fs = std::filesystem;

class SinkTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "roofline-sink-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  [[nodiscard]] std::string read(const std::string& name) const {
    std::ifstream in(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

std::string complaint(const std::string& target) {
  try {
    const Sink sink(target);
  } catch (const FileError& error) {
    return error.what();
  }
  return {};
}

void expect_refused(const std::string& target, const std::string& cause) {
  const std::string said = complaint(target);
  EXPECT_NE(said.find(target), std::string::npos) << said;
  EXPECT_NE(said.find(cause), std::string::npos) << said << "\n  should give the cause " << cause;
}

/// Root writes everywhere.
bool is_root() { return ::geteuid() == 0; }

TEST_F(SinkTest, WritesAFile) {
  Sink sink(path("report.json"));
  EXPECT_TRUE(sink.is_file());
  sink.replace("{}\n");
  EXPECT_EQ(read("report.json"), "{}\n");
  EXPECT_EQ(files(), 1U);
}

TEST_F(SinkTest, OpeningLeavesTheOldFileAndNothingElse) {
  write("report.json", "old");
  {
    const Sink sink(path("report.json"));
    EXPECT_EQ(read("report.json"), "old");
    EXPECT_EQ(files(), 1U);
  }
  const Sink fresh(path("new.json"));
  EXPECT_FALSE(fs::exists(path("new.json")));
  EXPECT_EQ(read("report.json"), "old");
}

TEST_F(SinkTest, AMeasurementThatThrowsLeavesTheOldFileWhole) {
  write("report.json", "old");
  try {
    Sink sink(path("report.json"));
    throw std::runtime_error("the measurement broke");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(read("report.json"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(SinkTest, EachReplacementIsTheWholeNewText) {
  Sink sink(path("report.json"));
  sink.replace(std::string(100000, 'a'));
  sink.replace("b");
  EXPECT_EQ(read("report.json"), "b");
  EXPECT_EQ(files(), 1U);
}

TEST_F(SinkTest, ATextMayComeInPieces) {
  Sink sink(path("report.json"));
  sink.replace([](const TextSink& to) {
    for (const char* piece : {"a", "", "bc"}) to(piece);
  });
  EXPECT_EQ(read("report.json"), "abc");
  EXPECT_EQ(files(), 1U);
}

TEST_F(SinkTest, ATextThatBreaksOffLeavesTheOldFileAndNothingElse) {
  write("report.json", "old");
  Sink sink(path("report.json"));
  EXPECT_THROW(sink.replace([](const TextSink& to) {
    to("new");
    throw std::runtime_error("the text broke off");
  }),
               std::runtime_error);
  EXPECT_EQ(read("report.json"), "old");
  EXPECT_EQ(files(), 1U);
}

TEST_F(SinkTest, PermissionsOfTheOldFileStay) {
  write("report.json", "old");
  fs::permissions(path("report.json"), fs::perms(0640));
  Sink(path("report.json")).replace("new");
  EXPECT_EQ(read("report.json"), "new");
  EXPECT_EQ(fs::status(path("report.json")).permissions(), fs::perms(0640));
}

TEST_F(SinkTest, ANewFileFollowsTheUmask) {
  const mode_t before = ::umask(027);
  Sink(path("report.json")).replace("new");
  ::umask(before);
  EXPECT_EQ(fs::status(path("report.json")).permissions(), fs::perms(0640));
}

TEST_F(SinkTest, AReaderThatHasTheOldFileOpenKeepsIt) {
  write("report.json", "old");
  std::ifstream reader(path("report.json"));
  Sink(path("report.json")).replace("new");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old");
}

TEST_F(SinkTest, ALinkStaysAndItsTargetIsReplaced) {
  fs::create_directory(path("real"));
  write("real/report.json", "old");
  fs::create_symlink("real/report.json", path("link.json"));
  Sink(path("link.json")).replace("new");
  EXPECT_TRUE(fs::is_symlink(path("link.json")));
  EXPECT_EQ(read("real/report.json"), "new");
}

TEST_F(SinkTest, ALinkToNothingIsWrittenThrough) {
  fs::create_symlink("later.json", path("link.json"));
  Sink(path("link.json")).replace("new");
  EXPECT_TRUE(fs::is_symlink(path("link.json")));
  EXPECT_EQ(read("later.json"), "new");
}

TEST_F(SinkTest, LinksInACircleAreRefused) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  expect_refused(path("a"), "symbolic links");
}

TEST_F(SinkTest, AFolderIsRefused) {
  expect_refused(folder_.string(), "it is a folder");
  expect_refused(path("new/"), "it is a folder");
}

TEST_F(SinkTest, AMissingFolderIsRefusedWithAWayOut) {
  expect_refused(path("missing/report.json"), "No such file or directory");
  EXPECT_NE(complaint(path("missing/report.json")).find("make the folder"), std::string::npos);
}

TEST_F(SinkTest, AFileAmongTheFoldersIsRefused) {
  write("file", "");
  expect_refused(path("file/report.json"), "Not a directory");
}

TEST_F(SinkTest, AnEmptyPathIsRefused) {
  EXPECT_NE(complaint("").find("empty"), std::string::npos);
}

TEST_F(SinkTest, AFolderThatTakesNoFileIsRefusedBeforeMeasuring) {
  if (is_root()) {
    // Not even root creates files there.
    expect_refused("/proc/report.json", "No such file or directory");
    return;
  }
  fs::permissions(folder_, fs::perms(0500));
  expect_refused(path("report.json"), "Permission denied");
}

TEST_F(SinkTest, AReadOnlyFileIsRefusedBeforeMeasuring) {
  if (is_root()) GTEST_SKIP() << "root may write every file";
  write("report.json", "old");
  fs::permissions(path("report.json"), fs::perms(0400));
  expect_refused(path("report.json"), "Permission denied");
  EXPECT_EQ(read("report.json"), "old");
}

TEST_F(SinkTest, AFullDeviceIsSaidAndNamed) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "this system has no /dev/full";
  Sink sink("/dev/full");
  try {
    sink.replace("text");
    FAIL() << "nothing was said";
  } catch (const FileError& error) {
    EXPECT_STREQ(error.what(), "cannot write /dev/full: No space left on device");
  }
}

TEST_F(SinkTest, AFolderThatVanishedMeanwhileIsSaid) {
  fs::create_directory(path("gone"));
  Sink sink(path("gone/report.json"));
  fs::remove(path("gone"));
  EXPECT_THROW(sink.replace("text"), FileError);
}

TEST_F(SinkTest, WhereOnlyTheRenameFailsTheTextIsKept) {
  Sink sink(path("report.json"));
  fs::create_directory(path("report.json"));
  std::string said;
  try {
    sink.replace("measured");
  } catch (const FileError& error) {
    said = error.what();
  }
  const std::size_t at = said.find(".report.json.part-");
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_EQ(read(said.substr(at, said.find(' ', at) - at)), "measured");
}

TEST_F(SinkTest, APipeGetsTheText) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  std::string got;
  std::thread reader([&] { got = read_file(path("pipe")); });
  {
    Sink sink(path("pipe"));
    EXPECT_FALSE(sink.is_file());
    sink.replace("through the pipe");
  }
  reader.join();
  EXPECT_EQ(got, "through the pipe");
  EXPECT_TRUE(fs::is_fifo(path("pipe")));
}

TEST_F(SinkTest, StandardOutputIsADash) {
  for (const char* name : {"-", "/dev/stdout"}) {
    ::testing::internal::CaptureStdout();
    Sink sink(name);
    EXPECT_TRUE(sink.is_stdout());
    sink.replace("result\n");
    EXPECT_EQ(::testing::internal::GetCapturedStdout(), "result\n") << name;
  }
}

TEST_F(SinkTest, AClosedPipeOnStandardOutputIsAnErrorNotSilence) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ::close(ends[0]);
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  ::dup2(ends[1], STDOUT_FILENO);
  const auto old = std::signal(SIGPIPE, SIG_IGN);
  Sink sink("-");
  std::string said;
  try {
    sink.replace("text");
  } catch (const FileError& error) {
    said = error.what();
  }
  std::signal(SIGPIPE, old);
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  ::close(ends[1]);
  EXPECT_EQ(said, "cannot write standard output: Broken pipe");
}

TEST_F(SinkTest, MovesWithItsTarget) {
  Sink first(path("a.json"));
  Sink second(path("b.json"));
  second = std::move(first);
  second.replace("text");
  EXPECT_EQ(read("a.json"), "text");
  EXPECT_FALSE(fs::exists(path("b.json")));
}

TEST_F(SinkTest, ReadsWhatIsThere) {
  const std::string text = std::string("a\0b", 3) + std::string(200000, 'x');
  write("in.json", text);
  EXPECT_EQ(read_file(path("in.json")), text);
  write("empty", "");
  EXPECT_EQ(read_file(path("empty")), "");
}

TEST_F(SinkTest, WhatCannotBeReadIsNamedWithItsCause) {
  const auto expect_unreadable = [](const std::string& target, const std::string& cause) {
    try {
      (void)read_file(target);
      ADD_FAILURE() << target << " was read";
    } catch (const FileError& error) {
      const std::string said = error.what();
      EXPECT_NE(said.find(target), std::string::npos) << said;
      EXPECT_NE(said.find(cause), std::string::npos) << said;
    }
  };
  expect_unreadable(path("missing.json"), "No such file or directory");
  expect_unreadable(folder_.string(), "it is a folder");
  if (is_root()) return;
  write("secret", "");
  fs::permissions(path("secret"), fs::perms::none);
  expect_unreadable(path("secret"), "Permission denied");
}

}  // namespace
}  // namespace roofline::report
