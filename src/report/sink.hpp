// The one place that writes results to files, and reads them. A result is there as a whole or not
// at all.
#pragma once

#include <string>
#include <string_view>

#include "report/text_sink.hpp"

namespace roofline::report {

/// Where a result goes. Made before measuring, so that a path that cannot be written fails then.
class Sink {
 public:
  /// `-` (also /dev/stdout) is standard output. A regular file is untouched until replace(); a pipe
  /// or device is opened at once. Throws FileError naming the path and the cause.
  explicit Sink(std::string path);
  Sink(Sink&& other) noexcept;
  Sink& operator=(Sink&& other) noexcept;
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;
  ~Sink();

  /// The whole text, at once: a regular file is replaced by a rename after the new one is on disk,
  /// with the old one's permissions, and may be replaced again and again (the last one stays); to
  /// standard output, a pipe or a device every call writes on. Throws FileError; then a regular
  /// file is what it was before, and where only the last step failed the message names the file
  /// that holds the text.
  void replace(std::string_view text);
  /// The same of a text that comes in pieces. Throws what `text` throws, too.
  void replace(const TextSource& text);

  [[nodiscard]] bool is_stdout() const { return fd_ == 1; }
  /// Whether replace() replaces, so that it may be called after every step; else it adds.
  [[nodiscard]] bool is_file() const { return !name_.empty(); }
  /// As given.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  void close() noexcept;

  std::string path_;
  std::string name_;  ///< of the regular file within its folder; empty for a stream
  int fd_ = -1;       ///< the folder of a regular file, else the stream itself
};

/// A file that grows by whole lines, each on disk before the next is begun.
class GrowingFile {
 public:
  /// Replaces what is at `path` by `text` as Sink does. Throws FileError.
  GrowingFile(std::string path, std::string_view text);
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;
  ~GrowingFile();

  /// `line` and a newline, flushed to disk. Throws FileError.
  void append(std::string_view line);
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int fd_ = -1;
};

[[nodiscard]] bool file_exists(const std::string& path);
/// Throws FileError; that it is not there is none.
void remove_file(const std::string& path);
/// Moves `from` over `to`. Throws FileError.
void rename_file(const std::string& from, const std::string& to);

/// The bytes of a file, pipe or (`-`) standard input. Throws FileError naming the path and the
/// cause; a folder and anything beyond 1 GiB are refused.
[[nodiscard]] std::string read_file(const std::string& path);

}  // namespace roofline::report
