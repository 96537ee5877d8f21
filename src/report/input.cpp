#include "report/input.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "roofline/error.hpp"

namespace roofline::report {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30U;
/// Below it a copy is as quick, and safe from whoever cuts the file.
constexpr std::size_t kWorthMapping = std::size_t{4} << 20U;
constexpr std::size_t kFirstBlock = std::size_t{64} << 10U;

std::size_t page_size() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

[[noreturn]] void fail(const std::string& path, int error) {
  if (error == EISDIR)
    throw FileError("cannot read " + path + ": it is a folder; give a file in it");
  if (error == EFBIG)
    throw FileError("cannot read " + path + ": it is larger than 1 GiB, which no report is");
  throw FileError("cannot read " + path + ": " + std::generic_category().message(error));
}

}  // namespace

Input::Input(const std::string& path) {
  const bool standard = path == "-";
  const int fd = standard ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) fail(path, errno);
  const int error = map(fd) ? 0 : read_all(fd);
  if (!standard) ::close(fd);
  const int larger = size_ - begin_ > kLargest ? EFBIG : 0;
  if (error == 0 && larger == 0) return;
  if (data_ != nullptr) ::munmap(data_, reserved_);
  fail(standard && error != EISDIR && larger == 0 ? "standard input" : path,
       error != 0 ? error : larger);
}

Input::~Input() {
  if (data_ != nullptr) ::munmap(data_, reserved_);
}

bool Input::map(int fd) {
  struct stat found {};
  if (::fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) return false;
  const auto size = static_cast<std::size_t>(found.st_size);
  const off_t at = ::lseek(fd, 0, SEEK_CUR);
  if (at < 0 || size < kWorthMapping || static_cast<std::size_t>(at) > size) return false;
  void* const mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (mapped == MAP_FAILED) return false;
  data_ = static_cast<char*>(mapped);
  reserved_ = size_ = size;
  begin_ = static_cast<std::size_t>(at);
  is_file_ = true;
  return true;
}

/// 0 or an error. Pages are moved rather than copied, so that the text is never there twice.
int Input::grow() {
  const std::size_t wanted = reserved_ == 0 ? kFirstBlock : reserved_ * 2;
  void* const moved = reserved_ == 0 ? ::mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                     : ::mremap(data_, reserved_, wanted, MREMAP_MAYMOVE);
  if (moved == MAP_FAILED) return errno;
  data_ = static_cast<char*>(moved);
  reserved_ = wanted;
  return 0;
}

int Input::read_all(int fd) {
  while (size_ <= kLargest) {
    if (size_ == reserved_) {
      if (const int error = grow(); error != 0) return error;
    }
    const ssize_t got = ::read(fd, data_ + size_, reserved_ - size_);
    if (got == 0) break;
    if (got < 0 && errno != EINTR) return errno;
    if (got > 0) size_ += static_cast<std::size_t>(got);
  }
  return 0;
}

void Input::let_go(std::size_t before) {
  const std::size_t page = page_size();
  const std::size_t end = std::min(begin_ + before, size_) / page * page;
  if (!is_file_ || end <= gone_) return;
  ::madvise(data_ + gone_, end - gone_, MADV_DONTNEED);
  gone_ = end;
}

}  // namespace roofline::report
