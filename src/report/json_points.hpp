// The points of a report, which are nearly all of its text, one by one and on several cores: each
// has a small tree of its own for as long as it is read. Knows neither what a point holds nor what
// is kept of it.
#pragma once

#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/json_node.hpp"
#include "roofline/record.hpp"

namespace roofline::report {

/// Takes the points that are read, and keeps of them what it wants.
class PointTaker {
 public:
  virtual ~PointTaker() = default;
  /// `text`: what it was read from.
  virtual void take(Record&& point, const Node& text) = 0;
  /// For another part of the points, whose reader is on another thread.
  [[nodiscard]] virtual std::unique_ptr<PointTaker> another() const = 0;
  /// Adds what another() of this one took of the points that come next. `expected`: about as many
  /// as there are still to come, with those.
  virtual void append(PointTaker& next, std::size_t expected) = 0;
  [[nodiscard]] virtual std::size_t size() const = 0;
  virtual void clear() = 0;
};

/// Keeps what `Keep` makes of each point, in their order.
template <class Keep>
class PointList : public PointTaker {
 public:
  using Value = std::invoke_result_t<Keep&, Record&&>;

  void take(Record&& point, const Node&) override { values_.push_back(keep_(std::move(point))); }
  [[nodiscard]] std::unique_ptr<PointTaker> another() const override {
    return std::make_unique<PointList>();
  }
  void append(PointTaker& next, std::size_t expected) override {
    auto& more = dynamic_cast<PointList&>(next).values_;
    if (values_.capacity() - values_.size() < more.size())
      values_.reserve(values_.size() + expected);
    std::move(more.begin(), more.end(), std::back_inserter(values_));
  }
  [[nodiscard]] std::size_t size() const override { return values_.size(); }
  void clear() override { values_.clear(); }

  [[nodiscard]] std::vector<Value> take_all() { return std::move(values_); }

 private:
  Keep keep_;
  std::vector<Value> values_;
};

/// Keeps all of a point.
struct WholePoint {
  Record operator()(Record&& point) const { return std::move(point); }
};

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
  PointsVisitor(const PointsOptions& options, PointTaker& out) : options_(options), out_(out) {}

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
  PointTaker& out_;
  std::exception_ptr complaint_;
};

}  // namespace roofline::report
