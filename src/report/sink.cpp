#include "report/sink.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "report/input.hpp"
#include "roofline/error.hpp"

namespace roofline::report {
namespace {

constexpr int kMostLinks = 40;  // as the kernel follows

std::string cause(int error) { return std::generic_category().message(error); }

[[noreturn]] void fail(const std::string& doing, const std::string& path, int error,
                       const std::string& way_out = {}) {
  throw FileError("cannot " + doing + " " + path + ": " + cause(error) +
                  (way_out.empty() ? "" : "; " + way_out));
}

bool names_stdout(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Where a chain of symbolic links ends, so that the link stays and its target is replaced. The end
/// need not exist.
std::string follow_links(std::string path) {
  for (int links = 0; links < kMostLinks; ++links) {
    std::array<char, 4096> target{};
    const ssize_t length = ::readlink(path.c_str(), target.data(), target.size());
    if (length < 0 || static_cast<std::size_t>(length) == target.size()) return path;
    const std::string to(target.data(), static_cast<std::size_t>(length));
    path = to.front() == '/' ? to : folder_of(path) + "/" + to;
  }
  return path;
}

/// 0 or the error that stopped it.
int write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(fd, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// A new file beside `name`; its name goes to `made`. -1 and errno when the folder takes none.
int create_beside(int folder, const std::string& name, std::string& made) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    made = "." + name.substr(0, 200) + ".part-" + std::to_string(::getpid()) + "-" +
           std::to_string(attempt);
    const int fd =
        ::openat(folder, made.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  errno = EEXIST;
  return -1;
}

int keep_owner_and_permissions(int fd, int folder, const std::string& name) {
  struct stat old {};
  if (::fstatat(folder, name.c_str(), &old, 0) != 0) return errno == ENOENT ? 0 : errno;
  // Only root may give a file away; for others the new file is theirs, as with any copy.
  if (::fchown(fd, old.st_uid, old.st_gid) != 0 && errno != EPERM) return errno;
  return ::fchmod(fd, old.st_mode & 07777) == 0 ? 0 : errno;
}

int open_folder(const std::string& path, const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd >= 0) return fd;
  if (errno == ENOENT) fail("write", path, errno, "make the folder " + folder + " first");
  fail("write", path, errno);
}

/// Fails now rather than after the measurement when the folder takes no new file.
void try_folder(int folder, const std::string& path, const std::string& name) {
  std::string made;
  const int fd = create_beside(folder, name, made);
  if (fd < 0) {
    const int error = errno;
    ::close(folder);
    fail("write", path, error, "its folder takes no new file; choose another with -o");
  }
  ::close(fd);
  ::unlinkat(folder, made.c_str(), 0);
}

}  // namespace

Sink::Sink(std::string path) : path_(std::move(path)) {
  if (path_.empty())
    throw FileError("the output path is empty; give a file name, or - for standard output");
  if (names_stdout(path_)) {
    fd_ = STDOUT_FILENO;
    return;
  }
  const std::string target = follow_links(path_);
  struct stat found {};
  const bool exists = ::stat(target.c_str(), &found) == 0;
  if (!exists && errno != ENOENT) fail("write", path_, errno);
  if (target.back() == '/' || (exists && S_ISDIR(found.st_mode))) {
    throw FileError("cannot write " + path_ + ": it is a folder; give the name of a file in it");
  }
  if (exists && !S_ISREG(found.st_mode)) {
    fd_ = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (fd_ < 0) fail("write", path_, errno);
    return;
  }
  if (exists && ::access(target.c_str(), W_OK) != 0) fail("write", path_, errno);
  name_ = name_of(target);
  fd_ = open_folder(path_, folder_of(target));
  try_folder(fd_, path_, name_);
}

Sink::Sink(Sink&& other) noexcept
    : path_(std::move(other.path_)),
      name_(std::move(other.name_)),
      fd_(std::exchange(other.fd_, -1)) {}

Sink& Sink::operator=(Sink&& other) noexcept {
  if (this != &other) {
    close();
    path_ = std::move(other.path_);
    name_ = std::move(other.name_);
    fd_ = std::exchange(other.fd_, -1);
  }
  return *this;
}

Sink::~Sink() { close(); }

void Sink::close() noexcept {
  if (fd_ >= 0 && !is_stdout()) ::close(fd_);
  fd_ = -1;
}

void Sink::replace(std::string_view text) {
  replace([&](const TextSink& to) { to(text); });
}

void Sink::replace(const TextSource& text) {
  int error = 0;
  if (name_.empty()) {
    // What the C library still holds for this stream comes first.
    if (is_stdout()) std::fflush(stdout);
    text([&](std::string_view piece) {
      error = write_all(fd_, piece);
      if (error != 0) fail("write", is_stdout() ? "standard output" : path_, error);
    });
    return;
  }
  std::string made;
  const int fd = create_beside(fd_, name_, made);
  if (fd < 0) fail("write", path_, errno);
  error = keep_owner_and_permissions(fd, fd_, name_);
  try {
    text([&](std::string_view piece) {
      if (error == 0) error = write_all(fd, piece);
    });
  } catch (...) {
    ::close(fd);
    ::unlinkat(fd_, made.c_str(), 0);
    throw;
  }
  if (error == 0 && ::fsync(fd) != 0) error = errno;
  if (::close(fd) != 0 && error == 0) error = errno;
  if (error != 0) {
    ::unlinkat(fd_, made.c_str(), 0);
    fail("write", path_, error, "what was there before is unchanged");
  }
  if (::renameat(fd_, made.c_str(), fd_, name_.c_str()) != 0) {
    // The text is whole on disk: keep it rather than lose a measurement.
    fail("replace", path_, errno, "the result is in " + made + " beside it");
  }
  // Makes the new name last; some file systems cannot, and the text is on disk already.
  (void)::fsync(fd_);
}

GrowingFile::GrowingFile(std::string path, std::string_view text) : path_(std::move(path)) {
  Sink(path_).replace(text);
  fd_ = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (fd_ < 0) fail("write", path_, errno);
}

GrowingFile::~GrowingFile() {
  if (fd_ >= 0) ::close(fd_);
}

void GrowingFile::append(std::string_view line) {
  // In one write, so that a reader never sees half of it but for a full disk or a lost machine.
  int error = write_all(fd_, std::string(line) + '\n');
  if (error == 0 && ::fdatasync(fd_) != 0 && errno != EINVAL) error = errno;
  if (error != 0) fail("write", path_, error);
}

bool file_exists(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0;
}

void remove_file(const std::string& path) {
  if (::unlink(path.c_str()) != 0 && errno != ENOENT) fail("remove", path, errno);
}

void rename_file(const std::string& from, const std::string& to) {
  if (std::rename(from.c_str(), to.c_str()) != 0) fail("rename", from, errno);
}

std::string read_file(const std::string& path) { return std::string(Input(path).text()); }

}  // namespace roofline::report
