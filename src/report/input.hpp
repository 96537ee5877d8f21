// The whole text of a file, pipe or standard input, for as long as it is wanted. A large file is
// not copied. Knows nothing of what is in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace roofline::report {

class Input {
 public:
  /// `-` is standard input. Throws FileError naming the path and the cause; a folder and anything
  /// beyond 1 GiB are refused. While a large file is read it must not be cut short; one that is
  /// replaced as Sink does it stays what it was.
  explicit Input(const std::string& path);
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input();

  [[nodiscard]] std::string_view text() const { return {data_ + begin_, size_ - begin_}; }
  /// Gives back the memory of what lies before a place of the text, where the system can bring it
  /// again should it be looked at.
  void let_go(std::size_t before);

 private:
  bool map(int fd);
  int read_all(int fd);
  int grow();

  char* data_ = nullptr;
  std::size_t reserved_ = 0;
  std::size_t begin_ = 0;  ///< where standard input stood when it was a file
  std::size_t size_ = 0;
  std::size_t gone_ = 0;
  bool is_file_ = false;  ///< the memory is the file's
};

}  // namespace roofline::report
