// Where the finished points of a session go: into its report, and each of them at once into a
// journal beside the file that the report will replace.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "report/sink.hpp"
#include "roofline/record.hpp"
#include "roofline/roof_book.hpp"

namespace roofline::cli {

/// What is known of the roofs of each device, by its id.
using Books = std::map<std::string, RoofBook>;

/// Tells the points of all devices apart.
[[nodiscard]] std::string point_key(const Record& record);

class Recorder {
 public:
  /// `output` as given by -o; empty: the report goes nowhere but to its reader. `order`: the
  /// point_key() of all points as planned. Points that `report` holds already are kept. Throws
  /// FileError before anything is measured.
  Recorder(std::string output, Report report, std::vector<std::string> order, Io& io);

  /// A finished point, or a repetition of one that is there: in the journal when it returns. A
  /// journal that can't be written any more is warned of once; the measuring goes on.
  void add(const Record& record);
  /// The same of a point that did not return: a repetition of it that was finished stays.
  void add_hung(const Record& record);
  /// Points in their order, placed under the roofs of their devices' books. Safe to call from
  /// another thread than add(), as is save().
  const Report& finish(const Books& books, RunEnd end);
  /// Writes the finished report to the output and removes the journal. Throws FileError; the
  /// journal then stays.
  void save();

  [[nodiscard]] const std::vector<Record>& points() const { return report_.points; }
  [[nodiscard]] std::size_t finished() const { return report_.points.size(); }
  /// What is written so far, and where; for sentences. Empty without a file.
  [[nodiscard]] const std::string& output() const { return output_; }

 private:
  void put(const Record& record);

  std::mutex mutex_;
  Io& io_;
  std::string output_;
  Report report_;
  std::vector<std::string> order_;
  std::map<std::string, std::size_t> places_;  ///< of points in the report, by point_key()
  std::optional<report::Sink> sink_;
  std::optional<report::GrowingFile> journal_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Seconds spent_before_;  ///< by the run that this one resumes
};

/// What is left of an earlier run at `path`: its report, its journal, or both, the journal's points
/// first. Throws FileError when neither is there and InputError when one can't be read.
[[nodiscard]] Report read_earlier_run(const std::string& path);

}  // namespace roofline::cli
