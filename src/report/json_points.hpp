// The points of a report, which are nearly all of its text, one by one and on several cores: each
// has a small tree of its own for as long as it is read. Does not know what a point holds.
#pragma once

#include <exception>
#include <functional>
#include <string_view>
#include <vector>

#include "report/json_node.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

struct PointsOptions {
  std::string_view file;  ///< what complaints call the text
  std::function<Record(const Node& point)> read;
  /// Told now and then that all before a place has been read.
  std::function<void(std::size_t)> passed = {};
  unsigned threads = 0;   ///< 0: as many as the machine has, up to where more are no use
  std::size_t chunk = 0;  ///< bytes that a thread takes at a time; 0: where threads pay, a few MiB
};

/// Reads the list `points` of a report into `out`. A point that is not understood ends the reading;
/// its complaint is kept, since what is wrong with the rest of the report is said first.
class PointsVisitor : public ListVisitor {
 public:
  PointsVisitor(const PointsOptions& options, std::vector<Record>& out)
      : options_(options), out_(out) {}

  bool visit(std::string_view text, std::size_t& at) override;
  /// About the first point that is not understood; nothing where all are.
  [[nodiscard]] std::exception_ptr complaint() const { return complaint_; }

  struct Chunk;

 private:
  bool read_all(std::string_view text, Chunk& chunk, std::size_t& at);
  bool read_on_all_cores(std::string_view text, Chunk& chunk, std::size_t& at);
  bool take(std::string_view text, Chunk& chunk, std::size_t& at);
  bool read_odd_one(std::string_view text, std::size_t& at);
  void deliver(std::string_view text, Chunk& chunk);

  const PointsOptions& options_;
  std::vector<Record>& out_;
  std::exception_ptr complaint_;
};

}  // namespace roofline::report
